//! Random delays, so that concurrent failures are not retried together.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn delay_is_between_half_and_maximum(seed: u64, nanoseconds: u64) {
            let longest = Duration::from_nanos(nanoseconds);

            let delay = Jitter::seeded(seed).spread(longest);

            prop_assert!(longest / 2 <= delay && delay <= longest, "{delay:?} of {longest:?}");
        }
    }

    #[test]
    fn equal_seeds_yield_equal_delays() {
        let delays = |jitter: &Jitter| [0; 8].map(|_| jitter.spread(Duration::from_secs(1)));

        let first = delays(&Jitter::seeded(1));

        assert_eq!(first, delays(&Jitter::seeded(1)));
        assert_ne!(first, delays(&Jitter::seeded(2)));
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{first:?}");
    }
}
