//! Last command of a session.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{Clock, Timestamp};

/// Command that exited, timed out or was cancelled.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct ExecutedCommand {
    /// Command line. A program with a list of arguments is shown as one line with quotes.
    pub(crate) command: String,
    /// Exit code; null if the command was killed.
    pub(crate) exit_code: Option<i32>,
    /// Start time, as RFC 3339 in UTC.
    #[schemars(with = "String")]
    pub(crate) executed_at: Timestamp,
    /// Standard output and standard error in the order received; the middle of long output is
    /// omitted.
    pub(crate) output: String,
}

/// Keeps the last command of one session. Clones share one store.
///
/// The last command is the one that finished last: of concurrent commands, the longest-running one
/// is kept. [`Bash`](super::Bash) records its commands. Commands that could not start, were
/// rejected, run in the background or belong to a dropped call are not recorded.
#[derive(Clone, Default)]
pub(crate) struct TerminalHistory {
    last: Arc<Mutex<Option<ExecutedCommand>>>,
    clock: Option<Arc<dyn Clock>>,
}

impl TerminalHistory {
    /// Sets the clock. The default is the system clock.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Returns the last command, or `None` if none has finished.
    pub(crate) fn last(&self) -> Option<ExecutedCommand> {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock
            .as_ref()
            .map_or_else(Timestamp::now, |clock| clock.now())
    }

    pub(crate) fn record(&self, command: ExecutedCommand) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(command);
    }
}

tool_core::debug_fields!(TerminalHistory, this => last: this.last());
