//! Wait times requested by providers.

use std::time::{Duration, SystemTime};

use provider_adapters::Endpoint;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use tool_core::Timestamp;

/// Maximum wait that a provider may request.
const MAX_WAIT: Duration = Duration::from_hours(24);
/// Larger numbers are milliseconds since 1970, smaller numbers seconds since 1970.
const FROM_MILLISECONDS: f64 = 1e11;
/// Larger numbers are a time since 1970, smaller numbers seconds from now.
const FROM_EPOCH: f64 = 1e9;

/// Returns the wait requested in a header or in the body, at most 24 hours.
pub(super) fn retry_after(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    body: Option<&Value>,
) -> Option<Duration> {
    let now = now(headers);
    // Headers that name the wait come first; those of limits only say when a limit is reset.
    let wait = milliseconds(headers)
        .or_else(|| seconds_or_date(headers, now))
        .or_else(|| body.and_then(retry_info))
        .or_else(|| exhausted_limits(endpoint, headers, now))
        .or_else(|| until(number(headers, "x-ratelimit-reset")?, now));
    wait.map(|wait| wait.min(MAX_WAIT))
}

/// Returns the provider's time, or the local time if the response has no `Date` header.
fn now(headers: &HeaderMap) -> SystemTime {
    // Reset times are absolute, so a local clock that is wrong would make us wait too long or not at all.
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

fn seconds_or_date(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    if let Some(seconds) = number(headers, RETRY_AFTER.as_str()) {
        return Duration::try_from_secs_f64(seconds.ceil()).ok();
    }
    let date = httpdate::parse_http_date(text(headers, RETRY_AFTER.as_str())?).ok()?;
    // Dates in the past require no wait.
    Some(date.duration_since(now).unwrap_or_default())
}

/// Reads Google's `{"@type": "…RetryInfo", "retryDelay": "34.5s"}`.
fn retry_info(body: &Value) -> Option<Duration> {
    let details = body.pointer("/error/details")?.as_array()?;
    let mut delays = details.iter().filter_map(|detail| detail.get("retryDelay"));
    span(delays.next()?.as_str()?)
}

/// Returns the wait until all exhausted limits are reset.
fn exhausted_limits(endpoint: &Endpoint, headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let is_exhausted = |remaining| number(headers, remaining).is_some_and(|left| left <= 0.0);
    let exhausted = endpoint
        .rate_limits
        .iter()
        .filter(|limit| is_exhausted(limit.0));
    let waits = exhausted.filter_map(|limit| {
        let reset = text(headers, limit.1)?;
        span(reset).or_else(|| {
            let reset = Timestamp::parse(reset)?.as_milliseconds();
            let now = Timestamp::from(now).as_milliseconds();
            Some(Duration::from_millis(reset.saturating_sub(now)))
        })
    });
    waits.max()
}

/// Converts seconds from now, or seconds or milliseconds since 1970.
fn until(number: f64, now: SystemTime) -> Option<Duration> {
    let since_epoch = match number {
        small if small < FROM_EPOCH => return Duration::try_from_secs_f64(small).ok(),
        seconds if seconds < FROM_MILLISECONDS => seconds,
        milliseconds => milliseconds / 1000.0,
    };
    let reset = Duration::try_from_secs_f64(since_epoch).ok()?;
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(reset.saturating_sub(now))
}

/// Parses a duration in the format of Go and Google: `1h2m3.5s`, `20ms`. A plain number is seconds.
fn span(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let is_unit = |c: char| !c.is_ascii_digit() && c != '.';
        let (number, tail) = rest.split_at(rest.find(is_unit).unwrap_or(rest.len()));
        let (unit, tail) = tail.split_at(
            tail.find(|c: char| c.is_ascii_digit())
                .unwrap_or(tail.len()),
        );
        seconds += number.parse::<f64>().ok()? * seconds_of(unit)?;
        rest = tail;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "d" => 86_400.0,
        "h" => 3600.0,
        "m" => 60.0,
        "s" | "" => 1.0,
        "ms" => 0.001,
        "us" | "µs" => 0.000_001,
        "ns" => 0.000_000_001,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use provider_adapters::Provider;

    use super::*;

    const NOW: &str = "Sun, 22 Nov 2026 10:00:00 GMT";

    fn requested_wait(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let mut map = HeaderMap::new();
        map.insert(DATE, NOW.parse().unwrap());
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        let endpoints = [Provider::OpenAi, Provider::Anthropic].map(Provider::endpoint);
        let mut waits = endpoints
            .map(|endpoint| retry_after(endpoint, &map, None))
            .into_iter();
        waits.find_map(|wait| wait)
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
    fn parses_vendor_headers() {
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        for (headers, wait) in [
            (&[("retry-after-ms", "1500")][..], seconds(1.5)),
            (
                &[("retry-after-ms", "250"), ("retry-after", "9")],
                seconds(0.25),
            ),
            (
                &[
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-tokens", "12"),
                    ("x-ratelimit-reset-tokens", "9h"),
                ],
                seconds(360.0),
            ),
            (
                &[
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "7.66s"),
                ],
                seconds(7.66),
            ),
            (&[("x-ratelimit-reset-tokens", "7.66s")], None),
            (
                &[
                    ("anthropic-ratelimit-input-tokens-remaining", "0"),
                    (
                        "anthropic-ratelimit-input-tokens-reset",
                        "2026-11-22T10:00:12Z",
                    ),
                ],
                seconds(12.0),
            ),
            (&[("x-ratelimit-reset", "3")], seconds(3.0)),
            (&[("x-ratelimit-reset", "1795341605")], seconds(5.0)),
            (&[("x-ratelimit-reset", "1795341605000")], seconds(5.0)),
            (&[("x-ratelimit-reset", "1")], seconds(1.0)),
            (&[("x-ratelimit-reset", "inf")], None),
            (&[], None),
        ] {
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
            assert_eq!(
                retry_after(
                    Provider::Gemini.endpoint(),
                    &HeaderMap::new(),
                    Some(&body(delay))
                ),
                wait
            );
        }
    }

    #[test]
    fn parses_duration_units() {
        for (text, milliseconds) in [
            ("1h2m3.5s", Some(3_723_500)),
            ("20ms", Some(20)),
            ("1d", Some(86_400_000)),
            ("2", Some(2000)),
            ("", Some(0)),
            ("1.2.3s", None),
            ("5 parsecs", None),
            ("-1s", None),
        ] {
            assert_eq!(
                span(text),
                milliseconds.map(Duration::from_millis),
                "{text}"
            );
        }
    }
}
