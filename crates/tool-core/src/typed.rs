//! Tools from Rust types and from closures.

mod bounds;
mod function;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use bounds::{ToolData, ToolInput};
pub use function::{FunctionTool, tool_fn};

use crate::approval::{Assessment, Preview};
use crate::schema::{output_schema_of, schema_of};
use crate::{Arguments, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

/// A tool with a struct in and a struct out. [`Typed::new`] makes a [`Tool`] of it.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use tool_core::{Registry, RiskLevel, ToolContext, ToolError, Typed, TypedTool};
///
/// struct Divide;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Input {
///     /// The number to divide.
///     number: f64,
///     /// What to divide by.
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
///     fn name(&self) -> &str {
///         "divide"
///     }
///     fn description(&self) -> &str {
///         "Divides one number by another."
///     }
///     fn risk(&self) -> RiskLevel {
///         RiskLevel::ReadOnly
///     }
///     fn check(&self, _cx: &ToolContext, input: &Input) -> Result<(), ToolError> {
///         if input.by == 0.0 {
///             return Err(ToolError::invalid_arguments("by", "is zero").suggest("Use another number."));
///         }
///         Ok(())
///     }
///     async fn run(&self, _cx: &ToolContext, input: Input) -> Result<Output, ToolError> {
///         Ok(Output { quotient: input.number / input.by })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let registry = Registry::of(Typed::new(Divide))?;
/// let result = registry.execute_text("divide", r#"{"number": 1, "by": 0}"#).await;
/// assert_eq!(result.to_string(), "Error: `by` is zero. Use another number.");
/// # Ok(()) }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a typed tool",
    note = "implement `TypedTool` for `{Self}`, or make a tool of a closure with `tool_fn`"
)]
pub trait TypedTool: Send + Sync + 'static {
    /// What it takes. The doc comment of each field is what the model reads.
    type Input: ToolInput + Sync + 'static;
    /// What it gives, as data.
    type Output: ToolData + Send;

    /// The name that the model uses.
    fn name(&self) -> &str;

    /// What the tool does, for the model.
    fn description(&self) -> &str;

    /// The risk of a call; [`RiskLevel::SafeWrite`] unless said otherwise.
    fn risk(&self) -> RiskLevel {
        RiskLevel::SafeWrite
    }

    /// Checks what no schema can say, before anybody is asked to approve.
    ///
    /// # Errors
    /// [`ToolError::invalid_arguments`] names the parameter and says what would be right.
    fn check(&self, cx: &ToolContext, input: &Self::Input) -> Result<(), ToolError> {
        let _ = (cx, input);
        Ok(())
    }

    /// The risk of a call with this input.
    fn risk_of(&self, input: &Self::Input) -> RiskLevel {
        let _ = input;
        self.risk()
    }

    /// What a call with this input amounts to, for the policy; see [`Tool::assess`]. Parts name parameters as the input's
    /// fields are.
    ///
    /// # Errors
    /// What is not to be run whoever approves.
    fn assess(&self, input: &Self::Input) -> Result<Assessment, ToolError> {
        let _ = input;
        Ok(Assessment::default())
    }

    /// For [`Concurrency::PerKey`](crate::Concurrency::PerKey): calls with the same key run one after the other.
    fn key_of(&self, input: &Self::Input) -> Option<String> {
        let _ = input;
        None
    }

    /// What a call with this input would change, shown to the person who must approve; see [`Tool::preview`].
    async fn preview(&self, cx: &ToolContext, input: Self::Input) -> Option<Preview> {
        let _ = (cx, input);
        None
    }

    /// Runs once.
    ///
    /// # Errors
    /// Everything that goes wrong in the tool's own work.
    ///
    /// # Cancellation
    /// Dropping the future stops the work.
    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError>;

    /// The output as the model reads it; a string as it is and anything else as JSON unless said otherwise.
    #[must_use]
    fn render(output: &Self::Output) -> Option<String> {
        let _ = output;
        None
    }
}

/// A [`TypedTool`] as a [`Tool`].
///
/// # Examples
/// See [`TypedTool`].
#[derive(Debug)]
pub struct Typed<T> {
    tool: T,
    definition: ToolDefinition,
}

impl<T: TypedTool> Typed<T> {
    /// Derives the definition from the types.
    #[must_use]
    pub fn new(tool: T) -> Self {
        let definition = definition_of::<T::Input, T::Output>(tool.name(), tool.description())
            .with_risk(tool.risk());
        Self { tool, definition }
    }

    /// Changes the definition: title, timeout, concurrency, hints, examples.
    #[must_use]
    pub fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        self.definition = change(self.definition);
        self
    }
}

#[async_trait]
impl<T: TypedTool> Tool for Typed<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        arguments.look_at(Arguments::deserialize, |input| self.tool.check(cx, input))?
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        arguments
            .look_at(Arguments::deserialize, |input| self.tool.risk_of(input))
            .unwrap_or(RiskLevel::Dangerous)
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        arguments.look_at(Arguments::deserialize, |input| self.tool.assess(input))?
    }

    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        arguments
            .look_at(Arguments::deserialize, |input| self.tool.key_of(input))
            .ok()?
    }

    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        let input = arguments.input(Arguments::deserialize).ok()?;
        self.tool.preview(cx, input).await
    }

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let input = arguments.input(Arguments::deserialize)?;
        let output = self.tool.run(cx, input).await?;
        output_of(&output, T::render(&output))
    }
}

pub(crate) fn definition_of<I: JsonSchema, O: JsonSchema>(
    name: &str,
    description: &str,
) -> ToolDefinition {
    let mut input = schema_of::<I>();
    // Arguments are objects, and providers want to be told so where a choice between types does not say it.
    if let Some(keywords) = input.as_object_mut() {
        keywords.entry("type").or_insert_with(|| "object".into());
    }
    let definition = ToolDefinition::new(name, description, input).with_derived_schema();
    // Providers and the Model Context Protocol know output schemas of objects only.
    match object_schema(output_schema_of::<O>()) {
        Some(output) => definition.with_output_schema(output),
        None => definition,
    }
}

/// The schema with its type, where all that it takes are objects.
fn object_schema(mut schema: Value) -> Option<Value> {
    let is_object = |schema: &Value| schema.get("type").is_some_and(|name| name == "object");
    if is_object(&schema) {
        return Some(schema);
    }
    let keywords = schema.as_object_mut()?;
    let choices = keywords.get("oneOf").or_else(|| keywords.get("anyOf"))?;
    if !choices.as_array()?.iter().all(is_object) {
        return None;
    }
    keywords.insert("type".into(), "object".into());
    Some(schema)
}

#[expect(
    clippy::inline_always,
    reason = "an output is large: as a function of its own this would move it twice"
)]
#[inline(always)]
pub(crate) fn output_of<O: Serialize>(
    output: &O,
    rendered: Option<String>,
) -> Result<ToolOutput, ToolError> {
    let data = match serde_json::to_value(output) {
        Ok(data) => data,
        Err(error) => return Err(not_json(error)),
    };
    let (text, data) = match rendered {
        Some(text) => (text, Some(data)),
        None if data.is_null() => ("done".to_owned(), None),
        None => (ToolOutput::text_of(&data), Some(data)),
    };
    Ok(ToolOutput::of(text, data))
}

#[cold]
fn not_json(error: serde_json::Error) -> ToolError {
    ToolError::failed("The tool's output is not JSON").caused_by(error)
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
