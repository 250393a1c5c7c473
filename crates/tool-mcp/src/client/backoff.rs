//! Delays between restarts.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::Instant;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_mins(1);

/// Life after which the delay starts again from the first one.
const HEALTHY: Duration = Duration::from_mins(1);

/// Maximum number of deaths in a window.
const MAX_DEATHS: usize = 8;
const WINDOW: Duration = Duration::from_mins(10);

/// Delays of one server.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    tries: u32,
    deaths: VecDeque<Instant>,
}

impl Backoff {
    /// Returns the number of the next try, from 1.
    pub(crate) fn tries(&self) -> u32 {
        self.tries
    }

    /// Records the end of a server, or of a failed restart, after a life of `life`. Returns the
    /// delay before the next start, or `None` if the server stopped too often.
    pub(crate) fn after_death(&mut self, life: Duration) -> Option<Duration> {
        let now = Instant::now();
        self.deaths.push_back(now);
        while self
            .deaths
            .front()
            .is_some_and(|death| now.duration_since(*death) > WINDOW)
        {
            self.deaths.pop_front();
        }
        if self.deaths.len() >= MAX_DEATHS {
            return None;
        }
        self.tries = if life >= HEALTHY { 1 } else { self.tries + 1 };
        let factor = 2_u32.saturating_pow(self.tries.saturating_sub(1).min(16));
        Some(jittered(FIRST.saturating_mul(factor).min(LONGEST)))
    }

    pub(crate) fn deaths(&self) -> usize {
        self.deaths.len()
    }
}

/// Returns `delay` ± 20 %, so that servers do not start at the same time.
fn jittered(delay: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish() % 401;
    let thousandths = 800 + u32::try_from(random).unwrap_or_default();
    delay.saturating_mul(thousandths) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn delay_doubles_until_server_stopped_too_often() {
        let mut backoff = Backoff::default();
        for seconds in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
            let delay = backoff.after_death(Duration::ZERO).unwrap().as_secs_f64();

            assert!(
                (seconds * 0.8..=seconds * 1.2).contains(&delay),
                "{delay} for {seconds}"
            );
        }
        assert_eq!(backoff.after_death(Duration::ZERO), None);
        assert_eq!(backoff.deaths(), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn healthy_life_resets_delay() {
        let mut backoff = Backoff::default();
        for _ in 0..20 {
            tokio::time::advance(Duration::from_mins(2)).await;
            let delay = backoff.after_death(Duration::from_mins(2)).unwrap();

            assert!(delay <= Duration::from_millis(600), "{delay:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn delay_is_limited() {
        let mut backoff = Backoff::default();
        for _ in 0..20 {
            tokio::time::advance(Duration::from_secs(100)).await;
            let delay = backoff.after_death(Duration::ZERO).unwrap();

            assert!(delay <= Duration::from_secs(72), "{delay:?}");
        }
    }
}
