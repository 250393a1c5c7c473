//! Definitions and outputs from Rust types.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::schema::output_schema_of;
use crate::{ToolDefinition, ToolError, ToolOutput};

pub(crate) fn definition_of<I: JsonSchema, O: JsonSchema>(
    name: &str,
    description: &str,
) -> ToolDefinition {
    let definition = ToolDefinition::of::<I>(name, description);
    // Providers and the Model Context Protocol support output schemas of objects only.
    match object_schema(output_schema_of::<O>()) {
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
pub(crate) fn output_of<O: Serialize>(
    output: &O,
    rendered: Option<String>,
) -> Result<ToolOutput, ToolError> {
    let data = match serde_json::to_value(output) {
        Ok(data) => data,
        Err(error) => return Err(not_json(error)),
    };
    let text = rendered.unwrap_or_else(|| text_of_data(&data));
    Ok(ToolOutput::of(text, (!data.is_null()).then_some(data)))
}

/// Returns an output as text: a string verbatim, "done" for nothing, any other output as JSON.
pub(super) fn text_of<O: Serialize>(output: &O) -> String {
    // A value that is not JSON is reported when its data are converted.
    text_of_data(&serde_json::to_value(output).unwrap_or_default())
}

#[inline]
fn text_of_data(data: &Value) -> String {
    if data.is_null() {
        return "done".to_owned();
    }
    ToolOutput::text_of(data)
}

#[cold]
fn not_json(error: serde_json::Error) -> ToolError {
    ToolError::failed("The tool's output is not JSON").caused_by(error)
}
