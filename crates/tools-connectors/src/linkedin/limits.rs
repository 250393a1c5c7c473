//! Pace of requests, and the pause after a rejection.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::door::{Deadline, Problem};

/// Shortest pause after a rejection.
const SHUT: Duration = Duration::from_mins(15);

/// Times of requests. Shared by all clones of a client.
#[derive(Debug, Default)]
pub(super) struct Limits(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Time of the last request, including reserved ones.
    last: Option<Instant>,
    shut_until: Option<Instant>,
}

impl Limits {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a request. Fails if its turn is after the deadline, or after a rejection.
    pub(super) async fn turn(&self, pause: Duration, deadline: Deadline) -> Result<(), Problem> {
        let wait = self.reserve(pause, deadline.remaining())?;
        tokio::time::sleep(wait).await;
        // Another request may have been rejected in the meantime.
        self.state().check()
    }

    /// Reserves the next turn if it is within `time`, and returns the wait for it.
    fn reserve(&self, pause: Duration, time: Duration) -> Result<Duration, Problem> {
        let mut state = self.state();
        state.check()?;
        let now = Instant::now();
        let turn = state.last.map_or(now, |last| now.max(last + pause));
        let wait = turn.saturating_duration_since(now);
        if wait > time {
            return Err(Problem::rate_limited(Some(wait)));
        }
        state.last = Some(turn);
        Ok(wait)
    }

    /// Stops all requests for 15 minutes, or longer if the service requires it.
    pub(super) fn shut(&self, required: Option<Duration>) -> Problem {
        let wait = required.unwrap_or_default().max(SHUT);
        self.state().shut_until = Instant::now().checked_add(wait);
        Problem::rate_limited(Some(wait))
    }
}

impl State {
    /// Fails while requests are stopped.
    fn check(&self) -> Result<(), Problem> {
        let left = self
            .shut_until
            .map(|until| until.saturating_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            Some(left) => Err(Problem::rate_limited(Some(left))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(5);

    #[test]
    fn requests_have_pause_and_late_turn_reserves_nothing() {
        let limits = Limits::default();
        let pause = Duration::from_secs(2);

        let waits: Vec<u128> = (0..3)
            .map(|_| {
                limits
                    .reserve(pause, LONG)
                    .unwrap()
                    .as_millis()
                    .div_ceil(1000)
            })
            .collect();

        assert_eq!(waits, [0, 2, 4]);
        for _ in 0..2 {
            let late = limits.reserve(pause, Duration::from_secs(1));
            let Err(Problem::RateLimited {
                wait: Some(wait), ..
            }) = late
            else {
                unreachable!("the turn is too late");
            };
            assert!(wait > pause * 2 && wait <= pause * 3);
        }
    }

    #[tokio::test]
    async fn rejection_stops_requests_for_15_minutes() {
        let limits = Limits::default();

        for (required, seconds) in [(None, 900), (Some(5), 900), (Some(3600), 3600)] {
            let problem = limits.shut(required.map(Duration::from_secs));
            let Problem::RateLimited { wait, .. } = problem else {
                unreachable!("a rejection is a rate limit");
            };
            assert_eq!(wait, Some(Duration::from_secs(seconds)));
            let turn = limits.turn(Duration::ZERO, Deadline::after(LONG)).await;
            assert!(matches!(turn, Err(Problem::RateLimited { .. })));
        }
        limits.state().shut_until = Instant::now().checked_sub(Duration::from_secs(1));
        let turn = limits.turn(Duration::ZERO, Deadline::after(LONG)).await;
        assert!(turn.is_ok());
    }
}
