//! Retries of failed calls.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;

use super::{Call, Middleware, Next};
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

/// Delays that double with each attempt, randomly shortened by up to half, up to a maximum.
///
/// [`wait_after`](Self::wait_after) returns `None` if a server requests a longer delay than the maximum.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::middleware::{Backoff, Jitter};
///
/// let second = Duration::from_secs(1);
/// let backoff = Backoff::new(second, 8 * second).jitter(Jitter::seeded(7));
///
/// let wait = backoff.wait_after(3, None);
/// assert!(wait.is_some_and(|wait| wait >= 2 * second && wait <= 4 * second));
/// assert_eq!(backoff.wait_after(1, Some(5 * second)), Some(5 * second));
/// assert_eq!(backoff.wait_after(1, Some(9 * second)), None);
/// ```
#[derive(Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    jitter: Jitter,
}

impl Backoff {
    /// Creates delays of at most `first` after the first attempt, twice that after the second and so on, up to `longest`.
    #[must_use]
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            jitter: Jitter::new(),
        }
    }

    /// Sets the delay after the first attempt, and the maximum.
    #[must_use]
    pub fn delays(self, first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            ..self
        }
    }

    /// Sets the source of randomness.
    #[must_use]
    pub fn jitter(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// Returns the delay after an attempt, counted from 1, or `asked` if that is longer; `None` if `asked` exceeds the
    /// maximum.
    #[must_use]
    pub fn wait_after(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let longest = self.first.saturating_mul(doubled).min(self.longest);
        let wait = self.jitter.spread(longest).max(asked.unwrap_or_default());
        (wait <= self.longest).then_some(wait)
    }
}

/// Increment of the generator: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Source of randomness for delays. Equal seeds yield equal delays.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::middleware::Jitter;
///
/// let second = Duration::from_secs(1);
/// let delay = Jitter::seeded(7).spread(second);
/// assert_eq!(delay, Jitter::seeded(7).spread(second));
/// assert!(delay >= second / 2 && delay <= second);
/// ```
#[derive(Debug)]
pub struct Jitter(AtomicU64);

impl Default for Jitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Jitter {
    /// Creates a randomly seeded source.
    #[must_use]
    pub fn new() -> Self {
        // The hash keys of the standard library are random, which is sufficient for delays.
        Self::seeded(RandomState::new().hash_one(0))
    }

    /// Creates a source with reproducible delays, for tests.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Returns a delay between half of `longest` and `longest`.
    #[must_use]
    pub fn spread(&self, longest: Duration) -> Duration {
        let half = longest / 2;
        let share = u32::try_from(self.next() >> 32).unwrap_or(u32::MAX);
        longest.saturating_sub(half.mul_f64(f64::from(share) / f64::from(u32::MAX)))
    }

    /// Returns the next number of `SplitMix64`, which accepts every seed.
    fn next(&self) -> u64 {
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests;
