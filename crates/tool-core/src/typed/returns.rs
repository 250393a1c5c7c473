//! What a function that is a tool may return.

use schemars::JsonSchema;

use super::ToolData;
use super::function::{definition_of, output_of};
use crate::{ToolDefinition, ToolError, ToolOutput};

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
    note = "derive both for `{Self}`: `#[derive(serde::Serialize, schemars::JsonSchema)]` of schemars 1, or return a `ToolOutput`"
)]
pub trait ToolReturn {
    /// Creates the definition of a tool with this output. Data has an output schema, a [`ToolOutput`] has none.
    #[doc(hidden)]
    fn define<I: JsonSchema>(name: &str, description: &str) -> ToolDefinition;

    /// Converts the value.
    ///
    /// # Errors
    /// Returns [`ToolError`] if the value is not JSON, such as a map whose keys are not text.
    fn into_output(self) -> Result<ToolOutput, ToolError>;
}

impl<T: ToolData> ToolReturn for T {
    fn define<I: JsonSchema>(name: &str, description: &str) -> ToolDefinition {
        definition_of::<I, T>(name, description)
    }

    #[inline]
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        output_of(&self, None)
    }
}

impl ToolReturn for ToolOutput {
    fn define<I: JsonSchema>(name: &str, description: &str) -> ToolDefinition {
        ToolDefinition::of::<I>(name, description)
    }

    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}
