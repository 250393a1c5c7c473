//! Retries of failed calls.

use std::time::Duration;

use async_trait::async_trait;

use super::{Backoff, Call, Jitter, Middleware, Next};
use crate::{RiskLevel, SideEffects, ToolError, ToolOutput, clock};

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
    #[must_use]
    pub fn when_safe(attempts: u32) -> Self {
        Self {
            attempts,
            backoff: Backoff::new(Duration::from_millis(200), Duration::from_secs(10)),
        }
    }

    /// Sets the delay after the first attempt, and the maximum.
    #[must_use]
    pub fn delays(mut self, first: Duration, longest: Duration) -> Self {
        self.backoff = self.backoff.delays(first, longest);
        self
    }

    /// Sets the source of randomness.
    #[must_use]
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.backoff = self.backoff.jitter(jitter);
        self
    }

    /// Returns the delay after an attempt, counted from 1; `None` if the call must not be repeated.
    fn wait_after(&self, attempt: u32, error: &ToolError, call: Call<'_>) -> Option<Duration> {
        let cx = call.context();
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
        cx.deadline().is_none_or(fits).then_some(wait)
    }
}

fn can_run_twice(call: Call<'_>) -> bool {
    let hints = call.tool().definition().hints();
    // The hints of a read-only tool do not apply to arguments with a higher risk.
    let only_reads = hints.read_only && call.plan().risk == RiskLevel::ReadOnly;
    only_reads || (hints.idempotent && !hints.read_only)
}

#[async_trait]
impl Middleware for Retry {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let mut attempt = 1;
        let mut did_nothing = true;
        loop {
            let error = match next.run(call).await {
                Ok(output) => return Ok(output),
                Err(error) => error,
            };
            did_nothing &= error.side_effects() == Some(SideEffects::None);
            let Some(wait) = self.wait_after(attempt, &error, call) else {
                return Err(if did_nothing {
                    error.covering(attempt)
                } else {
                    error
                });
            };
            tracing::debug!(
                attempt,
                code = error.code().as_str(),
                "repeating a failed call"
            );
            call.context().reports().suspend_idle_timeout(wait);
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}
