//! Constructors for the common codes.

use std::time::Duration;

use super::ToolError;
use crate::{ErrorCode, SideEffects};

impl ToolError {
    /// Creates an error about one parameter. `sentence` continues after its name ("does not exist").
    pub fn about(code: ErrorCode, parameter: &str, sentence: impl Into<String>) -> Self {
        Self::new(code, sentence).with_parameter(Some(parameter))
    }

    /// Creates an error for a parameter with an invalid value.
    pub fn invalid_arguments(parameter: &str, sentence: impl Into<String>) -> Self {
        Self::about(ErrorCode::InvalidArguments, parameter, sentence)
    }

    /// Creates an error for a path that does not exist.
    pub fn file_not_found(parameter: &str, sentence: impl Into<String>) -> Self {
        Self::about(ErrorCode::FileNotFound, parameter, sentence)
    }

    /// Creates an error for a path outside the workspace.
    pub fn path_outside_workspace(parameter: &str) -> Self {
        Self::about(
            ErrorCode::PathOutsideWorkspace,
            parameter,
            "is outside the workspace",
        )
        .suggest("Use a path relative to the workspace root.")
    }

    /// Creates an error for a call that exceeded its deadline.
    pub fn timeout(after: Duration) -> Self {
        Self::new(
            ErrorCode::Timeout,
            format!("The call timed out after {}", duration_text(after)),
        )
    }

    /// Creates an error for a call that exceeded its idle timeout.
    pub(crate) fn silent(after: Duration) -> Self {
        Self::new(
            ErrorCode::Timeout,
            format!(
                "The call was stopped because it was silent for {}",
                duration_text(after)
            ),
        )
    }

    /// Creates an error for a cancelled call.
    pub fn cancelled() -> Self {
        Self::new(
            ErrorCode::Cancelled,
            "The call was cancelled before it ended",
        )
    }

    /// Creates an error for a call that may have taken effect or not, such as after a lost connection. It is not
    /// retryable.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{SideEffects, ToolError};
    ///
    /// let error = ToolError::outcome_unknown("The server stopped while the call ran")
    ///     .suggest("Check before you call it again.");
    /// assert_eq!(error.code().as_str(), "outcome_unknown");
    /// assert_eq!(error.side_effects(), Some(SideEffects::Possible));
    /// ```
    pub fn outcome_unknown(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::OutcomeUnknown, sentence).with_side_effects(SideEffects::Possible)
    }

    /// Creates an error for a failure of the tool.
    pub fn failed(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::Failed, sentence)
    }
}

/// Returns a duration for a message, such as `1.5 seconds`.
fn duration_text(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    match milliseconds {
        1000 => "1 second".to_owned(),
        0..1000 => format!("{milliseconds} ms"),
        _ if milliseconds.is_multiple_of(1000) => format!("{} seconds", milliseconds / 1000),
        _ => format!("{:.1} seconds", duration.as_secs_f64()),
    }
}
