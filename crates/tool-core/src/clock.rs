//! The clocks of a registry: one for durations, one for the time of day.

use std::time::Instant;

use crate::Timestamp;

/// A source of the time of day. The default is the system clock.
///
/// Not used for durations: timeouts, waits and ages use tokio's clock, which tests can pause.
///
/// # Examples
/// ```
/// use tool_core::Clock;
/// use tool_core::{Registry, Timestamp};
///
/// let noon = Timestamp::parse("2025-11-10T12:00:00Z").ok_or("not a time")?;
/// let registry = Registry::builder().clock(move || noon).build();
/// # let _ = registry;
/// # Ok::<_, &str>(())
/// ```
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

impl<F: Fn() -> Timestamp + Send + Sync> Clock for F {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// Returns the current instant of tokio's clock, which tests can pause.
#[inline]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
