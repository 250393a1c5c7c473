//! How much is searched before looking at the clock.

use std::time::{Duration, Instant};

const FIRST_BYTES: usize = 1024;
const MAX_BYTES: usize = 1024 * 1024;

/// A block that takes less than this may be larger.
const QUICK: Duration = Duration::from_micros(200);

/// A block that takes more than this must be smaller.
const SLOW: Duration = Duration::from_millis(1);

/// How much is searched before looking at the clock. It follows what the expression costs: the lightest one does a
/// megabyte in the time that the heaviest one needs for a line.
#[derive(Debug)]
pub(super) struct Pace {
    bytes: usize,
    since: Instant,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            bytes: FIRST_BYTES,
            since: Instant::now(),
        }
    }
}

impl Pace {
    /// Begins a block now.
    pub(super) fn begin(&mut self) -> Instant {
        self.since = Instant::now();
        self.since
    }

    /// How large the block should be.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Ends a block of so many bytes, and begins the next.
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
