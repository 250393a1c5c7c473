//! From a status of HTTP to the error of a model.

use provider_adapters::StreamError;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::wait::retry_after;
use crate::ModelError;

/// Characters of a provider's own words that are kept.
const MAX_MESSAGE: usize = 300;

/// Codes for an account that may use no more.
const USED_UP: [&str; 5] = [
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_balance",
];
/// Codes for too many requests, in small letters.
const LIMITED: [&str; 6] = [
    "rate_limit_error",
    "rate_limit_exceeded",
    "rate_limited",
    "resource_exhausted",
    "throttlingexception",
    "too_many_requests",
];
/// Codes for a provider that is overloaded or failed, in small letters.
const PASSING: [&str; 13] = [
    "api_error",
    "deadline_exceeded",
    "internal",
    "internal_error",
    "internal_server_error",
    "internalserverexception",
    "modelstreamerrorexception",
    "overloaded_error",
    "server_error",
    "service_unavailable",
    "serviceunavailableexception",
    "timeout_error",
    "unavailable",
];

/// Says what a status means.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ModelError {
    let body = serde_json::from_slice::<Value>(body).ok().map(alone);
    let message = || {
        let told = body.as_ref().and_then(message_of);
        told.unwrap_or_else(|| reason(status))
    };
    let number = status.as_u16();
    match number {
        // The words of these tend to hold a part of the key.
        401 | 403 => ModelError::Unauthorized,
        402 => ModelError::QuotaExceeded,
        429 if body.as_ref().is_some_and(is_used_up) => ModelError::QuotaExceeded,
        _ if !passes(number) || says_no(headers) => ModelError::Refused {
            status: number,
            message: message(),
        },
        429 => ModelError::RateLimited {
            retry_after: retry_after(headers, body.as_ref()),
        },
        _ => ModelError::Unavailable {
            status: number,
            message: message(),
            retry_after: retry_after(headers, body.as_ref()),
        },
    }
}

/// Says what an error inside a response that looked well means.
pub(super) fn of_error(error: &StreamError) -> ModelError {
    let code = error.code.to_ascii_lowercase();
    let status = code.parse::<u16>().ok();
    let is_in = |codes: &[&str]| codes.contains(&code.as_str());
    let message = shortened(&error.message);
    if status == Some(402) || is_in(&USED_UP) {
        ModelError::QuotaExceeded
    } else if status == Some(429) || is_in(&LIMITED) {
        ModelError::RateLimited { retry_after: None }
    } else if matches!(status, Some(401 | 403)) {
        ModelError::Unauthorized
    } else if status.is_some_and(passes) || is_in(&PASSING) {
        ModelError::Unavailable {
            status: StatusCode::OK.as_u16(),
            message,
            retry_after: None,
        }
    } else {
        ModelError::Refused {
            status: StatusCode::OK.as_u16(),
            message,
        }
    }
}

/// Whether the same request may succeed later. From 520 on they are those of the proxies in front, and Anthropic's.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500 | 502..=504 | 520..=524 | 529)
}

/// Whether the provider says itself that a second request is of no use.
fn says_no(headers: &HeaderMap) -> bool {
    headers
        .get("x-should-retry")
        .is_some_and(|value| value.as_bytes() == b"false")
}

fn is_used_up(body: &Value) -> bool {
    ["/error/code", "/error/type", "/code", "/type"]
        .iter()
        .filter_map(|pointer| body.pointer(pointer)?.as_str())
        .any(|code| USED_UP.contains(&code))
}

/// A list of one is what it holds, for Gemini sends such.
fn alone(mut body: Value) -> Value {
    match body.get_mut(0) {
        Some(first) => first.take(),
        None => body,
    }
}

/// The provider's own sentence: `error.message`, or `error` or `message` as a text.
fn message_of(body: &Value) -> Option<String> {
    let message = ["/error/message", "/error", "/message"]
        .iter()
        .find_map(|pointer| body.pointer(pointer)?.as_str())?;
    Some(shortened(message)).filter(|message| !message.is_empty())
}

fn reason(status: StatusCode) -> String {
    if status.is_redirection() {
        "it wants the request at another address; put that into the base URL".to_owned()
    } else {
        status
            .canonical_reason()
            .unwrap_or("it says no more")
            .to_owned()
    }
}

/// One line of bounded length, without what a terminal would obey.
pub(super) fn shortened(message: &str) -> String {
    let words: Vec<&str> = message
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// The kind of a client's failure, which holds no address.
pub(super) fn kind(error: &reqwest::Error) -> &'static str {
    if error.is_connect() {
        "connect"
    } else if error.is_timeout() {
        "timeout"
    } else if error.is_body() || error.is_decode() {
        "body"
    } else {
        "other"
    }
}

#[cfg(test)]
mod tests;
