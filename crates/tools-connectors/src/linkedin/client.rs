//! Settings of LinkedIn's client.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::HeaderValue;

use super::limits::Limits;
use super::service::Service;
use crate::SetupError;
use crate::door::Base;

const BASE_URL: &str = "https://www.linkedin.com";
/// User agent of a browser. Others receive the first page again and again.
const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const PACE: Duration = Duration::from_secs(2);
const FASTEST: Duration = Duration::from_secs(1);

/// Client of LinkedIn's public job pages. Clones share the pace and the results of the last 10 minutes.
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
    settings: Settings,
    limits: Arc<Limits>,
    service: Arc<OnceLock<Service>>,
}

#[derive(Clone)]
struct Settings {
    pace: Duration,
    agent: HeaderValue,
    base: Option<Base>,
    proxy: Option<String>,
    #[cfg(test)]
    is_quick: bool,
}

impl LinkedIn {
    /// Creates a client with a pause of 2 seconds between requests.
    #[must_use]
    pub fn new() -> Self {
        Self {
            settings: Settings {
                pace: PACE,
                agent: HeaderValue::from_static(AGENT),
                base: None,
                proxy: None,
                #[cfg(test)]
                is_quick: false,
            },
            limits: Arc::default(),
            service: Arc::default(),
        }
    }

    fn change(self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.settings;
        change(&mut settings);
        Self {
            settings,
            limits: self.limits,
            service: Arc::default(),
        }
    }

    /// Sets the pause between requests, at least 1 second. The default is 2 seconds.
    #[must_use]
    pub fn with_pace(self, pause: Duration) -> Self {
        self.change(|settings| settings.pace = pause.max(FASTEST))
    }

    /// Sets the `User-Agent` header. The default is the one of a browser.
    ///
    /// # Errors
    /// Returns [`SetupError::Invalid`] if the text is not a valid header value.
    pub fn with_user_agent(self, agent: &str) -> Result<Self, SetupError> {
        let agent = HeaderValue::from_str(agent).map_err(|_| SetupError::Invalid("user agent"))?;
        Ok(self.change(|settings| settings.agent = agent))
    }

    /// Sets another server, such as one for tests: `https`, or `http` with a loopback address.
    ///
    /// # Errors
    /// Returns [`SetupError::InvalidEndpoint`] for other URLs.
    pub fn with_base_url(self, url: &str) -> Result<Self, SetupError> {
        let base = Base::parse(url)?;
        Ok(self.change(|settings| settings.base = Some(base)))
    }

    /// Sets an HTTP proxy, which is not used otherwise.
    #[must_use]
    pub fn with_proxy(self, url: impl Into<String>) -> Self {
        let url = url.into();
        self.change(|settings| settings.proxy = Some(url))
    }

    /// Sets a shorter pause than the floor, and short delays.
    #[cfg(test)]
    pub(crate) fn with_quick_requests(self, pause: Duration) -> Self {
        self.change(|settings| {
            settings.pace = pause;
            settings.is_quick = true;
        })
    }

    /// Returns the service that all clones share.
    pub(crate) fn service(&self) -> Result<Service, SetupError> {
        if let Some(service) = self.service.get() {
            return Ok(service.clone());
        }
        let settings = &self.settings;
        let base = match &settings.base {
            Some(base) => base.clone(),
            None => Base::parse(BASE_URL)?,
        };
        let service = Service::new(
            base,
            settings.agent.clone(),
            settings.proxy.as_deref(),
            settings.pace,
            Arc::clone(&self.limits),
        )?;
        #[cfg(test)]
        let service = if settings.is_quick {
            service.with_quick_requests()
        } else {
            service
        };
        Ok(self.service.get_or_init(|| service).clone())
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
            .field("pace", &self.settings.pace)
            .field("base", &self.settings.base)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_has_a_floor() {
        for (pause, pace) in [(0, 1), (1, 1), (30, 30)] {
            let linkedin = LinkedIn::new().with_pace(Duration::from_secs(pause));

            assert_eq!(linkedin.settings.pace, Duration::from_secs(pace));
        }
        assert_eq!(LinkedIn::new().settings.pace, PACE);
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
