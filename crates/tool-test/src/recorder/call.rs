//! Recorded calls.

use std::fmt::{self, Write as _};

use serde_json::Value;
use tool_core::error::ErrorReport;
use tool_core::{ToolError, ToolOutput};

/// Maximum number of characters of arguments in an assertion message.
const MAX_SHOWN: usize = 300;

/// Maximum number of calls in an assertion message.
const MAX_LISTED: usize = 50;

/// Call that reached a tool.
///
/// `Display` formats one line for assertion messages: `read_file {"path":"a.txt"} returned 3 bytes`.
///
/// # Examples
/// See [`Recorder`](crate::Recorder).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedCall {
    /// ID of the call.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments of the execution, including defaults.
    pub arguments: Value,
    /// Output or error; `None` if the call is running, was stopped or panicked.
    pub outcome: Option<Result<ToolOutput, ErrorReport>>,
}

impl RecordedCall {
    pub(super) fn end(&mut self, outcome: &Result<ToolOutput, ToolError>) {
        let outcome = match outcome {
            Ok(output) => Ok(output.clone()),
            Err(error) => Err(error.report().clone()),
        };
        self.outcome = Some(outcome);
    }
}

impl fmt::Display for RecordedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tool, short(&self.arguments))?;
        match &self.outcome {
            None => f.write_str(" did not finish"),
            Some(Ok(output)) => {
                let texts = output.content.iter().filter_map(|block| block.as_text());
                let bytes: usize = texts.map(str::len).sum();
                write!(f, " returned {bytes} bytes")
            }
            Some(Err(report)) => write!(f, " failed: {}", report.code),
        }
    }
}

pub(super) fn short(arguments: &Value) -> String {
    let text = arguments.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Formats the list of calls for an assertion message.
pub(super) fn listed(calls: &[RecordedCall]) -> String {
    if calls.is_empty() {
        return "; no calls were made".to_owned();
    }
    let mut text = String::from("; calls:");
    for (index, call) in calls.iter().take(MAX_LISTED).enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n  {}. {call}", index + 1);
    }
    if calls.len() > MAX_LISTED {
        let _ = write!(text, "\n  and {} more", calls.len() - MAX_LISTED);
    }
    text
}
