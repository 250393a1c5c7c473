//! Conversion of HTTP statuses and provider errors to [`ModelError`].

use std::error::Error;
use std::io;

use provider_adapters::StreamError;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use tool_json::text::one_line;

use super::wait::retry_after;
use crate::ModelError;

/// Maximum number of characters kept of a provider's message.
const MAX_MESSAGE: usize = 300;

/// Places of the code in the body of an error.
const CODES: [&str; 4] = ["/error/code", "/error/type", "/code", "/type"];

/// Places of the message in the body of an error.
const MESSAGES: [&str; 3] = ["/error/message", "/error", "/message"];

/// Codes for an account without quota or credit.
const USED_UP: &str = "insufficient_quota billing_error billing_hard_limit_reached billing_not_active insufficient_balance";
/// Codes for too many requests, in lowercase.
const LIMITED: &str = "\
    rate_limit_error rate_limit_exceeded rate_limited resource_exhausted throttlingexception \
    too_many_requests";
/// Codes for a request that the provider always rejects, in lowercase.
const PERMANENT: &str = "\
    authentication_error billing_not_active content_filter content_policy_violation failed_precondition \
    invalid_argument invalid_request_error model_not_found not_found not_found_error permission_denied \
    permission_error request_too_large validationexception";

pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ModelError {
    let body = serde_json::from_slice::<Value>(body).ok().map(unwrapped);
    let message = || {
        let message = body.as_ref().and_then(message_of);
        message.unwrap_or_else(|| reason(status))
    };
    let number = status.as_u16();
    match number {
        // These messages often contain a part of the key.
        401 => ModelError::Unauthorized,
        403 => ModelError::Forbidden,
        // Providers disagree about the status, so the message decides.
        400 | 413 | 422 | 500 if let Some(error) = body.as_ref().and_then(too_long) => error,
        402 => ModelError::QuotaExceeded,
        // OpenAI reports an account without credit as 429 as well, and waiting doesn't help there.
        429 if body.as_ref().is_some_and(is_used_up) => ModelError::QuotaExceeded,
        _ if !passes(number) || forbids_retry(headers) => ModelError::Refused {
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

/// Converts an error in the body of a successful response.
pub(super) fn of_error(error: &StreamError) -> ModelError {
    let code = error.code.to_ascii_lowercase();
    let status = code.parse::<u16>().ok();
    let is_in = |codes| is_one_of(&code, codes);
    let message = one_line(&error.message, MAX_MESSAGE);
    if let Some(error) = context_too_long(&code, &error.message) {
        error
    } else if status == Some(402) || is_in(USED_UP) {
        ModelError::QuotaExceeded
    } else if status == Some(429) || is_in(LIMITED) {
        ModelError::RateLimited { retry_after: None }
    } else if status == Some(401) {
        ModelError::Unauthorized
    } else if status == Some(403) {
        ModelError::Forbidden
    } else if status.is_some_and(is_permanent) || is_in(PERMANENT) {
        ModelError::Refused {
            status: StatusCode::OK.as_u16(),
            message,
        }
    } else {
        // Most errors after a successful status are transient, and many have no code.
        ModelError::Unavailable {
            status: StatusCode::OK.as_u16(),
            message,
            retry_after: None,
        }
    }
}

/// Parts of messages about reasoning of earlier turns, in lowercase.
const REASONING_MESSAGES: [&str; 3] = [
    "bound to a different conversation",
    "blocks in the latest assistant message cannot be modified",
    "invalid `signature` in `thinking` block",
];

/// Returns whether the provider does not accept the reasoning of an earlier turn.
pub(super) fn rejects_reasoning(error: &ModelError) -> bool {
    let ModelError::Refused { message, .. } = error else {
        return false;
    };
    let message = message.to_ascii_lowercase();
    REASONING_MESSAGES.iter().any(|part| message.contains(part))
}

/// Returns whether a code is in a list whose codes are separated by spaces.
fn is_one_of(code: &str, codes: &str) -> bool {
    codes.split(' ').any(|known| known == code)
}

fn is_permanent(status: u16) -> bool {
    (400..600).contains(&status) && !passes(status)
}

fn too_long(body: &Value) -> Option<ModelError> {
    let code = texts(body, &CODES).next().unwrap_or_default();
    let message = texts(body, &MESSAGES).next().unwrap_or_default();
    context_too_long(code, message)
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
    texts(body, &CODES).any(|code| is_one_of(code, USED_UP))
}

/// Unwraps a list with one item, which Gemini sends.
fn unwrapped(mut body: Value) -> Value {
    match body.get_mut(0) {
        Some(first) => first.take(),
        None => body,
    }
}

/// Returns the strings at these places of a body.
fn texts<'b>(body: &'b Value, places: &[&str]) -> impl Iterator<Item = &'b str> {
    let found = places.iter().filter_map(|place| body.pointer(place));
    found.filter_map(Value::as_str)
}

fn message_of(body: &Value) -> Option<String> {
    let message = texts(body, &MESSAGES)
        .next()
        .map(|text| one_line(text, MAX_MESSAGE));
    message.filter(|message| !message.is_empty())
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

/// Returns the reason for a failed connection, and the setting to check.
pub(super) fn connect_reason(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        return "the connection timed out; check host and port of the base URL, and the proxy";
    }
    let mut source = error.source();
    while let Some(cause) = source {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let text = cause.to_string();
        if kind == Some(io::ErrorKind::ConnectionRefused) {
            return "the connection was refused; check the port of the base URL and that the server is running";
        }
        if text.contains("dns error") || text.contains("failed to lookup address") {
            return "the host name cannot be resolved; check the host of the base URL";
        }
        if text.contains("certificate") || text.contains("corrupt message") {
            return "TLS failed; check that the base URL uses the server's scheme and that its certificate is valid";
        }
        source = cause.source();
    }
    "the connection failed; check the base URL and that the server is running"
}

/// Codes, in lowercase.
const TOO_LONG_CODES: &str =
    "context_length_exceeded exceed_context_size_error model_max_prompt_tokens_exceeded";
/// Parts of messages, in lowercase, separated by `|`. Anthropic, Gemini, Bedrock and others send no code.
const TOO_LONG_MESSAGES: &str = "\
    context length|context limit|context size|context window|exceeds the limit of|input is too long\
    |input token count|input tokens exceed|maximum prompt length|prompt is too long\
    |too large for model with|too many input tokens|too many tokens";
/// Smaller numbers in a message are not token counts.
const SMALLEST: u64 = 100;

/// Returns the error if the provider rejected the request because its context is too long.
pub(super) fn context_too_long(code: &str, message: &str) -> Option<ModelError> {
    let (code, message) = (code.to_ascii_lowercase(), message.to_ascii_lowercase());
    let is_known = is_one_of(&code, TOO_LONG_CODES);
    // Limits per minute name tokens, too.
    let is_rate = message.contains("per minute") || message.contains("per day");
    if !is_known
        && (is_rate
            || !TOO_LONG_MESSAGES
                .split('|')
                .any(|part| message.contains(part)))
    {
        return None;
    }
    let (limit, used) = counts(&message);
    Some(ModelError::ContextTooLong { limit, used })
}

/// Returns the limit and the used tokens of a message.
fn counts(message: &str) -> (Option<u64>, Option<u64>) {
    let numbers = numbers(message);
    match numbers.as_slice() {
        // Anthropic: `190000 + 20000 > 200000`.
        [input, output, limit, ..] if message.contains(" + ") => {
            (Some(*limit), Some(input.saturating_add(*output)))
        }
        [first, second, ..] => (Some(*first.min(second)), Some(*first.max(second))),
        [only] => (Some(*only), None),
        [] => (None, None),
    }
}

fn numbers(message: &str) -> Vec<u64> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, ',' | '.' | '_' | '-');
    message
        .split(|c: char| !is_word(c))
        .map(|word| word.trim_matches(['.', ',']).replace(',', ""))
        .filter_map(|word| word.parse().ok())
        .filter(|number| *number >= SMALLEST)
        .collect()
}

#[cfg(test)]
mod tests;
