//! How long to wait before another attempt.

use std::time::Duration;

use super::Jitter;

/// Waits that double from attempt to attempt, with chance taking off up to half of each.
///
/// A wait stays within the longest one. Whoever was asked to wait longer than that should give up in its place, which
/// [`wait_after`](Self::wait_after) says.
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
    /// Waits at most `first` after the first attempt, twice that after the second and so on, and never more than
    /// `longest`.
    #[must_use]
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            jitter: Jitter::new(),
        }
    }

    /// Sets the wait after the first attempt, and the longest one.
    #[must_use]
    pub fn delays(self, first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            ..self
        }
    }

    /// Sets where chance comes from.
    #[must_use]
    pub fn jitter(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// How long to wait after the attempt with this number, counting from 1. A longer wait that the other side `asked`
    /// for holds in its place; `None` when that is more than the longest one.
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
    fn the_wait_doubles_until_it_is_the_longest() {
        let backoff = Backoff::new(SECOND, 5 * SECOND);
        for (attempt, longest) in [(0, 1), (1, 1), (2, 2), (3, 4), (4, 5), (u32::MAX, 5)] {
            let wait = backoff.wait_after(attempt, None).unwrap();

            let longest = longest * SECOND;
            assert!(wait >= longest / 2 && wait <= longest, "{attempt} {wait:?}");
        }
    }

    #[test]
    fn what_the_other_side_asks_for_holds_up_to_the_longest() {
        let backoff = Backoff::new(SECOND, 8 * SECOND);
        for (asked, wait) in [(5, Some(5)), (8, Some(8)), (9, None)] {
            let waited = backoff.wait_after(1, Some(asked * SECOND));

            assert_eq!(waited, wait.map(|wait: u32| wait * SECOND));
        }
    }

    #[test]
    fn other_delays_keep_their_source_of_chance() {
        let waits = |backoff: Backoff| [1, 2, 3].map(|attempt| backoff.wait_after(attempt, None));
        let seeded = || Jitter::seeded(3);

        let late = waits(
            Backoff::new(SECOND, SECOND)
                .jitter(seeded())
                .delays(SECOND, 9 * SECOND),
        );

        assert_eq!(
            late,
            waits(Backoff::new(SECOND, 9 * SECOND).jitter(seeded()))
        );
    }

    proptest! {
        #[test]
        fn without_a_wish_there_is_always_a_wait_within_the_longest(attempt: u32, first: u64, longest: u64) {
            let longest = Duration::from_nanos(longest);

            let wait = Backoff::new(Duration::from_nanos(first), longest).wait_after(attempt, None);

            prop_assert!(wait.is_some_and(|wait| wait <= longest), "{wait:?}");
        }
    }
}
