//! Part of an error that is shown and stored.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ErrorCode, ValidationIssue, milliseconds};

/// Part of a [`ToolError`](crate::ToolError) that is shown and stored.
///
/// # Examples
/// ```
/// use tool_core::error::ErrorReport;
/// use tool_core::ToolError;
///
/// let report: ErrorReport = ToolError::failed("The mail server is busy").into_report();
/// assert_eq!(report.message, "The mail server is busy.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorReport {
    /// Reason for programs.
    pub code: ErrorCode,
    /// Reason for the model: one or more sentences.
    pub message: String,
    /// Next step for the model.
    pub suggestion: Option<String>,
    /// Affected parameter, under the name shown to the model.
    pub parameter: Option<String>,
    /// All issues found in the arguments.
    #[serde(default)]
    pub issues: Vec<ValidationIssue>,
    /// Name of the called tool.
    pub tool_name: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Minimum delay before a retry, if known. Serialized as whole milliseconds.
    #[serde(
        default,
        rename = "retry_after_ms",
        with = "milliseconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub retry_after: Option<Duration>,
}

impl ErrorReport {
    /// Returns the text for the model: `Error: `, the message and the suggestion.
    #[must_use]
    pub fn to_model_text(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => ["Error: ", &self.message, " ", suggestion].concat(),
            None => ["Error: ", &self.message].concat(),
        }
    }
}
