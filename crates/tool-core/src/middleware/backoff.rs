//! Delays between attempts.

use std::time::Duration;

use super::Jitter;

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn delays_double_up_to_maximum() {
        let backoff = Backoff::new(SECOND, 5 * SECOND);
        for (attempt, longest) in [(0, 1), (1, 1), (2, 2), (3, 4), (4, 5), (u32::MAX, 5)] {
            let wait = backoff.wait_after(attempt, None).unwrap();

            let longest = longest * SECOND;
            assert!(wait >= longest / 2 && wait <= longest, "{attempt} {wait:?}");
        }
    }

    #[test]
    fn requested_delay_applies_up_to_maximum() {
        let backoff = Backoff::new(SECOND, 8 * SECOND);
        for (asked, wait) in [(5, Some(5)), (8, Some(8)), (9, None)] {
            let waited = backoff.wait_after(1, Some(asked * SECOND));

            assert_eq!(waited, wait.map(|wait: u32| wait * SECOND));
        }
    }

    #[test]
    fn changed_delays_keep_jitter() {
        let suspend_idle_timeout =
            |backoff: Backoff| [1, 2, 3].map(|attempt| backoff.wait_after(attempt, None));
        let seeded = || Jitter::seeded(3);

        let late = suspend_idle_timeout(
            Backoff::new(SECOND, SECOND)
                .jitter(seeded())
                .delays(SECOND, 9 * SECOND),
        );

        assert_eq!(
            late,
            suspend_idle_timeout(Backoff::new(SECOND, 9 * SECOND).jitter(seeded()))
        );
    }

    proptest! {
        #[test]
        fn delays_never_exceed_maximum(attempt: u32, first: u64, longest: u64) {
            let longest = Duration::from_nanos(longest);

            let wait = Backoff::new(Duration::from_nanos(first), longest).wait_after(attempt, None);

            prop_assert!(wait.is_some_and(|wait| wait <= longest), "{wait:?}");
        }
    }
}
