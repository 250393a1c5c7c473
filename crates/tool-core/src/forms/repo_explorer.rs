//! `{name, input, output?, error?}`.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::text::{failure, given};
use crate::ToolResult;

/// A result as `{name, input, output?, error?}`.
///
/// `input` is the arguments as executed, null when they could not be read. `output` is the JSON that the model reads where
/// that is a rendering of the data, else the data, or the text where there is no data; a failure has an output only where
/// data was reached before it. `error` is a text.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, forms::RepoExplorerResult};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let result = Registry::new().execute("read_file", json!({"path": "a.txt"})).await;
///
/// assert_eq!(
///     json!(RepoExplorerResult(&result)),
///     json!({"name": "read_file", "input": null, "error": "No tool is named `read_file`. There are no tools."})
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
        match (&result.data, said_as_json(result)) {
            (Some(_), Some(said)) => members.serialize_entry("output", &said)?,
            (Some(data), None) => members.serialize_entry("output", data)?,
            (None, _) if result.error.is_none() => {
                members.serialize_entry("output", &given(result))?;
            }
            (None, _) => {}
        }
        if let Some(error) = failure(result) {
            members.serialize_entry("error", error)?;
        }
        members.end()
    }
}

/// What a success says, where that is an object or a list and not a text that the data holds, such as that of a file.
fn said_as_json(result: &ToolResult) -> Option<Value> {
    let [block] = result.content.as_slice() else {
        return None;
    };
    let text = block.as_text().filter(|_| result.error.is_none())?.trim();
    let data = result.data.as_ref()?;
    let is_held = match data {
        Value::Object(members) => members.values().any(|value| is_text(value, text)),
        value => is_text(value, text),
    };
    if is_held || !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

fn is_text(value: &Value, text: &str) -> bool {
    value.as_str().is_some_and(|held| held.trim() == text)
}
