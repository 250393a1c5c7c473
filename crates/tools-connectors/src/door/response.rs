//! Complete responses.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde::de::DeserializeOwned;

use super::Problem;

/// The present format of HTTP dates, and two that are obsolete.
const DATES: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];
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
            Err(_) => self.until(parse_date(value)?),
        };
        Some(wait.min(LONGEST_WAIT))
    }

    /// Returns the time until `date`, by the clock of the service if it sent its time.
    fn until(&self, date: Timestamp) -> Duration {
        let sent = self.headers.get(DATE).and_then(|date| date.to_str().ok());
        let now = sent.and_then(parse_date).unwrap_or_else(Timestamp::now);
        date.duration_since(now).try_into().unwrap_or_default()
    }
}

fn parse_date(text: &str) -> Option<Timestamp> {
    let parsed = |format| DateTime::strptime(format, text).ok();
    let date = DATES.iter().find_map(parsed)?;
    TimeZone::UTC.to_timestamp(date).ok()
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
            ("Monday, 02-Nov-26 10:01:00 GMT", Some(60)),
            ("Mon Nov  2 10:02:00 2026", Some(120)),
            ("Tue, 02 Nov 2026 10:00:30 GMT", None),
            ("Mon, 02 Nov 2026 10:00:30", None),
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
