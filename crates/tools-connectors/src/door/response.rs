//! Complete responses.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde::de::DeserializeOwned;

use super::Problem;

/// Maximum reported time to wait.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// Complete response of a service. The body contains no secrets of the account.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Parses the body.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_json::from_slice(&self.body).map_err(|_| Problem::InvalidResponse)
    }

    /// Returns a header that is valid text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the time to wait that the service requests, at most one day.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let value = self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
        let wait = match value.parse() {
            Ok(seconds) => Duration::from_secs(seconds),
            Err(_) => self.until(httpdate::parse_http_date(value).ok()?),
        };
        Some(wait.min(LONGEST_WAIT))
    }

    /// Returns the time until `date`, by the clock of the service if it sent its time.
    fn until(&self, date: SystemTime) -> Duration {
        let sent = self.headers.get(DATE).and_then(|date| date.to_str().ok());
        let now = sent.and_then(|sent| httpdate::parse_http_date(sent).ok());
        let now = now.unwrap_or_else(SystemTime::now);
        date.duration_since(now).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_retry_after() {
        let date = "Mon, 02 Nov 2026 10:00:00 GMT";
        for (value, wait) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Mon, 02 Nov 2026 10:00:30 GMT", Some(30)),
            ("Mon, 02 Nov 2026 09:00:00 GMT", Some(0)),
            ("Tue, 02 Nov 2027 10:00:00 GMT", Some(86_400)),
            ("31536000", Some(86_400)),
            ("soon", None),
            ("-1", None),
        ] {
            let headers = [("retry-after", value), ("date", date)];
            let headers = headers
                .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
            let response = Response {
                status: StatusCode::TOO_MANY_REQUESTS,
                headers: headers.into_iter().collect(),
                body: Vec::new(),
            };

            assert_eq!(
                response.retry_after(),
                wait.map(Duration::from_secs),
                "{value}"
            );
        }
    }
}
