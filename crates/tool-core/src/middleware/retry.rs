//! Retries of failed calls.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use async_trait::async_trait;

use super::{Call, Middleware, Next};
use crate::{RiskLevel, ToolError, ToolOutput, clock};

/// Middleware that repeats failed calls if the error is retryable and the call is read-only or idempotent.
///
/// The delay doubles with each attempt and is randomly shortened by up to half; a longer
/// [`retry_after`](ToolError::retry_after) of the error replaces it. The last error is returned unchanged if no attempts
/// are left, the requested delay exceeds the maximum, or the delay would exceed the deadline of the call. Each attempt
/// counts in the result's metadata.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::Registry;
/// use tool_core::middleware::Retry;
///
/// let registry = Registry::builder()
///     .middleware(Retry::when_safe(3).delays(Duration::from_millis(100), Duration::from_secs(5)))
///     .build();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Debug)]
pub struct Retry {
    attempts: u32,
    backoff: Backoff,
}

impl Retry {
    /// Creates middleware that runs a call at most `attempts` times, with delays from 200 milliseconds to 10 seconds.
    pub fn when_safe(attempts: u32) -> Self {
        Self {
            attempts,
            backoff: Backoff::new(Duration::from_millis(200), Duration::from_secs(10)),
        }
    }

    /// Sets the delay after the first attempt, and the maximum.
    #[must_use]
    pub fn delays(mut self, first: Duration, longest: Duration) -> Self {
        self.backoff = Backoff::new(first, longest);
        self
    }

    /// Returns the delay after an attempt, counted from 1; `None` if the call must not be repeated.
    fn wait_after(&self, attempt: u32, error: &ToolError, call: Call<'_>) -> Option<Duration> {
        let cx = call.context;
        let is_over = attempt >= self.attempts || cx.cancellation().is_cancelled();
        if is_over || !error.retryable() || !can_run_twice(call) {
            return None;
        }
        let wait = self.backoff.wait_after(attempt, error.retry_after())?;
        let fits = |deadline| {
            clock::now()
                .checked_add(wait)
                .is_some_and(|end| end < deadline)
        };
        // A wait beyond the deadline would only turn this error into a timeout.
        cx.deadline().is_none_or(fits).then_some(wait)
    }
}

fn can_run_twice(call: Call<'_>) -> bool {
    let hints = call.tool.definition().hints();
    // The hints of a read-only tool do not apply to arguments with a higher risk.
    let only_reads = hints.read_only && call.plan.risk == RiskLevel::ReadOnly;
    only_reads || (hints.idempotent && !hints.read_only)
}

#[async_trait]
impl Middleware for Retry {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let mut attempt = 1;
        loop {
            let error = match next.run(call).await {
                Ok(output) => return Ok(output),
                Err(error) => error,
            };
            let Some(wait) = self.wait_after(attempt, &error, call) else {
                return Err(error);
            };
            tracing::debug!(
                attempt,
                code = error.code().as_str(),
                "repeating a failed call"
            );
            // Our wait is not the silence of the tool.
            call.context.reports().suspend_idle_timeout(wait);
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}

/// Delays that double with each attempt, randomly shortened by up to half, up to a maximum.
///
/// [`wait_after`](Self::wait_after) returns `None` if a server requests a longer delay than the maximum.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::middleware::Backoff;
///
/// let second = Duration::from_secs(1);
/// let backoff = Backoff::new(second, 8 * second);
///
/// let wait = backoff.wait_after(3, None);
/// assert!(wait.is_some_and(|wait| wait >= 2 * second && wait <= 4 * second));
/// assert_eq!(backoff.wait_after(1, Some(5 * second)), Some(5 * second));
/// assert_eq!(backoff.wait_after(1, Some(9 * second)), None);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// Creates delays of at most `first` after the first attempt, twice that after the second and so on, up to `longest`.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// Returns the delay after an attempt, counted from 1, or `asked` if that is longer; `None` if `asked` exceeds the
    /// maximum.
    pub fn wait_after(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let longest = self.first.saturating_mul(doubled).min(self.longest);
        let wait = spread(longest).max(asked.unwrap_or_default());
        (wait <= self.longest).then_some(wait)
    }
}

/// Returns a random delay between half of `longest` and `longest`.
fn spread(longest: Duration) -> Duration {
    // The hash keys of the standard library are random and differ each time, which is enough for delays.
    let random = RandomState::new().hash_one(0);
    let share = u32::try_from(random >> 32).unwrap_or(u32::MAX);
    longest.saturating_sub((longest / 2).mul_f64(f64::from(share) / f64::from(u32::MAX)))
}

#[cfg(test)]
mod tests;
