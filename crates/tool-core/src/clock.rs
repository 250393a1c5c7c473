//! The clocks of a registry: one for durations, one for the time of day.

use std::time::Instant;

use crate::Timestamp;

/// Tells the time of day. The system's clock does, unless a registry is given another one.
///
/// Durations do not come from it: timeouts, waits and ages are measured by tokio's clock, which tests can pause.
///
/// # Examples
/// ```
/// use tool_core::clock::Clock;
/// use tool_core::{Registry, Timestamp};
///
/// let noon = Timestamp::parse("2025-11-10T12:00:00Z").ok_or("not a time")?;
/// let registry = Registry::builder().clock(move || noon).build();
/// # let _ = registry;
/// # Ok::<_, &str>(())
/// ```
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

impl<F: Fn() -> Timestamp + Send + Sync> Clock for F {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// The moment by tokio's clock, which tests can hold still; outside of tests it is the system's own.
#[inline]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
