//! The trait of tools with typed input and output.

use std::time::Duration;

use async_trait::async_trait;

use super::conversion::text_of;
use super::{ToolData, ToolInput};
use crate::approval::{Assessment, Preview};
use crate::ledger::Verified;
use crate::{Concurrency, Hints, RiskLevel, TextLimit, ToolContext, ToolError};

/// A capability with typed input and output, and without a name.
///
/// A [`Toolset`](crate::Toolset) presents it under one or more names; [`Typed::new`](crate::Typed::new) gives it one name
/// and a description. Parameters in errors, suggestions and warnings have the names of the input's fields; presentations
/// rename them.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use tool_core::{Registry, RiskLevel, TextLimit, ToolContext, ToolError, Typed, TypedTool};
///
/// struct Divide;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Input {
///     /// Dividend.
///     number: f64,
///     /// Divisor, not zero.
///     by: f64,
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Output {
///     quotient: f64,
/// }
///
/// #[async_trait]
/// impl TypedTool for Divide {
///     type Input = Input;
///     type Output = Output;
///
///     const RISK: RiskLevel = RiskLevel::ReadOnly;
///
///     fn check(&self, _cx: &ToolContext, input: &Input) -> Result<(), ToolError> {
///         if input.by == 0.0 {
///             return Err(ToolError::invalid_arguments("by", "is zero").suggest("Use another number."));
///         }
///         Ok(())
///     }
///
///     async fn run(&self, _cx: &ToolContext, input: Input, _limits: &TextLimit) -> Result<Output, ToolError> {
///         Ok(Output { quotient: input.number / input.by })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let registry = Registry::of(Typed::new("divide", "Divides one number by another.", Divide))?;
/// let result = registry.execute_text("divide", r#"{"number": 1, "by": 0}"#).await;
/// assert_eq!(result.to_string(), "Error: `by` is zero. Use another number.");
/// # Ok(()) }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a typed tool",
    note = "implement `TypedTool` for `{Self}`, or create a tool from a closure with `tool_fn`",
    note = "`Toolset::with_tool` adds a type that implements `Tool`"
)]
pub trait TypedTool: Send + Sync + 'static {
    /// Type of the arguments. The doc comment of a field is the description of the parameter.
    type Input: ToolInput + Sync + 'static;
    /// Type of the output, which is data.
    type Output: ToolData + Send + 'static;

    /// Risk of a call.
    const RISK: RiskLevel;

    /// Returns the properties that a host may assume. The default follows from the risk.
    fn hints(&self) -> Hints {
        Hints::of(Self::RISK)
    }

    /// Returns which calls may overlap. The default follows from the risk.
    fn concurrency(&self) -> Concurrency {
        Concurrency::of(Self::RISK)
    }

    /// Returns the timeout of a call, which replaces the registry's. The default is `None`.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// Checks constraints that a schema cannot express, before approval is requested.
    ///
    /// # Errors
    /// Returns [`ToolError::invalid_arguments`] with the parameter and the remedy if a constraint is violated.
    fn check(&self, cx: &ToolContext, input: &Self::Input) -> Result<(), ToolError> {
        let _ = (cx, input);
        Ok(())
    }

    /// Returns the risk of a call with this input. The default is [`RISK`](Self::RISK).
    fn risk_of(&self, input: &Self::Input) -> RiskLevel {
        let _ = input;
        Self::RISK
    }

    /// Assesses the input for the policy, like [`Tool::assess`](crate::Tool::assess). Parts refer to parameters by the
    /// names of the input's fields.
    ///
    /// # Errors
    /// Returns an error, such as [`ToolError::command_forbidden`], if the call must not run even if it is approved.
    fn assess(&self, input: &Self::Input) -> Result<Assessment, ToolError> {
        let _ = input;
        Ok(Assessment::default())
    }

    /// Returns the key for [`Concurrency::PerKey`]: calls with the same key run sequentially.
    fn key_of(&self, input: &Self::Input) -> Option<String> {
        let _ = input;
        None
    }

    /// Returns the files that a call with this input would write, for its approver. The default is the key if calls run
    /// sequentially per key, and no file otherwise.
    fn files_of(&self, input: &Self::Input) -> Vec<String> {
        match self.concurrency() {
            Concurrency::PerKey => self.key_of(input).into_iter().collect(),
            Concurrency::Parallel | Concurrency::Exclusive => Vec::new(),
        }
    }

    /// Returns a preview of the changes for the approver, like [`Tool::preview`](crate::Tool::preview).
    async fn preview(&self, cx: &ToolContext, input: Self::Input) -> Option<Preview> {
        let _ = (cx, input);
        None
    }

    /// Returns a key that equal calls share, like [`Tool::idempotency_key`](crate::Tool::idempotency_key).
    fn idempotency_key(&self, input: &Self::Input) -> Option<String> {
        let _ = input;
        None
    }

    /// Determines whether a call whose outcome is unknown took effect, like [`Tool::verify`](crate::Tool::verify). Not called
    /// if the stored arguments do not match the input, such as after an update.
    async fn verify(&self, cx: &ToolContext, input: Self::Input) -> Verified {
        let _ = (cx, input);
        Verified::Unknown
    }

    /// Runs the tool once. May be called concurrently as [`concurrency`](Self::concurrency) allows.
    ///
    /// `limits` are the limits of the presentation.
    ///
    /// # Errors
    /// Returns [`ToolError`] if the tool fails.
    ///
    /// # Cancellation
    /// Dropping the future must stop the work.
    async fn run(
        &self,
        cx: &ToolContext,
        input: Self::Input,
        limits: &TextLimit,
    ) -> Result<Self::Output, ToolError>;

    /// Returns the output as text for the model. The default is a string verbatim and any other output as JSON.
    #[must_use]
    fn render(output: &Self::Output) -> String {
        text_of(output)
    }
}
