//! Requests to services.

use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tool_core::Secret;
use url::Url;

use super::{Base, Problem, Response};

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
    pub(super) is_cut: bool,
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
    pub(crate) fn form(operation: &'static str, base: &Base, body: Vec<u8>) -> Self {
        let mut request = Self::new(operation, Method::POST, base.as_url().clone());
        request.body = Some(body);
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers.insert(CONTENT_TYPE, kind);
        request.repeat = Repeat::IfRejected;
        request
    }

    /// Creates a GET request of a URL that the caller has checked.
    pub(crate) fn checked(operation: &'static str, url: Url) -> Self {
        Self::new(operation, Method::GET, url)
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
            is_cut: false,
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
        let mut value = HeaderValue::from_str(&value).map_err(|_| Problem::NotAuthorized)?;
        value.set_sensitive(true);
        self.headers.insert(AUTHORIZATION, value);
        Ok(self)
    }

    /// Sets the maximum size of the response in bytes, after decompression.
    pub(crate) fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// Reads at most `max_bytes` of the response and drops the rest.
    pub(crate) fn cut_at(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self.is_cut = true;
        self
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
