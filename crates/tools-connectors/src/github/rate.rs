//! Rate limits of GitHub.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::door::{Problem, Response};

/// Wait after a secondary limit without a stated time.
const SECONDARY: Duration = Duration::from_mins(1);
const LONGEST: Duration = Duration::from_hours(1);

/// Time until which no request is sent.
#[derive(Debug, Default)]
pub(super) struct RateLimit(Mutex<Option<Instant>>);

impl RateLimit {
    /// Fails while the limit is exhausted.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = until.map(|until| until.saturating_duration_since(Instant::now()));
        match wait.filter(|wait| !wait.is_zero()) {
            Some(wait) => Err(Problem::rate_limited(Some(wait))),
            None => Ok(()),
        }
    }

    /// Reads the limits in a response. Fails if the response is a rejection because of a limit.
    pub(super) fn read(&self, response: &Response) -> Result<(), Problem> {
        let is_used_up = response.header("x-ratelimit-remaining") == Some("0");
        let until_reset = || {
            let reset = response.header("x-ratelimit-reset")?.parse().ok()?;
            let reset = UNIX_EPOCH.checked_add(Duration::from_secs(reset))?;
            Some(reset.duration_since(SystemTime::now()).unwrap_or_default())
        };
        let is_rejected = matches!(response.status.as_u16(), 403 | 429);
        let is_secondary = is_rejected && contains(&response.body, b"secondary rate limit");
        let wait = match response.retry_after().filter(|_| is_rejected) {
            Some(wait) => Some(wait),
            None if is_used_up => Some(until_reset().unwrap_or(SECONDARY)),
            None if is_secondary || response.status.as_u16() == 429 => Some(SECONDARY),
            None => None,
        };
        let Some(wait) = wait.map(|wait| wait.min(LONGEST)) else {
            return Ok(());
        };
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *until = Instant::now().checked_add(wait);
        if is_rejected {
            return Err(Problem::rate_limited(Some(wait)));
        }
        Ok(())
    }
}

fn contains(body: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(body, text).is_some()
}
