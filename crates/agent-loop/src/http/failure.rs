//! Conversion of HTTP statuses and provider errors to [`ModelError`].

use provider_adapters::{Endpoint, StreamError};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::wait::retry_after;
use crate::ModelError;

/// Maximum number of characters kept of a provider's message.
const MAX_MESSAGE: usize = 300;

/// Codes for an account without quota or credit.
const USED_UP: [&str; 5] = [
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_balance",
];
/// Codes for too many requests, in lowercase.
const LIMITED: [&str; 6] = [
    "rate_limit_error",
    "rate_limit_exceeded",
    "rate_limited",
    "resource_exhausted",
    "throttlingexception",
    "too_many_requests",
];
/// Codes for an overloaded or temporarily failing provider, in lowercase.
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

pub(super) fn of_status(
    endpoint: &Endpoint,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> ModelError {
    let body = serde_json::from_slice::<Value>(body).ok().map(unwrapped);
    let message = || {
        let message = body.as_ref().and_then(message_of);
        message.unwrap_or_else(|| reason(status))
    };
    let number = status.as_u16();
    match number {
        // These messages often contain a part of the key.
        401 | 403 => ModelError::Unauthorized,
        402 => ModelError::QuotaExceeded,
        429 if body.as_ref().is_some_and(is_used_up) => ModelError::QuotaExceeded,
        _ if !passes(number) || forbids_retry(headers) => ModelError::Refused {
            status: number,
            message: message(),
        },
        429 => ModelError::RateLimited {
            retry_after: retry_after(endpoint, headers, body.as_ref()),
        },
        _ => ModelError::Unavailable {
            status: number,
            message: message(),
            retry_after: retry_after(endpoint, headers, body.as_ref()),
        },
    }
}

/// Converts an error in the body of a successful response.
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

/// Returns whether the same request may succeed later. Codes from 520 on are used by proxies and
/// Anthropic.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500 | 502..=504 | 520..=524 | 529)
}

/// Returns whether the provider advises against a retry.
fn forbids_retry(headers: &HeaderMap) -> bool {
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

/// Unwraps a list with one item, which Gemini sends.
fn unwrapped(mut body: Value) -> Value {
    match body.get_mut(0) {
        Some(first) => first.take(),
        None => body,
    }
}

/// Returns the message in `error.message`, `error` or `message`.
fn message_of(body: &Value) -> Option<String> {
    let message = ["/error/message", "/error", "/message"]
        .iter()
        .find_map(|pointer| body.pointer(pointer)?.as_str())?;
    Some(shortened(message)).filter(|message| !message.is_empty())
}

fn reason(status: StatusCode) -> String {
    if status.is_redirection() {
        "redirects are not followed; set the base URL to the new address".to_owned()
    } else {
        status
            .canonical_reason()
            .unwrap_or("no further details")
            .to_owned()
    }
}

/// Returns one line of limited length without control characters.
pub(super) fn shortened(message: &str) -> String {
    let words: Vec<&str> = message
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Returns the kind of error, because its message may contain the URL.
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
