//! Requests to services, and complete responses.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::Secret;
use url::Url;

use super::{Base, Problem};

const KILOBYTE: usize = 1024;
/// Default limit of a response in bytes.
const MAX_BYTES: usize = 4 * KILOBYTE * KILOBYTE;

/// Conditions for a repetition of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// The request has no effect, or the same effect if repeated.
    Always,
    /// Only if the service certainly did not accept the request.
    IfRejected,
    /// Not by the client; the caller repeats the request at its own pace.
    Never,
}

/// Request to the origin of a service.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(super) operation: &'static str,
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
    pub(super) max_bytes: usize,
    pub(super) repeat: Repeat,
    pub(super) is_rate_limit: fn(&Response) -> bool,
    pub(super) is_scrubbed: bool,
}

impl Request {
    /// Creates a GET request of the resource beneath `base`.
    pub(crate) fn get(operation: &'static str, base: &Base, segments: &[&str]) -> Self {
        Self::new(operation, Method::GET, base.url(segments))
    }

    /// Creates a POST request with a JSON body.
    pub(crate) fn post(
        operation: &'static str,
        base: &Base,
        segments: &[&str],
        body: &Value,
    ) -> Self {
        let mut request = Self::new(operation, Method::POST, base.url(segments));
        request.body = Some(body.to_string().into_bytes());
        request
            .headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.repeat = Repeat::IfRejected;
        request
    }

    /// Creates a POST request with a form.
    pub(crate) fn form<'f>(
        operation: &'static str,
        base: &Base,
        fields: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Self {
        let mut request = Self::new(operation, Method::POST, base.as_url().clone());
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        request.body = Some(body.extend_pairs(fields).finish().into_bytes());
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers.insert(CONTENT_TYPE, kind);
        request.repeat = Repeat::IfRejected;
        request
    }

    fn new(operation: &'static str, method: Method, url: Url) -> Self {
        let accepted = HeaderValue::from_static("application/json");
        Self {
            operation,
            method,
            url,
            headers: HeaderMap::from_iter([(ACCEPT, accepted)]),
            body: None,
            max_bytes: MAX_BYTES,
            repeat: Repeat::Always,
            is_rate_limit: |_| false,
            is_scrubbed: true,
        }
    }

    /// Adds a parameter to the query.
    pub(crate) fn query(mut self, name: &str, value: &str) -> Self {
        self.url.query_pairs_mut().append_pair(name, value);
        self
    }

    /// Adds a parameter to the query if it has a value.
    pub(crate) fn maybe_query(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Sends the request to another URL that the caller has checked.
    pub(crate) fn moved(self, url: Url) -> Self {
        Self { url, ..self }
    }

    /// Sets a header with a fixed name.
    pub(crate) fn header(mut self, name: &'static str, value: HeaderValue) -> Self {
        self.headers.insert(HeaderName::from_static(name), value);
        self
    }

    /// Sets the bearer token.
    pub(crate) fn bearer(mut self, token: &Secret<String>) -> Result<Self, Problem> {
        let value = format!("Bearer {}", token.expose());
        let mut value = HeaderValue::from_str(&value).map_err(|_| Problem::NOT_AUTHORIZED)?;
        // Sensitive headers are left out of `Debug` output and of HTTP/2's compression tables.
        value.set_sensitive(true);
        self.headers.insert(AUTHORIZATION, value);
        Ok(self)
    }

    /// Sets the maximum size of the response in bytes, after decompression.
    pub(crate) fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// Sets the responses that count as a rate limit in addition to status 429.
    pub(crate) fn rate_limit(mut self, is_rate_limit: fn(&Response) -> bool) -> Self {
        self.is_rate_limit = is_rate_limit;
        self
    }

    /// Leaves repetitions to the caller.
    pub(crate) fn once(mut self) -> Self {
        self.repeat = Repeat::Never;
        self
    }

    /// Keeps secrets in the response, for the responses that contain new ones.
    pub(crate) fn unscrubbed(mut self) -> Self {
        self.is_scrubbed = false;
        self
    }
}

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
        // The clock of this machine may be wrong, and a wait of an hour too much stops the call.
        let sent = self.headers.get(DATE).and_then(|date| date.to_str().ok());
        let now = sent.and_then(parse_date).unwrap_or_else(Timestamp::now);
        date.duration_since(now).try_into().unwrap_or_default()
    }
}

fn parse_date(text: &str) -> Option<Timestamp> {
    Some(rfc2822::parse(text).ok()?.timestamp())
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
