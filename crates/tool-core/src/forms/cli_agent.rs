//! `{tool?, success, output, files_affected, execution_time_ms, metadata?, error?}`.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::text::{Texts, Warning};
use crate::{ErrorReport, Notes, ToolResult};

/// A result as `{success, output, files_affected, execution_time_ms, metadata?, error?}`.
///
/// `output` is what the model reads, with each warning on a line of its own at the end. `execution_time_ms` is a whole
/// number of milliseconds. `metadata` is what the tool adds to the result's own, but for the digests of files that the
/// audit log reads, and left out when that is nothing. A failure has `error: {code, message, suggestion}`.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, forms::CliAgentResult};
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
    /// Shows a result.
    #[must_use]
    pub fn of(result: &'r ToolResult) -> Self {
        Self {
            result,
            has_tool: false,
        }
    }

    /// Adds `tool`, the name of the tool, in front.
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
        let notes = Shown(&metadata.extra);
        if notes.iter().next().is_some() {
            members.serialize_entry("metadata", &notes)?;
        }
        if let Some(error) = &result.error {
            members.serialize_entry("error", &Failure::of(error))?;
        }
        members.end()
    }
}

/// What the tool adds to the metadata, without what it says for the audit log alone.
struct Shown<'r>(&'r Notes);

impl<'r> Shown<'r> {
    fn iter(&self) -> impl Iterator<Item = (&'r String, &'r Value)> {
        self.0.iter().filter(|(key, _)| *key != "file_digests")
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// The content and the warnings after it.
struct Output<'r>(&'r ToolResult);

impl fmt::Display for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = Texts(&self.0.content);
        write!(f, "{texts}")?;
        let mut is_fresh_line = texts
            .iter()
            .last()
            .is_none_or(|last| last.is_empty() || last.ends_with('\n'));
        for warning in &self.0.warnings {
            let separator = if is_fresh_line { "" } else { "\n" };
            write!(f, "{separator}{}", Warning(warning))?;
            is_fresh_line = false;
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

impl<'r> Failure<'r> {
    fn of(error: &'r ErrorReport) -> Self {
        Self {
            code: error.code.as_str(),
            message: &error.message,
            suggestion: error.suggestion.as_deref(),
        }
    }
}
