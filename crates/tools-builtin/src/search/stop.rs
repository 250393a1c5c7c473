//! Stop conditions of a search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tool_core::CancellationToken;

/// Stop conditions of a search, shared by its threads.
#[derive(Debug)]
pub(super) struct StopConditions<'c> {
    pub(super) deadline: Instant,
    /// Token of the call.
    pub(super) cancellation: &'c CancellationToken,
    enough: AtomicBool,
}

impl<'c> StopConditions<'c> {
    pub(super) fn new(deadline: Instant, cancellation: &'c CancellationToken) -> Self {
        Self {
            deadline,
            cancellation,
            enough: AtomicBool::new(false),
        }
    }

    /// Stops the search if enough matches were found.
    pub(super) fn set_if(&self, enough: bool) {
        self.enough.fetch_or(enough, Ordering::Relaxed);
    }

    /// Returns whether the search must stop at time `now`.
    pub(super) fn is_set(&self, now: Instant) -> bool {
        self.enough.load(Ordering::Relaxed) || self.is_late(now) || self.cancellation.is_cancelled()
    }

    /// Returns whether the deadline has passed.
    pub(super) fn is_late(&self, now: Instant) -> bool {
        now >= self.deadline
    }
}
