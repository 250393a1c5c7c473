//! Pace of requests, and the pause after a rejection.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::door::{Deadline, Problem};

/// Maximum number of requests per minute.
const PER_MINUTE: usize = 20;
const MINUTE: Duration = Duration::from_mins(1);
/// Shortest pause after a rejection.
const SHUT: Duration = Duration::from_mins(15);

/// Times of requests. Shared by all clones of a client.
#[derive(Debug, Default)]
pub(super) struct Limits(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Times of the last requests, including reserved ones.
    requests: VecDeque<Instant>,
    shut_until: Option<Instant>,
}

/// Decision on a request.
#[derive(Debug, PartialEq, Eq)]
enum Turn {
    /// The request may be sent after this time.
    After(Duration),
    /// The limits end after this time, which is too late.
    TooLate(Duration),
}

impl State {
    /// Reserves the next request if it can be sent within `time`.
    fn reserve(&mut self, now: Instant, pause: Duration, time: Duration) -> Turn {
        let shut = self.shut_until.filter(|until| *until > now);
        if let Some(until) = shut {
            return Turn::TooLate(until.saturating_duration_since(now));
        }
        let after_last = self.requests.back().map(|last| *last + pause);
        let full = self.requests.len().checked_sub(PER_MINUTE);
        let after_minute = full.and_then(|oldest| self.requests.get(oldest));
        let after_minute = after_minute.map(|oldest| *oldest + MINUTE);
        let at = [after_last, after_minute].into_iter().flatten().max();
        let at = at.unwrap_or(now).max(now);
        let wait = at.saturating_duration_since(now);
        if wait > time {
            return Turn::TooLate(wait);
        }
        self.requests.push_back(at);
        if self.requests.len() > PER_MINUTE {
            self.requests.pop_front();
        }
        Turn::After(wait)
    }
}

impl Limits {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a request. Fails if its turn is after the deadline, or after a rejection.
    pub(super) async fn turn(&self, pause: Duration, deadline: Deadline) -> Result<(), Problem> {
        let turn = self
            .state()
            .reserve(Instant::now(), pause, deadline.remaining());
        match turn {
            Turn::After(wait) => tokio::time::sleep(wait).await,
            Turn::TooLate(wait) => return Err(Problem::rate_limited(Some(wait))),
        }
        // Another request may have been rejected in the meantime.
        let shut_until = self.state().shut_until;
        let left = shut_until.map(|until| until.saturating_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            Some(left) => Err(Problem::rate_limited(Some(left))),
            None => Ok(()),
        }
    }

    /// Stops all requests for 15 minutes, or longer if the service requires it.
    pub(super) fn shut(&self, required: Option<Duration>) -> Problem {
        let wait = required.unwrap_or_default().max(SHUT);
        self.state().shut_until = Instant::now().checked_add(wait);
        Problem::rate_limited(Some(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(5);

    #[test]
    fn requests_have_pause_and_limit_per_minute() {
        let (mut state, now) = (State::default(), Instant::now());
        let pause = Duration::from_secs(2);

        let waits: Vec<u64> = (0..22)
            .map(|_| match state.reserve(now, pause, LONG) {
                Turn::After(wait) => wait.as_secs(),
                Turn::TooLate(_) => u64::MAX,
            })
            .collect();

        assert_eq!(waits[..3], [0, 2, 4]);
        // The 21st request is one minute after the first.
        assert_eq!(waits[19..], [38, 60, 62]);
    }

    #[test]
    fn late_turn_reserves_nothing() {
        let (mut state, now) = (State::default(), Instant::now());
        let (pause, short) = (Duration::from_secs(2), Duration::from_secs(1));
        assert_eq!(
            state.reserve(now, pause, short),
            Turn::After(Duration::ZERO)
        );

        for _ in 0..2 {
            assert_eq!(state.reserve(now, pause, short), Turn::TooLate(pause));
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
