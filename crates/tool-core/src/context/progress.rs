//! What a call says while it runs, and who hears it.

use serde::{Deserialize, Serialize};

use crate::ContentBlock;

/// How far a call has come.
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
    /// What is being done.
    pub message: String,
    /// Steps done so far.
    pub done: u64,
    /// Steps in all, where known.
    pub total: Option<u64>,
}

impl Progress {
    /// Says what is being done.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// Says how many steps are done, and of how many.
    #[must_use]
    pub fn with_position(self, done: u64, total: Option<u64>) -> Self {
        Self {
            done,
            total,
            ..self
        }
    }
}

/// Receives progress and partial output while calls run. It must not block.
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
    /// Takes one report of one call.
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress);

    /// Takes one piece of the output of one call, before the call ends. Does nothing unless implemented.
    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        let _ = (call_id, tool_name, piece);
    }
}
