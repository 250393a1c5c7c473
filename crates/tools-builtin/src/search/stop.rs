//! Stop conditions of a search, and the intervals at which they are checked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tool_core::CancellationToken;

const FIRST_BYTES: usize = 1024;
const MAX_BYTES: usize = 1024 * 1024;

/// A faster block may be larger.
const QUICK: Duration = Duration::from_micros(200);

/// A slower block must be smaller.
const SLOW: Duration = Duration::from_millis(1);

/// Stop conditions of a search, shared by its threads.
#[derive(Debug)]
pub(super) struct StopConditions<'c> {
    deadline: Instant,
    cancellation: &'c CancellationToken,
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

    /// Returns the cancellation token of the call.
    pub(super) fn cancellation(&self) -> &'c CancellationToken {
        self.cancellation
    }

    /// Returns whether the search must stop at time `now`.
    pub(super) fn is_set(&self, now: Instant) -> bool {
        self.enough.load(Ordering::Relaxed) || self.is_late(now) || self.cancellation.is_cancelled()
    }

    /// Returns the deadline.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns whether the deadline has passed.
    pub(super) fn is_late(&self, now: Instant) -> bool {
        now >= self.deadline
    }
}

/// Number of bytes to search between clock reads. It adapts to the cost of the expression: the
/// fastest one searches a megabyte in the time that the slowest one needs for a line.
#[derive(Debug)]
pub(super) struct ClockInterval {
    bytes: usize,
    since: Instant,
}

impl Default for ClockInterval {
    fn default() -> Self {
        Self {
            bytes: FIRST_BYTES,
            since: Instant::now(),
        }
    }
}

impl ClockInterval {
    /// Starts a block.
    pub(super) fn begin(&mut self) -> Instant {
        self.since = Instant::now();
        self.since
    }

    /// Returns the size of the next block.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Ends a block of `bytes` bytes and starts the next one.
    pub(super) fn end(&mut self, bytes: usize) -> Instant {
        let now = Instant::now();
        let took = now.saturating_duration_since(self.since);
        self.since = now;
        if took > SLOW {
            self.bytes = (self.bytes / 4).max(1);
        } else if took < QUICK && bytes >= self.bytes {
            self.bytes = (self.bytes * 4).min(MAX_BYTES);
        }
        now
    }
}
