//! Tools from Rust types and from closures.

mod function;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::function::{definition_of, text_of};
use crate::approval::Preview;
use crate::ledger::Verified;
use crate::schema::derive::output_schema_of;
use crate::tool::LazyInspect;
use crate::{
    Arguments, CallFuture, CallPlan, Hints, PreparedCall, RiskLevel, Tool, ToolContext,
    ToolDefinition, ToolError,
};

pub(crate) use function::output_of;
pub use function::{FunctionTool, ToolReturn, tool_fn};

/// A [`TypedTool`] with a name and a description.
///
/// # Examples
/// See [`TypedTool`].
pub struct Typed<T> {
    tool: Arc<T>,
    definition: ToolDefinition,
    /// Replacement of the tool's risk.
    risk: Option<RiskLevel>,
}

impl<T: TypedTool> Typed<T> {
    /// Creates a tool with a name and a description for the model, and derives its schemas from the types.
    pub fn new(name: &str, description: &str, tool: T) -> Self {
        Self::shared(name, description, Arc::new(tool))
    }

    /// Creates a tool like [`new`](Self::new) from one that others use, too.
    pub fn shared(name: &str, description: &str, tool: Arc<T>) -> Self {
        let mut definition =
            definition_of::<T::Input, T::Output>(name, description).with_risk(T::RISK);
        for (alias, parameter) in T::ALIASES {
            definition = definition.with_alias(*alias, *parameter);
        }
        // Unset hints follow a later change of the risk.
        if tool.hints() != Hints::of(T::RISK) {
            definition = definition.with_hints(tool.hints());
        }
        if let Some(timeout) = tool.timeout() {
            definition = definition.with_timeout(timeout);
        }
        Self {
            tool,
            definition,
            risk: None,
        }
    }

    /// Changes the definition: title, timeout, hints, examples.
    #[must_use]
    pub fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        self.definition = change(self.definition);
        self
    }

    /// Sets the risk, which replaces [`TypedTool::RISK`]. A call for which
    /// [`TypedTool::plan`] returns another risk has the higher one.
    #[must_use]
    pub fn risk(mut self, risk: RiskLevel) -> Self {
        self.risk = Some(risk);
        self.define(|definition| definition.with_risk(risk))
    }

    /// Returns the risk of a call whose tool plans `own`.
    fn risk_of(&self, own: RiskLevel) -> RiskLevel {
        match self.risk {
            None => own,
            // The host replaces the usual risk. A call that is riskier than usual stays so.
            Some(risk) if own == T::RISK => risk,
            Some(risk) => own.max(risk),
        }
    }
}

#[async_trait]
impl<T: TypedTool> Tool for Typed<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let input = T::Input::from_arguments(arguments)?;
        let mut plan = self.tool.plan(cx, &input)?;
        plan.risk = self.risk_of(plan.risk);
        let run = async move {
            let output = self.tool.run(cx, input).await?;
            output_of(&output, Some(T::render(&output)))
        };
        Ok(PreparedCall::new(plan, run).inspect_by(self, cx, arguments))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        match T::Input::from_arguments(arguments) {
            Ok(input) => self.tool.verify(cx, input).await,
            Err(_) => Verified::Unknown,
        }
    }
}

impl<T: TypedTool> LazyInspect for Typed<T> {
    // Reads the input again, because the run owns it. That costs less than a person who decides.
    fn inspect<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> CallFuture<'a, Option<Preview>> {
        Box::pin(async move {
            let input = T::Input::from_arguments(arguments)?;
            self.tool.inspect(cx, &input).await
        })
    }
}

debug_fields!([T] Typed<T>, this => definition: this.definition);

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
    /// Looks at the input only: see [`Tool::prepare`]. Parts of the findings refer to parameters by
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

    /// Determines whether a call whose outcome is unknown took effect, like [`Tool::verify`]. Not called
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
    fn render(output: &Self::Output) -> String {
        text_of(output)
    }
}

/// Input type of a tool, which is read from JSON and described by a schema.
///
/// Implemented for every type with the two derives.
///
/// # Examples
/// ```
/// use tool_core::ToolInput;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     /// The text to count.
///     text: String,
/// }
///
/// fn takes<I: ToolInput>() {}
/// takes::<Input>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a tool",
    label = "a tool cannot take this",
    note = "derive both for `{Self}`: `#[derive(serde::Deserialize, schemars::JsonSchema)]` of schemars 1, or write `#[data]`",
    note = "it must own what it holds (`String`, not `&str`), and be `Send`"
)]
// Not `ToolInput: DeserializeOwned + JsonSchema`: the compiler would check both for `TypedTool::Input`, and report each of
// them instead of this trait.
pub trait ToolInput: Send + Sized {
    /// Creates the definition of a tool with this input.
    #[doc(hidden)]
    fn tool_definition(name: &str, description: &str) -> ToolDefinition;

    /// Reads the input.
    ///
    /// # Errors
    /// Returns an error if the type is narrower than its schema.
    #[doc(hidden)]
    fn from_arguments(arguments: &Arguments<'_>) -> Result<Self, ToolError>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send> ToolInput for T {
    fn tool_definition(name: &str, description: &str) -> ToolDefinition {
        ToolDefinition::of::<T>(name, description)
    }

    #[inline]
    fn from_arguments(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        arguments.deserialize()
    }
}

/// Output type of a tool, which is written as JSON and described by a schema.
///
/// Implemented for every type with the two derives.
///
/// # Examples
/// ```
/// use tool_core::ToolData;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Output {
///     words: usize,
/// }
///
/// fn gives<O: ToolData>() {}
/// gives::<Output>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "a tool cannot give this",
    note = "derive both for `{Self}`: `#[derive(serde::Serialize, schemars::JsonSchema)]` of schemars 1, or write `#[data]`"
)]
pub trait ToolData: Sized {
    /// Returns the schema of the output.
    #[doc(hidden)]
    fn output_schema() -> Value;

    /// Returns the output as data.
    ///
    /// # Errors
    /// Returns an error if the value is not JSON.
    #[doc(hidden)]
    fn to_data(&self) -> serde_json::Result<Value>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> ToolData for T {
    fn output_schema() -> Value {
        output_schema_of::<T>()
    }

    #[inline]
    fn to_data(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
