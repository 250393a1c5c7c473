//! Retry policy for model requests.

use std::time::Duration;

use tool_core::middleware::Backoff;

use crate::ModelError;

const ATTEMPTS: u32 = 3;
const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_mins(1);
/// Maximum delay between the first and the last attempt of a turn.
const WITHIN: Duration = Duration::from_mins(3);

/// How often, and for how long, a run retries a model request that failed.
///
/// Only transient errors are retried ([`ModelError::is_retryable`]). The wait doubles with every
/// attempt and is shortened at random by up to half, so that many runs don't return to a busy
/// provider at the same moment. If the provider asks for a longer wait
/// ([`ModelError::retry_after`]), we wait that long.
///
/// The run fails with the last error if the attempts are used up, if the provider asks for a wait
/// above the maximum, or if the wait would end after the time limit. If the sink has received parts
/// of the reply already, it gets [`EventKind::ModelReset`](crate::EventKind::ModelReset) before the
/// next attempt.
///
/// Providers don't report the tokens of failed attempts, so they don't count toward the token limit.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use agent_loop::{AgentLoop, ModelReply, ModelRetry, ScriptedModel};
/// use tool_core::Registry;
///
/// let retry = ModelRetry::attempts(5)
///     .delays(Duration::from_millis(200), Duration::from_secs(20))
///     .within(Duration::from_secs(60));
/// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
/// let agent = AgentLoop::new(Registry::new(), model).retry(retry);
/// ```
#[derive(Debug)]
#[must_use]
pub struct ModelRetry {
    attempts: u32,
    backoff: Backoff,
    within: Duration,
}

impl Default for ModelRetry {
    /// Three attempts within three minutes, with waits from 0.5 to 60 seconds.
    fn default() -> Self {
        Self::attempts(ATTEMPTS)
    }
}

impl ModelRetry {
    /// Creates a policy with at most `attempts` requests per turn; 0 and 1 disable retries.
    pub fn attempts(attempts: u32) -> Self {
        Self {
            attempts,
            backoff: Backoff::new(FIRST_DELAY, LONGEST_DELAY),
            within: WITHIN,
        }
    }

    /// Sets the first and the maximum wait. The defaults are 0.5 and 60 seconds.
    pub fn delays(mut self, first: Duration, longest: Duration) -> Self {
        self.backoff = Backoff::new(first, longest);
        self
    }

    /// Sets how long after the first attempt of a turn the last one may start. The default is three
    /// minutes.
    pub fn within(mut self, duration: Duration) -> Self {
        self.within = duration;
        self
    }

    /// Returns the wait before the next attempt, or `None` to give up.
    pub(crate) fn wait_after(
        &self,
        attempts: u32,
        elapsed: Duration,
        error: &ModelError,
    ) -> Option<Duration> {
        if attempts >= self.attempts || !error.is_retryable() {
            return None;
        }
        // A wait above the maximum fails at once: the host can tell the user now, rather than after minutes of silence.
        let wait = self.backoff.wait_after(attempts, error.retry_after())?;
        // The start of the attempt counts, not its end, because a model may think for minutes.
        let begins = elapsed.checked_add(wait)?;
        (begins <= self.within).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limited(seconds: u64) -> ModelError {
        ModelError::RateLimited {
            retry_after: Some(Duration::from_secs(seconds)),
        }
    }

    fn retry() -> ModelRetry {
        ModelRetry::attempts(4)
            .delays(SECOND, 8 * SECOND)
            .within(20 * SECOND)
    }

    #[test]
    fn respects_provider_wait_within_limits() {
        for (attempts, elapsed, error, wait) in [
            (1, 0, limited(5), Some(5)),
            (1, 0, limited(8), Some(8)),
            (1, 0, limited(9), None),
            (1, 12, limited(8), Some(8)),
            (1, 13, limited(8), None),
            (3, 0, limited(8), Some(8)),
            (4, 0, limited(8), None),
            (1, 0, ModelError::Unauthorized, None),
            (1, 0, ModelError::Cancelled, None),
        ] {
            let waited = retry().wait_after(attempts, elapsed * SECOND, &error);

            assert_eq!(waited, wait.map(Duration::from_secs), "{attempts} {error}");
        }
    }

    #[test]
    fn wait_doubles_with_jitter_up_to_maximum() {
        let error = ModelError::RateLimited { retry_after: None };
        for (attempts, longest) in [(1, SECOND), (2, 2 * SECOND), (3, 4 * SECOND)] {
            let wait = retry()
                .wait_after(attempts, Duration::ZERO, &error)
                .unwrap();

            assert!(
                wait >= longest / 2 && wait <= longest,
                "{attempts} {wait:?}"
            );
        }
        let many = ModelRetry::attempts(u32::MAX).delays(SECOND, 8 * SECOND);
        let wait = many.wait_after(4_000_000_000, Duration::ZERO, &error);
        assert!(wait.is_some_and(|wait| wait <= 8 * SECOND), "{wait:?}");
    }

    #[test]
    fn single_attempt_is_never_retried() {
        for attempts in [0, 1] {
            let wait = ModelRetry::attempts(attempts).wait_after(1, Duration::ZERO, &limited(0));

            assert_eq!(wait, None);
        }
    }
}
