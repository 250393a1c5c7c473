//! A tool from a closure, and the conversion between Rust types and definitions and outputs.

use std::marker::PhantomData;

use serde_json::Value;

use super::{ToolData, ToolInput};
use crate::{
    Arguments, CallPlan, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput,
};

/// Creates a tool from a closure.
///
/// The closure takes the context by value, which is a cheap clone. It may be called concurrently, so clone
/// captured values before the `async move` block.
///
/// The risk is [`RiskLevel::SafeWrite`] unless [`FunctionTool::define`] changes it.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use tool_core::{Tool, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     /// How much to add.
///     by: u64,
/// }
///
/// let total = Arc::new(AtomicU64::new(0));
/// let count = tool_fn("count", "Adds to the total.", move |_cx, input: Input| {
///     let total = Arc::clone(&total);
///     async move { Ok(total.fetch_add(input.by, Ordering::Relaxed) + input.by) }
/// });
/// assert_eq!(count.definition().name(), "count");
/// ```
pub fn tool_fn<F, I, Fut, O>(name: &str, description: &str, function: F) -> FunctionTool<F, I>
where
    F: Fn(ToolContext, I) -> Fut + Send + Sync,
    Fut: Future<Output = Result<O, ToolError>> + Send,
    I: ToolInput,
    O: ToolReturn,
{
    FunctionTool {
        function,
        definition: O::define::<I>(name, description),
        input: PhantomData,
    }
}

/// A tool made of a closure by [`tool_fn`].
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::{RiskLevel, Tool, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct NoInput {}
///
/// let ping = tool_fn("ping", "Answers.", |_, _: NoInput| async { Ok("pong") })
///     .risk(RiskLevel::ReadOnly)
///     .define(|definition| definition.with_timeout(Duration::from_secs(1)));
/// assert!(ping.definition().hints().read_only);
/// ```
pub struct FunctionTool<F, I> {
    function: F,
    definition: ToolDefinition,
    input: PhantomData<fn(I)>,
}

impl<F, I> FunctionTool<F, I> {
    /// Changes the definition: risk, title, timeout, hints, examples.
    #[must_use]
    pub fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        self.definition = change(self.definition);
        self
    }

    /// Sets the risk.
    #[must_use]
    pub fn risk(self, risk: RiskLevel) -> Self {
        self.define(|definition| definition.with_risk(risk))
    }
}

impl<F, I, Fut, O> Tool for FunctionTool<F, I>
where
    F: Fn(ToolContext, I) -> Fut + Send + Sync,
    Fut: Future<Output = Result<O, ToolError>> + Send,
    I: ToolInput,
    O: ToolReturn,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let input = I::from_arguments(arguments)?;
        let plan = CallPlan::of(self.definition.risk());
        let run = async move {
            let output = (self.function)(cx.clone(), input).await?;
            output.into_output()
        };
        Ok(PreparedCall::new(plan, run).quick())
    }
}

debug_fields!([F, I] FunctionTool<F, I>, this => definition: this.definition);

/// A value that a function returns as its output: data, or a [`ToolOutput`] with text, images or resources.
///
/// # Examples
/// ```
/// use tool_core::{Registry, ToolContext, ToolOutput, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct NoInput {}
///
/// let photo = tool_fn("photo", "Takes a photo.", |_, _: NoInput| async {
///     Ok(ToolOutput::text("a cat"))
/// });
/// # Registry::of(photo)?;
/// # Ok::<_, tool_core::RegisterError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "a tool cannot return this",
    note = "derive both for `{Self}`: `#[derive(serde::Serialize, schemars::JsonSchema)]` of schemars 1, or write `#[data]`, or return a `ToolOutput`"
)]
pub trait ToolReturn {
    /// Creates the definition of a tool with this output. Data has an output schema, a [`ToolOutput`] has none.
    #[doc(hidden)]
    fn define<I: ToolInput>(name: &str, description: &str) -> ToolDefinition;

    /// Converts the value.
    ///
    /// # Errors
    /// Returns [`ToolError`] if the value is not JSON, such as a map whose keys are not text.
    fn into_output(self) -> Result<ToolOutput, ToolError>;
}

impl<T: ToolData> ToolReturn for T {
    fn define<I: ToolInput>(name: &str, description: &str) -> ToolDefinition {
        definition_of::<I, T>(name, description)
    }

    #[expect(
        clippy::inline_always,
        reason = "an output is large, and a separate function would move it twice"
    )]
    #[inline(always)]
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        output_of(&self, None)
    }
}

impl ToolReturn for ToolOutput {
    fn define<I: ToolInput>(name: &str, description: &str) -> ToolDefinition {
        I::tool_definition(name, description)
    }

    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}

pub(crate) fn definition_of<I: ToolInput, O: ToolData>(
    name: &str,
    description: &str,
) -> ToolDefinition {
    let definition = I::tool_definition(name, description);
    // Providers and the Model Context Protocol support output schemas of objects only.
    match object_schema(O::output_schema()) {
        Some(output) => definition.with_output_schema(output),
        None => definition,
    }
}

/// Returns the schema with its type if it allows objects only.
fn object_schema(mut schema: Value) -> Option<Value> {
    let is_object = |schema: &Value| schema.get("type").is_some_and(|name| name == "object");
    if is_object(&schema) {
        return Some(schema);
    }
    let keywords = schema.as_object_mut()?;
    // The schema of an enum has no `type`, but those of its variants have.
    let choices = keywords.get("oneOf").or_else(|| keywords.get("anyOf"))?;
    if !choices.as_array()?.iter().all(is_object) {
        return None;
    }
    keywords.insert("type".into(), "object".into());
    Some(schema)
}

/// Converts an output. `rendered` is the text for the model, if the tool has its own.
#[expect(
    clippy::inline_always,
    reason = "an output is large, and a separate function would move it twice"
)]
#[inline(always)]
pub(crate) fn output_of<O: ToolData>(
    output: &O,
    rendered: Option<String>,
) -> Result<ToolOutput, ToolError> {
    let data = match output.to_data() {
        Ok(data) => data,
        Err(error) => return Err(not_json(error)),
    };
    let text = rendered.unwrap_or_else(|| text_of_data::<O>(&data));
    Ok(ToolOutput::of(text, (!data.is_null()).then_some(data)))
}

/// Returns an output as text: a string verbatim, "done" for `()`, "no result" for `None`, any other output as JSON.
pub(super) fn text_of<O: ToolData>(output: &O) -> String {
    // A value that is not JSON is reported when its data are converted.
    text_of_data::<O>(&output.to_data().unwrap_or_default())
}

#[inline]
fn text_of_data<O>(data: &Value) -> String {
    if !data.is_null() {
        return ToolOutput::text_of(data);
    }
    // `()` says that the work is done. `None` says that there was nothing to find, which a model must not take for success.
    let text = if size_of::<O>() == 0 {
        "done"
    } else {
        "no result"
    };
    text.to_owned()
}

#[cold]
fn not_json(error: serde_json::Error) -> ToolError {
    ToolError::failed("The tool's output is not JSON").caused_by(error)
}
