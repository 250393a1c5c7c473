//! `{name, input, output?, error?}`.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tool_core::ToolResult;

use crate::toolsets::document::{error_text, output};

/// Result as `{name, input, output?, error?}`.
///
/// `input` contains the arguments, or null if they could not be parsed. `output` is the
/// JSON for the model if it renders the data; otherwise the data, or the text if there is no data.
/// A failure has an `output` only if it has partial data. `error` is a string.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tools_builtin::toolsets::RepoExplorerResult;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let result = Registry::new().execute("read_file", json!({"path": "a.txt"})).await;
///
/// assert_eq!(
///     json!(RepoExplorerResult(&result)),
///     json!({"name": "read_file", "input": {"path": "a.txt"}, "error": "No tool is named `read_file`. There are no tools."})
/// );
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RepoExplorerResult<'r>(pub &'r ToolResult);

impl Serialize for RepoExplorerResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = self.0;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("name", &result.name)?;
        members.serialize_entry("input", &result.metadata.parameters)?;
        match (&result.data, rendered_json(result)) {
            (Some(_), Some(json)) => members.serialize_entry("output", &json)?,
            (Some(data), None) => members.serialize_entry("output", data)?,
            (None, _) if result.error.is_none() => {
                members.serialize_entry("output", &output(result).join("\n"))?;
            }
            (None, _) => {}
        }
        if let Some(error) = error_text(result) {
            members.serialize_entry("error", error)?;
        }
        members.end()
    }
}

/// Returns the text of a success if it is a JSON object or array, unless the data contains the text
/// itself, such as the content of a file.
fn rendered_json(result: &ToolResult) -> Option<Value> {
    let [block] = result.content.as_slice() else {
        return None;
    };
    let text = block.as_text().filter(|_| result.error.is_none())?.trim();
    let is_text = |value: &Value| value.as_str().is_some_and(|value| value.trim() == text);
    let is_in_data = match result.data.as_ref()? {
        Value::Object(members) => members.values().any(is_text),
        value => is_text(value),
    };
    if is_in_data || !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}
