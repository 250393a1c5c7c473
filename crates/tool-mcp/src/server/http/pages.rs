//! Requests of web pages: what browsers must be told before a page may send a request or read its response (CORS), and
//! the types that it accepts.

use http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue};

use super::HttpOptions;

/// Methods of the endpoint.
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");

/// Response headers that clients need.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate, Retry-After");

/// Seconds for which browsers need not ask again.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Both types of responses.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Page of an accepted origin.
pub(super) struct Page(HeaderValue);

impl Page {
    pub(super) fn of(headers: &HeaderMap, options: &HttpOptions) -> Option<Self> {
        let origin = headers.get(ORIGIN)?;
        let is_allowed = origin
            .to_str()
            .is_ok_and(|text| options.allows_origin(text));
        is_allowed.then(|| Self(origin.clone()))
    }

    /// Responds to a browser that asks whether the page may send a request. Such a question has no credentials.
    pub(super) fn answer(&self, requested: &HeaderMap, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        // Tools may name further headers for their parameters, and tokens protect the endpoint, not names of headers.
        if let Some(names) = requested.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        }
        self.allow(headers);
    }

    /// Lets the page read a response.
    pub(super) fn allow(&self, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.0.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
}

/// Replaces wildcards by the types that they stand for, because the endpoint requires these by name. A request without
/// the header accepts everything.
pub(super) fn complete_accept(headers: &mut HeaderMap) {
    let values = headers.get_all(ACCEPT).iter();
    let values: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
    let types: Vec<&str> = values
        .iter()
        .flat_map(|value| value.split(','))
        .filter(|entry| !is_excluded(entry))
        .filter_map(|entry| Some(entry.split(';').next()?.trim()))
        .collect();
    let accepts = |wildcard: &str, name: &str| {
        let mut types = types.iter();
        types.any(|given| *given == "*/*" || *given == wildcard || given.eq_ignore_ascii_case(name))
    };
    let is_complete =
        accepts("application/*", "application/json") && accepts("text/*", "text/event-stream");
    if is_complete || !headers.contains_key(ACCEPT) {
        headers.insert(ACCEPT, BOTH);
    }
}

/// Returns whether an entry of `Accept` has the quality 0.
fn is_excluded(entry: &str) -> bool {
    let mut parameters = entry.split(';').skip(1).map(str::trim);
    parameters.any(|parameter| {
        let quality = parameter
            .strip_prefix("q=")
            .or_else(|| parameter.strip_prefix("Q="));
        quality.is_some_and(|quality| quality.parse() == Ok(0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_accept_both_types() {
        for (given, is_complete) in [
            (&[][..], true),
            (&["*/*"], true),
            (&["text/html, */*;q=0.1"], true),
            (&["application/*", "text/*"], true),
            (&["application/json, text/*"], true),
            (&["APPLICATION/JSON, text/event-stream"], true),
            (&["application/json"], false),
            (&["text/event-stream"], false),
            (&["*/*;q=0"], false),
            (&["text/html"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in given {
                headers.append(ACCEPT, HeaderValue::from_static(value));
            }

            complete_accept(&mut headers);

            assert_eq!(headers.get(ACCEPT) == Some(&BOTH), is_complete, "{given:?}");
        }
    }

    #[test]
    fn pages_of_allowed_origins_are_accepted() {
        let mut options = HttpOptions::default().allow_origin("https://App.example.com");
        options = options.allow_origin("http://dev.example.com:*");
        let options = options.checked().unwrap();
        for (origin, is_allowed) in [
            ("https://app.example.com", true),
            ("https://APP.example.com:443", true),
            ("http://dev.example.com", true),
            ("http://dev.example.com:3000", true),
            ("https://app.example.com:8443", false),
            ("http://app.example.com", false),
            ("http://dev.example.com.evil.example:80", false),
            ("http://dev.example.company", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(options.allows_origin(origin), is_allowed, "{origin}");
        }
    }
}
