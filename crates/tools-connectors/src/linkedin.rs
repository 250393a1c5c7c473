//! LinkedIn: search for jobs, and the details of a posting.
//!
//! Both tools read the public pages without a key or a log-in. Automated access is against LinkedIn's
//! user agreement: use them for your own job search, at this pace, or not at all.
//!
//! All clones of a [`LinkedIn`] share one pace: a pause of 3 seconds between requests by default, and
//! of at least 1 second. If LinkedIn rejects a request, no further one is sent for 15 minutes.
//! Challenges are not solved, and cookies are not kept.

mod detail;
mod jobs;
mod pages;
#[cfg(test)]
mod testing;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderValue;
use tool_core::ToolError;

use self::pages::{Cards, is_wall_address};
use crate::SetupError;
use crate::door::{Base, Deadline, Door, Missing, Problem, Request, Response, Secrets};

pub(crate) use self::detail::LinkedInJobDetail;
pub(crate) use self::jobs::LinkedInJobs;

const BASE_URL: &str = "https://www.linkedin.com";
const SEARCH: [&str; 5] = ["jobs-guest", "jobs", "api", "seeMoreJobPostings", "search"];
/// User agent of a browser. Others receive the first page again and again.
const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const PACE: Duration = Duration::from_secs(3);
const FASTEST: Duration = Duration::from_secs(1);

const MISSING: Missing = Missing {
    code: "job_not_found",
    what: "The job",
    is_deleted: false,
};

/// Client of LinkedIn's public job pages. Clones share the pace.
///
/// Automated access is against LinkedIn's user agreement; see [`linkedin`](crate::linkedin).
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tools_connectors::linkedin::LinkedIn;
///
/// let linkedin = LinkedIn::new().with_pace(Duration::from_secs(5));
/// # drop(linkedin);
/// ```
#[derive(Clone)]
pub struct LinkedIn {
    pace: Duration,
    base: Option<Base>,
    proxy: Option<String>,
    limits: Arc<Limits>,
}

impl LinkedIn {
    /// Creates a client with a pause of 3 seconds between requests.
    pub fn new() -> Self {
        Self {
            pace: PACE,
            base: None,
            proxy: None,
            limits: Arc::default(),
        }
    }

    /// Sets the pause between requests, at least 1 second. The default is 3 seconds.
    #[must_use]
    pub fn with_pace(mut self, pause: Duration) -> Self {
        self.pace = pause.max(FASTEST);
        self
    }

    /// Sets another server, such as one for tests: `https`, or `http` with a loopback address.
    ///
    /// # Errors
    /// Returns [`SetupError::InvalidEndpoint`] for other URLs.
    pub fn with_base_url(mut self, url: &str) -> Result<Self, SetupError> {
        self.base = Some(Base::parse(url)?);
        Ok(self)
    }

    /// Sets an HTTP proxy, which is not used otherwise.
    #[must_use]
    pub fn with_proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// Sets any pause, even one below the floor.
    #[cfg(test)]
    pub(crate) fn with_pause(mut self, pause: Duration) -> Self {
        self.pace = pause;
        self
    }

    /// Returns the service, which shares the pace with all clones.
    pub(crate) fn service(&self) -> Result<Service, SetupError> {
        let door = Door::new("LinkedIn", Secrets::default(), self.proxy.as_deref())?;
        let base = match &self.base {
            Some(base) => base.clone(),
            None => Base::parse(BASE_URL)?,
        };
        Ok(Service {
            door,
            base,
            settings: self.clone(),
        })
    }
}

impl Default for LinkedIn {
    fn default() -> Self {
        Self::new()
    }
}

tool_core::debug_fields!(LinkedIn, this => pace: this.pace, base: this.base);

/// Requests to LinkedIn at one pace.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    door: Door,
    base: Base,
    settings: LinkedIn,
}

impl Service {
    fn error(&self, problem: Problem) -> ToolError {
        problem.into_error(self.door.service())
    }

