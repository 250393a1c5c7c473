//! The trait of tools with typed input and output.

use std::time::Duration;

use super::conversion::text_of;
use super::{ToolData, ToolInput};
use crate::approval::Preview;
use crate::ledger::Verified;
use crate::{CallPlan, Hints, RiskLevel, ToolContext, ToolError};

/// A capability with typed input and output, and without a name.
///
/// [`Typed::new`](crate::Typed::new) gives it a name and a description. Parameters in errors, suggestions and warnings have
/// the names of the input's fields.
///
/// # Examples
/// ```
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use tool_core::{CallPlan, Registry, RiskLevel, ToolContext, ToolError, Typed, TypedTool};
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
/// impl TypedTool for Divide {
///     type Input = Input;
///     type Output = Output;
///
///     const RISK: RiskLevel = RiskLevel::ReadOnly;
///
///     fn plan(&self, _cx: &ToolContext, input: &Input) -> Result<CallPlan, ToolError> {
///         if input.by == 0.0 {
///             return Err(ToolError::invalid_arguments("by", "is zero").suggest("Use another number."));
///         }
///         Ok(CallPlan::of(Self::RISK))
///     }
///
///     async fn run(&self, _cx: &ToolContext, input: Input) -> Result<Output, ToolError> {
///         Ok(Output { quotient: input.number / input.by })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let registry = Registry::of(Typed::new("divide", "Divides one number by another.", Divide))?;
/// let result = registry.execute("divide", r#"{"number": 1, "by": 0}"#).await;
/// assert_eq!(result.to_string(), "Error: `by` is zero. Use another number.");
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a typed tool",
    note = "implement `TypedTool` for `{Self}`, or create a tool from a closure with `tool_fn`"
)]
pub trait TypedTool: Send + Sync + 'static {
    /// Type of the arguments. The doc comment of a field is the description of the parameter.
    type Input: ToolInput + Sync + 'static;
    /// Type of the output, which is data.
    type Output: ToolData + Send + 'static;

    /// Risk of a call.
    const RISK: RiskLevel;

    /// Other names that models use for the parameters: each one with its parameter. They are accepted, but not shown.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// Returns the properties that a host may assume. The default follows from the risk.
    fn hints(&self) -> Hints {
        Hints::of(Self::RISK)
    }

    /// Returns the timeout of a call, which replaces the registry's. The default is `None`.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// Says what a call with this input would do. The default has the risk [`RISK`](Self::RISK), no findings, and touches
    /// nothing.
    ///
    /// Looks at the input only: see [`Tool::prepare`](crate::Tool::prepare). Parts of the findings refer to parameters by
    /// the names of the input's fields.
    ///
    /// # Errors
    /// Returns [`ToolError::invalid_arguments`] with the parameter and the remedy if the input violates a constraint that a
    /// schema cannot express, or another error if the call must not run even if it is approved.
    fn plan(&self, cx: &ToolContext, input: &Self::Input) -> Result<CallPlan, ToolError> {
        let _ = (cx, input);
        Ok(CallPlan::of(Self::RISK))
    }

    /// Looks before approval, for example at the disk, and returns a preview of the changes for the approver. Must not
    /// change anything. Called only if the call requires approval; see [`PreparedCall::inspect`](crate::PreparedCall::inspect).
    ///
    /// # Errors
    /// Returns the error of a call that cannot work, so that nobody is asked about it.
    fn inspect(
        &self,
        cx: &ToolContext,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Option<Preview>, ToolError>> + Send {
        let _ = (cx, input);
        std::future::ready(Ok(None))
    }

    /// Determines whether a call whose outcome is unknown took effect, like [`Tool::verify`](crate::Tool::verify). Not called
    /// if the stored arguments do not match the input, such as after an update.
    fn verify(
        &self,
        cx: &ToolContext,
        input: Self::Input,
    ) -> impl Future<Output = Verified> + Send {
        let _ = (cx, input);
        std::future::ready(Verified::Unknown)
    }

    /// Runs the tool once. Calls whose plans touch different things run concurrently.
    ///
    /// # Errors
    /// Returns [`ToolError`] if the tool fails.
    ///
    /// # Cancellation
    /// Dropping the future must stop the work.
    fn run(
        &self,
        cx: &ToolContext,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;

    /// Returns the output as text for the model. The default is a string verbatim and any other output as JSON.
    #[must_use]
    fn render(output: &Self::Output) -> String {
        text_of(output)
    }
}
