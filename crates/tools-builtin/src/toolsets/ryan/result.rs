//! `{success, content, data?, error?, metadata}`.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tool_core::{ErrorCode, ExecutedArguments, Timestamp, ToolResult};

use crate::toolsets::result_text::{error_text, output};

/// Result as `{success, content, data?, error?, metadata}`, with
/// `metadata: {execution_time, start_time, end_time, tool_name, parameters}`.
///
/// `execution_time` is in whole nanoseconds, times are RFC 3339. `content` is the tool's output,
/// which may be empty for a failure; `error` is a string. `data` is included only if it is an
/// object with members, because readers of this form expect a map; other data is in `content`.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tools_builtin::toolsets::RyanResult;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let result = Registry::new().execute("nonexistent", json!({})).await;
///
/// let form = json!(RyanResult(&result));
/// assert_eq!(form["success"], false);
/// assert_eq!(form["error"], "tool not found: No tool is named `nonexistent`. There are no tools.");
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RyanResult<'r>(pub &'r ToolResult);

impl Serialize for RyanResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = self.0;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("success", &result.success)?;
        members.serialize_entry("content", &output(result))?;
        if let Some(Value::Object(data)) = &result.data
            && !data.is_empty()
        {
            members.serialize_entry("data", data)?;
        }
        if let Some(error) = prefixed_error(result) {
            members.serialize_entry("error", &error)?;
        }
        let metadata = &result.metadata;
        let metadata = Metadata {
            // Readers expect a signed 64-bit number.
            execution_time: i64::try_from(metadata.execution_time.as_nanos()).unwrap_or(i64::MAX),
            start_time: metadata.start_time,
            end_time: metadata.end_time,
            tool_name: &metadata.tool_name,
            parameters: &metadata.parameters,
        };
        members.serialize_entry("metadata", &metadata)?;
        members.end()
    }
}

/// Returns the error text. Readers recognize an unknown tool by a prefix.
fn prefixed_error(result: &ToolResult) -> Option<String> {
    let text = error_text(result)?;
    let is_unknown = result.error.as_ref()?.code == ErrorCode::ToolNotFound;
    let prefix = if is_unknown { "tool not found: " } else { "" };
    Some(format!("{prefix}{text}"))
}

#[derive(Serialize)]
struct Metadata<'r> {
    execution_time: i64,
    start_time: Timestamp,
    end_time: Timestamp,
    tool_name: &'r str,
    parameters: &'r ExecutedArguments,
}
