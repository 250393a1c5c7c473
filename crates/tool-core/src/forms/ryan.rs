//! `{success, content, data?, error?, metadata}`.

use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::text::{failure, given};
use crate::{ErrorCode, Parameters, Timestamp, ToolResult};

/// A result as `{success, content, data?, error?, metadata}`, with
/// `metadata: {execution_time, start_time, end_time, tool_name, parameters}`.
///
/// `execution_time` is a whole number of nanoseconds, times are RFC 3339. `content` is what the tool gave, and empty
/// where a failure gave nothing; `error` is a text. `data` is there where it is an object with members, as readers of
/// this form expect a map; other data is in `content`.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, forms::RyanResult};
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
        members.serialize_entry("content", &given(result))?;
        if let Some(Value::Object(data)) = &result.data
            && !data.is_empty()
        {
            members.serialize_entry("data", data)?;
        }
        if let Some(error) = error_text(result) {
            members.serialize_entry("error", &error)?;
        }
        members.serialize_entry("metadata", &Metadata::of(result))?;
        members.end()
    }
}

/// Readers of this form know an unknown tool by these three words.
fn error_text(result: &ToolResult) -> Option<String> {
    let text = failure(result)?;
    let is_unknown = result.error.as_ref()?.code == ErrorCode::ToolNotFound;
    let words = if is_unknown { "tool not found: " } else { "" };
    Some(format!("{words}{text}"))
}

#[derive(Serialize)]
struct Metadata<'r> {
    #[serde(serialize_with = "nanoseconds")]
    execution_time: Duration,
    start_time: Timestamp,
    end_time: Timestamp,
    tool_name: &'r str,
    parameters: &'r Parameters,
}

impl<'r> Metadata<'r> {
    fn of(result: &'r ToolResult) -> Self {
        let metadata = &result.metadata;
        Self {
            execution_time: metadata.execution_time,
            start_time: metadata.start_time,
            end_time: metadata.end_time,
            tool_name: &metadata.tool_name,
            parameters: &metadata.parameters,
        }
    }
}

/// Readers hold a duration in 64 bits with a sign.
fn nanoseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    let nanoseconds = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    serializer.serialize_i64(nanoseconds)
}
