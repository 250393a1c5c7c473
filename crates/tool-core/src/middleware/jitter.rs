//! Chance, so that those who failed together do not come back together.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What one step of the generator adds: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A source of chance for delays. The same seed gives the same delays.
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
    /// Creates a source that differs from process to process.
    #[must_use]
    pub fn new() -> Self {
        // The standard library's own keys are random, and a hash of them is enough to spread delays.
        Self::seeded(RandomState::new().hash_one(0))
    }

    /// Creates a source that gives the same delays again, for tests.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// A delay between half of `longest` and `longest`.
    #[must_use]
    pub fn spread(&self, longest: Duration) -> Duration {
        let half = longest / 2;
        let share = u32::try_from(self.next() >> 32).unwrap_or(u32::MAX);
        longest.saturating_sub(half.mul_f64(f64::from(share) / f64::from(u32::MAX)))
    }

    /// `SplitMix64`: short, and every seed is a good one.
    fn next(&self) -> u64 {
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_delay_is_between_the_half_and_the_whole(seed: u64, nanoseconds: u64) {
            let longest = Duration::from_nanos(nanoseconds);

            let delay = Jitter::seeded(seed).spread(longest);

            prop_assert!(longest / 2 <= delay && delay <= longest, "{delay:?} of {longest:?}");
        }
    }

    #[test]
    fn delays_differ_and_a_seed_repeats_them() {
        let delays = |jitter: &Jitter| [0; 8].map(|_| jitter.spread(Duration::from_secs(1)));

        let first = delays(&Jitter::seeded(1));

        assert_eq!(first, delays(&Jitter::seeded(1)));
        assert_ne!(first, delays(&Jitter::seeded(2)));
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{first:?}");
    }
}
