//! When a search has to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tool_core::CancellationToken;

/// When a search has to end, for all its threads.
#[derive(Debug)]
pub(super) struct Stop<'c> {
    deadline: Instant,
    cancellation: &'c CancellationToken,
    enough: AtomicBool,
}

impl<'c> Stop<'c> {
    pub(super) fn new(deadline: Instant, cancellation: &'c CancellationToken) -> Self {
        Self {
            deadline,
            cancellation,
            enough: AtomicBool::new(false),
        }
    }

    /// Ends the search where enough was found.
    pub(super) fn set_if(&self, enough: bool) {
        self.enough.fetch_or(enough, Ordering::Relaxed);
    }

    /// The token of the call.
    pub(super) fn cancellation(&self) -> &'c CancellationToken {
        self.cancellation
    }

    /// Whether the search has to end, at this time.
    pub(super) fn is_set(&self, now: Instant) -> bool {
        self.enough.load(Ordering::Relaxed) || self.is_late(now) || self.cancellation.is_cancelled()
    }

    /// When the time is up.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the time is up.
    pub(super) fn is_late(&self, now: Instant) -> bool {
        now >= self.deadline
    }

    /// Whether nobody waits for the answer.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}
