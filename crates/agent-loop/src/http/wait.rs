//! Wait times requested by providers.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// Maximum wait that a provider may request.
const MAX_WAIT: Duration = Duration::from_hours(24);
/// Returns the wait requested in a header or in the body, at most 24 hours.
pub(super) fn retry_after(headers: &HeaderMap, body: Option<&Value>) -> Option<Duration> {
    let wait = milliseconds(headers)
        .or_else(|| seconds_or_date(headers))
        .or_else(|| body.and_then(retry_info));
    wait.map(|wait| wait.min(MAX_WAIT))
}

/// Returns the provider's time, or the local time if the response has no `Date` header.
fn now(headers: &HeaderMap) -> SystemTime {
    // The date of `Retry-After` is the provider's, so a local clock that is wrong would make us wait too long or not at all.
    let date = text(headers, DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
    date.unwrap_or_else(SystemTime::now)
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    Some(headers.get(name)?.to_str().ok()?.trim())
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    text(headers, name)?.parse().ok()
}

fn milliseconds(headers: &HeaderMap) -> Option<Duration> {
    let milliseconds = number(headers, "retry-after-ms")?;
    Duration::try_from_secs_f64(milliseconds / 1000.0).ok()
}

fn seconds_or_date(headers: &HeaderMap) -> Option<Duration> {
    if let Some(seconds) = number(headers, RETRY_AFTER.as_str()) {
        return Duration::try_from_secs_f64(seconds.ceil()).ok();
    }
    let date = httpdate::parse_http_date(text(headers, RETRY_AFTER.as_str())?).ok()?;
    // Dates in the past require no wait.
    Some(date.duration_since(now(headers)).unwrap_or_default())
}

/// Reads Google's `{"@type": "…RetryInfo", "retryDelay": "34.5s"}`.
fn retry_info(body: &Value) -> Option<Duration> {
    let details = body.pointer("/error/details")?.as_array()?;
    let mut delays = details.iter().filter_map(|detail| detail.get("retryDelay"));
    let seconds = delays.next()?.as_str()?.strip_suffix('s')?;
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: &str = "Sun, 22 Nov 2026 10:00:00 GMT";

    fn requested_wait(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let mut map = HeaderMap::new();
        map.insert(DATE, NOW.parse().unwrap());
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        retry_after(&map, None)
    }

    #[test]
    fn parses_seconds_and_dates() {
        for (text, wait) in [
            ("7", Some(Duration::from_secs(7))),
            ("0.2", Some(Duration::from_secs(1))),
            ("0", Some(Duration::ZERO)),
            ("1e300", None),
            ("99999999", Some(MAX_WAIT)),
            ("-1", None),
            ("NaN", None),
            ("soon", None),
            (
                "Sun, 22 Nov 2026 10:00:30 GMT",
                Some(Duration::from_secs(30)),
            ),
            (
                "Sunday, 22-Nov-26 10:01:00 GMT",
                Some(Duration::from_mins(1)),
            ),
            ("Wed, 21 Oct 2015 07:28:00 GMT", Some(Duration::ZERO)),
        ] {
            assert_eq!(requested_wait(&[("retry-after", text)]), wait, "{text}");
        }
    }

    #[test]
    fn milliseconds_come_first() {
        for (headers, wait) in [
            (&[("retry-after-ms", "1500")][..], Some(1500)),
            (
                &[("retry-after-ms", "250"), ("retry-after", "9")],
                Some(250),
            ),
            (&[("x-ratelimit-reset", "3")], None),
            (&[], None),
        ] {
            let wait = wait.map(Duration::from_millis);
            assert_eq!(requested_wait(headers), wait, "{headers:?}");
        }
    }

    #[test]
    fn parses_retry_info_in_body() {
        let body = |delay: Value| {
            json!({"error": {"details": [
                {"@type": "type.googleapis.com/google.rpc.Help"},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
            ]}})
        };
        for (delay, wait) in [
            (json!("34.5s"), Some(Duration::from_millis(34_500))),
            (json!(34), None),
            (json!("s34"), None),
        ] {
            assert_eq!(retry_after(&HeaderMap::new(), Some(&body(delay))), wait);
        }
    }
}