    /// Returns a page of search results. `query` has the names of the service.
    async fn cards(&self, query: &[(&str, String)], deadline: Deadline) -> Result<Cards, Problem> {
        let mut request = self.request("search jobs", &SEARCH);
        for (name, value) in query {
            request = request.query(name, value);
        }
        let response = self.send(&request, deadline).await?;
        let cards = match response.status.as_u16() {
            200 => Cards::read(&text(&response)),
            // Pages after the last one.
            400 | 404 | 410 => Cards::default(),
            _ => return Err(failed(&response)),
        };
        if cards.is_wall {
            return Err(self.shut(&response));
        }
        if cards.is_changed {
            return Err(Problem::PAGE_CHANGED);
        }
        Ok(cards)
    }

    /// Returns the page of a posting.
    async fn posting(&self, id: &str, deadline: Deadline) -> Result<(String, Response), Problem> {
        let path = ["jobs-guest", "jobs", "api", "jobPosting", id];
        let response = self.send(&self.request("job", &path), deadline).await?;
        match response.status.as_u16() {
            200 => Ok((text(&response), response)),
            _ => Err(failed(&response)),
        }
    }

    fn request(&self, operation: &'static str, path: &[&str]) -> Request {
        Request::get(operation, &self.base, path)
            .header("accept", HeaderValue::from_static("text/html"))
            .header("accept-language", HeaderValue::from_static("en-US"))
            .header("user-agent", HeaderValue::from_static(AGENT))
            .once()
    }

    /// Sends a request at the pace of the client. A redirect to a log-in stops all requests.
    async fn send(&self, request: &Request, deadline: Deadline) -> Result<Response, Problem> {
        let LinkedIn { limits, pace, .. } = &self.settings;
        limits.turn(*pace, deadline).await?;
        let response = self.door.send(request, deadline).await?;
        let location = response.header("location").unwrap_or_default();
        match response.status.as_u16() {
            // 999 is what LinkedIn sends to clients that it blocks.
            403 | 429 | 451 | 999 => Err(self.shut(&response)),
            300..400 if is_wall_address(location) => Err(self.shut(&response)),
            _ => Ok(response),
        }
    }

    /// Stops all requests for a while.
    fn shut(&self, response: &Response) -> Problem {
        self.settings.limits.shut(response.retry_after())
    }
}

fn text(response: &Response) -> String {
    // All pages are UTF-8.
    String::from_utf8_lossy(&response.body).into_owned()
}

fn failed(response: &Response) -> Problem {
    match response.status.as_u16() {
        404 => Problem::NotFound(MISSING),
        410 => Problem::NotFound(Missing {
            is_deleted: true,
            ..MISSING
        }),
        status @ (408 | 500..) => Problem::Status(status),
        _ => Problem::InvalidResponse,
    }
}

/// Shortest pause after a rejection.
const SHUT: Duration = Duration::from_mins(15);

/// Times of requests. Shared by all clones of a client.
#[derive(Debug, Default)]
struct Limits(Mutex<State>);

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
    async fn turn(&self, pause: Duration, deadline: Deadline) -> Result<(), Problem> {
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
        // Reserved now, so that calls at the same time do not get the same turn.
        state.last = Some(turn);
        Ok(wait)
    }

    /// Stops all requests for 15 minutes, or longer if the service requires it.
    fn shut(&self, required: Option<Duration>) -> Problem {
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

    #[test]
    fn pace_has_a_floor() {
        for (pause, pace) in [(0, 1), (1, 1), (30, 30)] {
            let linkedin = LinkedIn::new().with_pace(Duration::from_secs(pause));

            assert_eq!(linkedin.pace, Duration::from_secs(pace));
        }
        assert_eq!(LinkedIn::new().pace, PACE);
    }

    #[test]
    fn rejects_invalid_settings() {
        assert!(
            LinkedIn::new()
                .with_base_url("http://linkedin.com")
                .is_err()
        );
    }

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
