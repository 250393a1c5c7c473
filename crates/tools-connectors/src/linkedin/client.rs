//! Client of LinkedIn's public job pages.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use tool_core::ToolError;

use super::cards::{Cards, is_wall_address};
use super::limits::Limits;
use crate::SetupError;
use crate::door::{Base, Deadline, Door, Missing, Problem, Request, Response, Secrets};

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
    agent: HeaderValue,
    base: Option<Base>,
    proxy: Option<String>,
    limits: Arc<Limits>,
    #[cfg(test)]
    is_quick: bool,
}

impl LinkedIn {
    /// Creates a client with a pause of 3 seconds between requests.
    #[must_use]
    pub fn new() -> Self {
        Self {
            pace: PACE,
            agent: HeaderValue::from_static(AGENT),
            base: None,
            proxy: None,
            limits: Arc::default(),
            #[cfg(test)]
            is_quick: false,
        }
    }

    /// Sets the pause between requests, at least 1 second. The default is 3 seconds.
    #[must_use]
    pub fn with_pace(mut self, pause: Duration) -> Self {
        self.pace = pause.max(FASTEST);
        self
    }

    /// Sets the `User-Agent` header. The default is the one of a browser.
    ///
    /// # Errors
    /// Returns [`SetupError::Invalid`] if the text is not a valid header value.
    pub fn with_user_agent(mut self, agent: &str) -> Result<Self, SetupError> {
        self.agent = HeaderValue::from_str(agent).map_err(|_| SetupError::Invalid("user agent"))?;
        Ok(self)
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

    /// Sets a shorter pause than the floor, and short delays.
    #[cfg(test)]
    pub(crate) fn with_quick_requests(mut self, pause: Duration) -> Self {
        self.pace = pause;
        self.is_quick = true;
        self
    }

    /// Returns the service, which shares the pace with all clones.
    pub(crate) fn service(&self) -> Result<Service, SetupError> {
        let door = Door::new("LinkedIn", Secrets::default(), self.proxy.as_deref())?;
        #[cfg(test)]
        let door = if self.is_quick {
            door.with_pace(crate::door::testing::quick())
        } else {
            door
        };
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

impl fmt::Debug for LinkedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkedIn")
            .field("pace", &self.pace)
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

/// Requests to LinkedIn at one pace.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    door: Door,
    base: Base,
    settings: LinkedIn,
}

impl Service {
    pub(super) fn error(&self, problem: Problem) -> ToolError {
        problem.into_error(self.door.service())
    }

    /// Returns a page of search results. `query` has the names of the service.
    pub(super) async fn cards(
        &self,
        query: &[(&str, String)],
        deadline: Deadline,
    ) -> Result<Cards, Problem> {
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
            return Err(Problem::PageChanged);
        }
        Ok(cards)
    }

    /// Returns the page of a posting.
    pub(super) async fn posting(
        &self,
        id: &str,
        deadline: Deadline,
    ) -> Result<(String, Response), Problem> {
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
            .header("user-agent", self.settings.agent.clone())
            .once()
    }

    /// Sends a request at the pace of the client. A redirect to a log-in stops all requests.
    async fn send(&self, request: &Request, deadline: Deadline) -> Result<Response, Problem> {
        let LinkedIn { limits, pace, .. } = &self.settings;
        limits.turn(*pace, deadline).await?;
        let response = self.door.send(request, deadline).await?;
        let location = response.header("location").unwrap_or_default();
        match response.status.as_u16() {
            403 | 429 | 451 | 999 => Err(self.shut(&response)),
            300..400 if is_wall_address(location) => Err(self.shut(&response)),
            _ => Ok(response),
        }
    }

    /// Stops all requests for a while.
    pub(super) fn shut(&self, response: &Response) -> Problem {
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
        assert!(LinkedIn::new().with_user_agent("a\r\nb").is_err());
        assert!(
            LinkedIn::new()
                .with_base_url("http://linkedin.com")
                .is_err()
        );
    }
}
