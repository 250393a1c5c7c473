//! `{name, input, output?, error?}`.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::text::{failure, given};
use crate::ToolResult;

/// A result as `{name, input, output?, error?}`.
///
/// `input` is the arguments as executed, null when they could not be read. `output` is the data of the result, or its
/// text where there is no data; a failure has an output only where data was reached before it. `error` is a text.
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
        match &result.data {
            Some(data) => members.serialize_entry("output", data)?,
            None if result.error.is_none() => members.serialize_entry("output", &given(result))?,
            None => {}
        }
        if let Some(error) = failure(result) {
            members.serialize_entry("error", error)?;
        }
        members.end()
    }
}
