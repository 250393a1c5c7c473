//! The clock by which calls are timed.

use std::time::Instant;

/// The time by tokio's clock, which tests can hold still; outside of tests it is the system's own.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
