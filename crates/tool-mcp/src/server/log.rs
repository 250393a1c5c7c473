//! Log lines for the client of a call.

use std::fmt;

use tokio::sync::mpsc;
use tool_core::Redactor;

/// Maximum number of characters of a line.
const MAX_LINE: usize = 4_000;

/// Severity of a log line, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// Details for debugging.
    Debug,
    /// Information.
    Info,
    /// Normal but significant event.
    Notice,
    /// Warning.
    Warning,
    /// Error.
    Error,
    /// Critical condition.
    Critical,
    /// Condition that requires immediate action.
    Alert,
    /// The system is unusable.
    Emergency,
}

/// Log lines for the client of a call. They are sent only if the client has requested lines of their level. Tools read
/// it with [`ToolContext::extension`](tool_core::ToolContext::extension).
///
/// Values known to the redactor of the registry are replaced. Lines over 4,000 characters are truncated, and lines that
/// the client does not read in time are dropped.
///
/// # Examples
/// ```
/// use tool_core::ToolContext;
/// use tool_mcp::server::{ClientLog, LogLevel};
///
/// fn report(cx: &ToolContext) {
///     if let Some(log) = cx.extension::<ClientLog>() {
///         log.send(LogLevel::Info, "the index is complete");
///     }
/// }
/// ```
#[derive(Clone)]
pub struct ClientLog {
    minimum: LogLevel,
    lines: mpsc::Sender<(LogLevel, String)>,
    redactor: Option<Redactor>,
}

impl ClientLog {
    pub(crate) fn new(
        minimum: LogLevel,
        lines: mpsc::Sender<(LogLevel, String)>,
        redactor: Option<Redactor>,
    ) -> Self {
        Self {
            minimum,
            lines,
            redactor,
        }
    }

    /// Returns `true` if the client has requested lines of a level.
    #[must_use]
    pub fn is_enabled(&self, level: LogLevel) -> bool {
        level >= self.minimum
    }

    /// Sends a line. Does not wait.
    pub fn send(&self, level: LogLevel, line: &str) {
        if !self.is_enabled(level) {
            return;
        }
        let line = match &self.redactor {
            Some(redactor) => redactor.scrub(line),
            None => line.into(),
        };
        // A full queue means that the client does not read.
        let _ = self
            .lines
            .try_send((level, line.chars().take(MAX_LINE).collect()));
    }
}

impl fmt::Debug for ClientLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientLog")
            .field("minimum", &self.minimum)
            .finish_non_exhaustive()
    }
}
