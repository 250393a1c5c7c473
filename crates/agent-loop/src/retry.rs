//! Asking a model again that gave no reply.

use std::time::Duration;

use tool_core::middleware::{Backoff, Jitter};

use crate::ModelError;

/// How often a model is asked in one turn, unless said otherwise.
const ATTEMPTS: u32 = 3;
const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_mins(1);
/// How long after the first attempt of a turn the last one may begin.
const WITHIN: Duration = Duration::from_mins(3);

/// When a model that gave no reply is asked again.
///
/// It is asked again when the error passes with time ([`ModelError::is_retryable`]) and nothing of the reply was handed
/// on yet. The wait doubles from attempt to attempt, with chance taking off up to half of it; a longer
/// [`ModelError::retry_after`] holds in its place. The error is the run's own when the attempts are used up, when
/// the provider wants a longer wait than the longest delay, or when the wait would end too late.
///
/// What a failed attempt used is not known, so it counts nothing against the limit on tokens.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use agent_loop::{AgentLoop, ModelReply, Retry, ScriptedModel};
/// use tool_core::Registry;
///
/// let retry = Retry::attempts(5)
///     .delays(Duration::from_millis(200), Duration::from_secs(20))
///     .within(Duration::from_secs(60));
/// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
/// let agent = AgentLoop::new(Registry::new(), model).retry(retry);
/// ```
#[derive(Debug)]
pub struct Retry {
    attempts: u32,
    backoff: Backoff,
    within: Duration,
}

impl Default for Retry {
    /// Three attempts; waits from half a second to a minute; the last attempt begins within three minutes.
    fn default() -> Self {
        Self::attempts(ATTEMPTS)
    }
}

impl Retry {
    /// Asks at most `attempts` times in one turn. With 0 or 1 nothing is asked twice.
    #[must_use]
    pub fn attempts(attempts: u32) -> Self {
        Self {
            attempts,
            backoff: Backoff::new(FIRST_DELAY, LONGEST_DELAY),
            within: WITHIN,
        }
    }

    /// Sets the wait after the first attempt, and the longest one; half a second and a minute without this.
    #[must_use]
    pub fn delays(mut self, first: Duration, longest: Duration) -> Self {
        self.backoff = self.backoff.delays(first, longest);
        self
    }

    /// Sets how long after the first attempt of a turn the last one may begin; three minutes without this.
    #[must_use]
    pub fn within(mut self, duration: Duration) -> Self {
        self.within = duration;
        self
    }

    /// Sets where chance comes from.
    #[must_use]
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.backoff = self.backoff.jitter(jitter);
        self
    }

    /// How long to wait after so many attempts that took so long; `None` to leave it at that.
    pub(crate) fn wait_after(
        &self,
        attempts: u32,
        elapsed: Duration,
        error: &ModelError,
    ) -> Option<Duration> {
        if attempts >= self.attempts || !error.is_retryable() {
            return None;
        }
        let wait = self.backoff.wait_after(attempts, error.retry_after())?;
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

    fn retry() -> Retry {
        Retry::attempts(4)
            .delays(SECOND, 8 * SECOND)
            .within(20 * SECOND)
            .jitter(Jitter::seeded(1))
    }

    #[test]
    fn what_the_provider_asks_for_holds_within_the_bounds() {
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
    fn the_wait_doubles_with_chance_and_stays_below_the_longest() {
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
        let many = Retry::attempts(u32::MAX).delays(SECOND, 8 * SECOND);
        let wait = many.wait_after(4_000_000_000, Duration::ZERO, &error);
        assert!(wait.is_some_and(|wait| wait <= 8 * SECOND), "{wait:?}");
    }

    #[test]
    fn one_attempt_is_never_followed_by_another() {
        for attempts in [0, 1] {
            let wait = Retry::attempts(attempts).wait_after(1, Duration::ZERO, &limited(0));

            assert_eq!(wait, None);
        }
    }
}
