//! How long a provider asks to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use tool_core::Timestamp;

/// The longest time that a provider may ask to wait.
const MAX_WAIT: Duration = Duration::from_hours(24);
/// Numbers from here on are milliseconds since 1970, smaller ones seconds since 1970.
const FROM_MILLISECONDS: f64 = 1e11;
/// Numbers from here on are a time since 1970, smaller ones seconds from now.
const FROM_EPOCH: f64 = 1e9;

/// The limits that `OpenAI` and Groq tell apart: what is left of them, and when they are full again.
const PLAIN_LIMITS: [(&str, &str); 2] = [
    (
        "x-ratelimit-remaining-requests",
        "x-ratelimit-reset-requests",
    ),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
];
/// The same for Anthropic, which gives a time of day.
const DATED_LIMITS: [(&str, &str); 4] = [
    (
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    (
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ),
    (
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ),
];

/// How long a provider asks to wait, in whichever of its ways; at most a day.
pub(super) fn retry_after(headers: &HeaderMap, body: Option<&Value>) -> Option<Duration> {
    let now = now(headers);
    let wait = milliseconds(headers)
        .or_else(|| seconds_or_date(headers, now))
        .or_else(|| body.and_then(retry_info))
        .or_else(|| limits_used_up(headers, now))
        .or_else(|| until(number(headers, "x-ratelimit-reset")?, now));
    wait.map(|wait| wait.min(MAX_WAIT))
}

/// The time by the provider's clock, where it tells it.
fn now(headers: &HeaderMap) -> SystemTime {
    let told = text(headers, DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
    told.unwrap_or_else(SystemTime::now)
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
    // What is over already needs no wait.
    Some(date.duration_since(now).unwrap_or_default())
}

/// What Google tells in the body: `{"@type": "…RetryInfo", "retryDelay": "34.5s"}`.
fn retry_info(body: &Value) -> Option<Duration> {
    let details = body.pointer("/error/details")?.as_array()?;
    let mut delays = details.iter().filter_map(|detail| detail.get("retryDelay"));
    span(delays.next()?.as_str()?)
}

/// When the limits that are used up are full again.
fn limits_used_up(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let is_used_up = |remaining| number(headers, remaining).is_some_and(|left| left <= 0.0);
    let plain = PLAIN_LIMITS.iter().filter(|limit| is_used_up(limit.0));
    let plain = plain.filter_map(|limit| span(text(headers, limit.1)?));
    let dated = DATED_LIMITS.iter().filter(|limit| is_used_up(limit.0));
    let dated = dated.filter_map(|limit| {
        let reset = Timestamp::parse(text(headers, limit.1)?)?.as_milliseconds();
        let now = Timestamp::from(now).as_milliseconds();
        Some(Duration::from_millis(reset.saturating_sub(now)))
    });
    plain.chain(dated).max()
}

/// A number that is seconds from now, or seconds or milliseconds since 1970.
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

/// A span as Go and Google write it: `1h2m3.5s`, `20ms`; a plain number is seconds.
fn span(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let letter = |letter: char| !letter.is_ascii_digit() && letter != '.';
        let (number, tail) = rest.split_at(rest.find(letter).unwrap_or(rest.len()));
        let (unit, tail) = tail.split_at(
            tail.find(|letter: char| letter.is_ascii_digit())
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

    use super::*;

    const NOW: &str = "Sun, 22 Nov 2026 10:00:00 GMT";

    fn asked(told: &[(&'static str, &str)]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(DATE, NOW.parse().unwrap());
        for (name, value) in told {
            headers.insert(*name, value.parse().unwrap());
        }
        retry_after(&headers, None)
    }

    #[test]
    fn a_wait_is_read_in_seconds_or_as_a_date() {
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
            assert_eq!(asked(&[("retry-after", text)]), wait, "{text}");
        }
    }

    #[test]
    fn each_vendors_own_headers_are_read() {
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        for (told, wait) in [
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
            assert_eq!(asked(told), wait, "{told:?}");
        }
    }

    #[test]
    fn google_tells_it_in_the_body() {
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

    #[test]
    fn a_span_is_read_unit_by_unit() {
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
