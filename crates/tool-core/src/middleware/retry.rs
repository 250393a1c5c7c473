//! Running a call again.

use std::time::Duration;

use async_trait::async_trait;

use super::{Backoff, Call, Jitter, Middleware, Next};
use crate::{ToolError, ToolOutput, clock};

/// Runs a call again when the error passes with time and running twice can do no harm.
///
/// That is: the error is retryable, and the call only reads or the tool's hints call it idempotent. The wait doubles
/// from attempt to attempt, with chance taking off up to half of it; a longer
/// [`retry_after`](ToolError::retry_after) of the error holds in its place. The last error is returned as it is
/// when the attempts are used up, when the error asks for more than the longest wait, or when the wait would not end
/// before the call's deadline. Each attempt is counted in the result's metadata.
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
    /// Runs a call at most `attempts` times in all; the waits go from 200 milliseconds to 10 seconds.
    #[must_use]
    pub fn when_safe(attempts: u32) -> Self {
        Self {
            attempts,
            backoff: Backoff::new(Duration::from_millis(200), Duration::from_secs(10)),
        }
    }

    /// Sets the wait after the first attempt, and the longest one.
    #[must_use]
    pub fn delays(mut self, first: Duration, longest: Duration) -> Self {
        self.backoff = self.backoff.delays(first, longest);
        self
    }

    /// Sets where chance comes from.
    #[must_use]
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.backoff = self.backoff.jitter(jitter);
        self
    }

    /// How long to wait after the attempt with this number, counting from 1; `None` to leave it at that.
    fn wait_after(&self, attempt: u32, error: &ToolError, call: Call<'_>) -> Option<Duration> {
        let cx = call.context();
        if attempt >= self.attempts || !error.retryable() || cx.cancellation().is_cancelled() {
            return None;
        }
        if !can_run_twice(call) {
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
    // What a tool says of reading does not hold for the arguments with which it writes.
    call.only_reads() || (hints.idempotent && !hints.read_only)
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
                "the call is run again"
            );
            call.context().reports().waits(wait);
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}
