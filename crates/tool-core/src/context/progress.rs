//! Progress reports and their receiver.

use serde::{Deserialize, Serialize};

use crate::ContentBlock;

/// The progress of a call.
///
/// # Examples
/// ```
/// use tool_core::Progress;
///
/// let progress = Progress::new("searching").with_position(3, Some(10));
/// assert_eq!(progress.total, Some(10));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// The current activity.
    pub message: String,
    /// Number of completed steps.
    pub done: u64,
    /// Total number of steps, if known.
    pub total: Option<u64>,
}

impl Progress {
    /// Creates a report of the current activity.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// Sets the number of completed steps and the total.
    #[must_use]
    pub fn with_position(self, done: u64, total: Option<u64>) -> Self {
        Self {
            done,
            total,
            ..self
        }
    }
}

/// A receiver of progress and partial output. Its methods must not block.
///
/// # Examples
/// ```
/// use tool_core::{Progress, ProgressSink};
///
/// struct Quiet;
/// impl ProgressSink for Quiet {
///     fn progress(&self, _call_id: &str, _tool_name: &str, _progress: &Progress) {}
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot receive progress",
    note = "implement `ProgressSink` for `{Self}`"
)]
pub trait ProgressSink: Send + Sync {
    /// Receives a progress report of a call.
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress);

    /// Receives a block of partial output of a running call. The default does nothing.
    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        let _ = (call_id, tool_name, piece);
    }
}
