//! Time that remains for a call.

use std::time::{Duration, Instant};

use tool_core::ToolContext;

/// Timeout of calls outside a registry.
const DEFAULT: Duration = Duration::from_mins(1);
/// Time reserved for the result of the call.
const RESERVE: Duration = Duration::from_millis(500);

/// Time at which the requests of a call must be finished.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline of a call, shortly before its timeout.
    pub(crate) fn of(cx: &ToolContext) -> Self {
        match cx.deadline() {
            Some(deadline) => Self(deadline.checked_sub(RESERVE).unwrap_or(deadline)),
            None => Self::after(DEFAULT),
        }
    }

    /// Returns a deadline after `time`.
    pub(crate) fn after(time: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(time).unwrap_or(now))
    }

    /// Returns the remaining time.
    pub(crate) fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Returns the earlier of this deadline and `time` from now.
    pub(crate) fn at_most(self, time: Duration) -> Self {
        Self(self.0.min(Self::after(time).0))
    }
}
