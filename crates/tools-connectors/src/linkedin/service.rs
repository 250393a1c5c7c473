//! Requests to LinkedIn at one pace.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use tokio::sync::{Semaphore, SemaphorePermit};
use url::Url;

use super::cards::Cards;
use super::identity::{is_linkedin_host, is_wall, is_wall_address};
use super::limits::Limits;
use super::posting::Posting;
use crate::SetupError;
use crate::door::{Base, Deadline, Door, Missing, Problem, Recent, Request, Response, Secrets};

const SEARCH: [&str; 5] = ["jobs-guest", "jobs", "api", "seeMoreJobPostings", "search"];
const POSTING: [&str; 4] = ["jobs-guest", "jobs", "api", "jobPosting"];
const ATTEMPTS: usize = 3;
const REDIRECTS: usize = 3;
/// Concurrent calls of one tool.
const CALLS: usize = 4;
/// Number of pages and postings that are kept.
const RECENT: usize = 200;
const RECENT_KEPT: Duration = Duration::from_mins(10);

const MISSING: Missing = Missing {
    code: "job_not_found",
    what: "The job",
    is_deleted: false,
};

/// LinkedIn's public job pages. Clones share the pace and the results of the last 10 minutes.
#[derive(Clone)]
pub(crate) struct Service {
    door: Door,
    base: Base,
    agent: HeaderValue,
    pause: Duration,
    limits: Arc<Limits>,
    places: Arc<Semaphore>,
    pages: Arc<Recent<Cards>>,
    postings: Arc<Recent<Posting>>,
}

impl Service {
    pub(super) fn new(
        base: Base,
        agent: HeaderValue,
        proxy: Option<&str>,
        pause: Duration,
        limits: Arc<Limits>,
    ) -> Result<Self, SetupError> {
        Ok(Self {
            door: Door::new("LinkedIn", Secrets::default(), proxy)?,
            base,
            agent,
            pause,
            limits,
            places: Arc::new(Semaphore::new(CALLS)),
            pages: Arc::new(Recent::new(RECENT, RECENT_KEPT)),
            postings: Arc::new(Recent::new(RECENT, RECENT_KEPT)),
        })
    }

    #[cfg(test)]
    pub(super) fn with_quick_requests(mut self) -> Self {
        self.door = self.door.with_pace(crate::door::testing::quick());
        self
    }

    /// Waits until fewer than 4 calls are running.
    pub(super) async fn place(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.places.acquire().await.ok()
    }

    pub(super) fn error(&self, problem: Problem) -> tool_core::ToolError {
        problem.into_error(self.door.service())
    }

    /// Returns a page of search results. `query` has the names of the service.
    pub(super) async fn cards(
        &self,
        query: &[(&str, String)],
        deadline: Deadline,
    ) -> Result<Arc<Cards>, Problem> {
        let mut request = self.request("search jobs", &SEARCH);
        for (name, value) in query {
            request = request.query(name, value);
        }
        let key = request.address().query().unwrap_or_default().to_owned();
        if let Some(known) = self.pages.get(&key) {
            return Ok(known);
        }
        let response = self.send(request, deadline).await?;
        let cards = match response.status.as_u16() {
            200 => Cards::read(&text(&response)),
            // Pages after the last one.
            400 | 404 | 410 => Cards::default(),
            _ => return Err(failed(&response)),
        };
        if cards.is_wall {
            return Err(self.limits.shut(response.retry_after()));
        }
        if cards.is_changed {
            return Err(Problem::PageChanged);
        }
        let cards = Arc::new(cards);
        self.pages.add(&key, &cards);
        Ok(cards)
    }

    /// Returns a posting.
    pub(super) async fn posting(
        &self,
        id: &str,
        deadline: Deadline,
    ) -> Result<Arc<Posting>, Problem> {
        if let Some(known) = self.postings.get(id) {
            return Ok(known);
        }
        let path: Vec<&str> = POSTING.iter().copied().chain([id]).collect();
        let response = self.send(self.request("job", &path), deadline).await?;
        if response.status != reqwest::StatusCode::OK {
            return Err(failed(&response));
        }
        let html = text(&response);
        let Some(posting) = Posting::read(&html) else {
            return Err(if is_wall(&html) {
                self.limits.shut(response.retry_after())
            } else {
                Problem::PageChanged
            });
        };
        let posting = Arc::new(posting);
        self.postings.add(id, &posting);
        Ok(posting)
    }

    fn request(&self, operation: &'static str, path: &[&str]) -> Request {
        Request::get(operation, &self.base, path)
            .header("accept", HeaderValue::from_static("text/html"))
            .header("accept-language", HeaderValue::from_static("en-US"))
            .header("user-agent", self.agent.clone())
            .once()
    }

    /// Sends a request at the pace of the client, again after a temporary failure.
    async fn send(&self, request: Request, deadline: Deadline) -> Result<Response, Problem> {
        let mut attempt = 1;
        loop {
            let outcome = self.follow(request.clone(), deadline).await;
            let is_temporary = match &outcome {
                Ok(response) => matches!(response.status.as_u16(), 408 | 500 | 502 | 503 | 504),
                Err(problem) => matches!(problem, Problem::Unreachable(_) | Problem::Lost(_)),
            };
            if !is_temporary || attempt >= ATTEMPTS {
                return outcome;
            }
            attempt += 1;
        }
    }

    /// Follows redirects within the service. A redirect to a log-in stops all requests.
    async fn follow(&self, mut request: Request, deadline: Deadline) -> Result<Response, Problem> {
        for _ in 0..=REDIRECTS {
            self.limits.turn(self.pause, deadline).await?;
            let response = self.door.send(&request, deadline).await?;
            match response.status.as_u16() {
                403 | 429 | 451 | 999 => return Err(self.limits.shut(response.retry_after())),
                301 | 302 | 303 | 307 | 308 => {}
                _ => return Ok(response),
            }
            let location = response.header("location").unwrap_or_default();
            let url = request.address().join(location);
            let url = url.map_err(|_| Problem::InvalidResponse)?;
            if is_wall_address(url.path()) {
                return Err(self.limits.shut(response.retry_after()));
            }
            if !self.is_own(&url) {
                return Err(Problem::InvalidResponse);
            }
            request = request.moved(url);
        }
        Err(Problem::InvalidResponse)
    }

    /// Returns whether a redirect stays within LinkedIn.
    fn is_own(&self, url: &Url) -> bool {
        let is_linkedin = url.host_str().is_some_and(is_linkedin_host);
        self.base.has_origin_of(url)
            || (url.scheme() == "https" && url.port().is_none() && is_linkedin)
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Service({:?})", self.base)
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
