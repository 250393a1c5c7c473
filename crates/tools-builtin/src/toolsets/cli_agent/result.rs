//! `{tool?, success, output, files_affected, execution_time_ms, metadata?, error?}`.

use std::collections::BTreeMap;
use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tool_core::ToolResult;

use crate::toolsets::result_text::{TextBlocks, Warning};

/// Result as `{success, output, files_affected, execution_time_ms, metadata?, error?}`.
///
/// `output` is the text for the model, followed by each warning on a separate line.
/// `execution_time_ms` is in whole milliseconds. `metadata` contains the tool's metadata without
/// the file digests, the sandbox and its grants, which are for the host; it is omitted if empty. A failure has
/// `error: {code, message, suggestion}`.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tools_builtin::toolsets::CliAgentResult;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let result = Registry::new().execute("read_file", json!({})).await;
///
/// assert_eq!(
///     json!(CliAgentResult::of(&result).with_tool()),
///     json!({
///         "tool": "read_file",
///         "success": false,
///         "output": "Error: No tool is named `read_file`. There are no tools.",
///         "files_affected": [],
///         "execution_time_ms": 0,
///         "error": {
///             "code": "tool_not_found",
///             "message": "No tool is named `read_file`.",
///             "suggestion": "There are no tools.",
///         },
///     })
/// );
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CliAgentResult<'r> {
    result: &'r ToolResult,
    has_tool: bool,
}

impl<'r> CliAgentResult<'r> {
    /// Creates the form of `result`.
    #[must_use]
    pub fn of(result: &'r ToolResult) -> Self {
        Self {
            result,
            has_tool: false,
        }
    }

    /// Adds the tool's name as the first member, `tool`.
    #[must_use]
    pub fn with_tool(mut self) -> Self {
        self.has_tool = true;
        self
    }
}

impl Serialize for CliAgentResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = self.result;
        let metadata = &result.metadata;
        let milliseconds = u64::try_from(metadata.execution_time.as_millis()).unwrap_or(u64::MAX);
        let mut members = serializer.serialize_map(None)?;
        if self.has_tool {
            members.serialize_entry("tool", &result.name)?;
        }
        members.serialize_entry("success", &result.success)?;
        members.serialize_entry("output", &Output(result))?;
        members.serialize_entry("files_affected", &result.files_affected)?;
        members.serialize_entry("execution_time_ms", &milliseconds)?;
        let tool_metadata = ToolMetadata(&metadata.extra);
        if tool_metadata.iter().next().is_some() {
            members.serialize_entry("metadata", &tool_metadata)?;
        }
        if let Some(error) = &result.error {
            let failure = Failure {
                code: error.code.as_str(),
                message: &error.message,
                suggestion: error.suggestion.as_deref(),
            };
            members.serialize_entry("error", &failure)?;
        }
        members.end()
    }
}

/// Entries of the metadata that the source document does not have.
const OWN: [&str; 4] = ["file_digests", "grants", "process_tree", "sandbox"];

/// Metadata of the tool, without entries that only the host needs.
struct ToolMetadata<'r>(&'r BTreeMap<String, Value>);

impl<'r> ToolMetadata<'r> {
    fn iter(&self) -> impl Iterator<Item = (&'r String, &'r Value)> {
        self.0
            .iter()
            .filter(|(key, _)| !OWN.contains(&key.as_str()))
    }
}

impl Serialize for ToolMetadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Content, followed by the warnings.
struct Output<'r>(&'r ToolResult);

impl fmt::Display for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = TextBlocks(&self.0.content);
        write!(f, "{text}")?;
        let last = text.iter().last().unwrap_or_default();
        let mut separator = if last.is_empty() || last.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        for warning in &self.0.warnings {
            write!(f, "{separator}{}", Warning(warning))?;
            separator = "\n";
        }
        Ok(())
    }
}

impl Serialize for Output<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Serialize)]
struct Failure<'r> {
    code: &'r str,
    message: &'r str,
    suggestion: Option<&'r str>,
}
