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
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(status: u16, body: &[u8]) -> ModelError {
        of_status(
            StatusCode::from_u16(status).unwrap(),
            &HeaderMap::new(),
            body,
        )
    }

    #[test]
    fn the_providers_sentence_is_found_wherever_it_stands() {
        for body in [
            json!({"error": {"message": "no such model"}}),
            json!([{"error": {"message": "no such model"}}]),
            json!({"error": "no such model"}),
            json!({"message": "no\u{1b}such\n model"}),
        ] {
            let error = refused(404, body.to_string().as_bytes());

            assert_eq!(
                error.to_string(),
                "the provider answered with status 404: no such model",
                "{body}"
            );
        }
    }

    #[test]
    fn a_status_without_words_is_named() {
        for (status, body, message) in [
            (501, "<html>oops</html>", "Not Implemented"),
            (
                302,
                "",
                "it wants the request at another address; put that into the base URL",
            ),
            (599, "[]", "it says no more"),
        ] {
            let expected = ModelError::Refused {
                status,
                message: message.to_owned(),
            };
            assert_eq!(refused(status, body.as_bytes()), expected);
        }
    }

    #[test]
    fn only_what_passes_with_time_may_be_asked_again() {
        for (status, retryable) in [
            (400, false),
            (401, false),
            (402, false),
            (403, false),
            (404, false),
            (408, true),
            (409, true),
            (413, false),
            (422, false),
            (429, true),
            (500, true),
            (501, false),
            (502, true),
            (503, true),
            (504, true),
            (505, false),
            (522, true),
            (529, true),
        ] {
            assert_eq!(refused(status, b"").is_retryable(), retryable, "{status}");
        }
    }

    #[test]
    fn an_account_that_is_used_up_is_no_rate_limit() {
        for body in [
            json!({"error": {"code": "insufficient_quota", "type": "x", "message": "m"}}),
            json!({"error": {"code": null, "type": "insufficient_quota", "message": "m"}}),
            json!({"type": "billing_error"}),
        ] {
            let error = refused(429, body.to_string().as_bytes());

            assert_eq!(error, ModelError::QuotaExceeded, "{body}");
        }
    }

    #[test]
    fn a_provider_that_says_no_is_not_asked_again() {
        let mut headers = HeaderMap::new();
        headers.insert("x-should-retry", "false".parse().unwrap());

        for status in [429, 500, 529] {
            let error = of_status(StatusCode::from_u16(status).unwrap(), &headers, b"");

            assert!(!error.is_retryable(), "{error}");
        }
    }

    #[test]
    fn an_error_in_a_stream_is_told_apart_by_its_code() {
        let limited = ModelError::RateLimited { retry_after: None };
        let (status, message) = (200, "slow down".to_owned());
        let unavailable = ModelError::Unavailable {
            status,
            message: message.clone(),
            retry_after: None,
        };
        let refused = ModelError::Refused { status, message };
        for (code, error) in [
            ("overloaded_error", &unavailable),
            ("UNAVAILABLE", &unavailable),
            ("server_error", &unavailable),
            ("503", &unavailable),
            ("rate_limit_exceeded", &limited),
            ("RESOURCE_EXHAUSTED", &limited),
            ("throttlingException", &limited),
            ("429", &limited),
            ("insufficient_quota", &ModelError::QuotaExceeded),
            ("402", &ModelError::QuotaExceeded),
            ("401", &ModelError::Unauthorized),
            ("invalid_request_error", &refused),
            ("error", &refused),
            ("400", &refused),
        ] {
            let sent = json!({"code": code, "message": "slow\ndown"});

            assert_eq!(
                of_error(&serde_json::from_value(sent).unwrap()),
                *error,
                "{code}"
            );
        }
    }

    #[test]
    fn a_refused_key_never_shows_the_providers_words() {
        let body = json!({"error": {"message": "Incorrect key: sk-abc"}}).to_string();

        assert_eq!(refused(401, body.as_bytes()), ModelError::Unauthorized);
        assert_eq!(refused(403, body.as_bytes()), ModelError::Unauthorized);
    }

    #[test]
    fn a_long_message_is_cut_to_one_line() {
        let line = shortened(&"é\n".repeat(1000));

        assert_eq!(line.chars().count(), MAX_MESSAGE + 1);
        assert!(!line.contains('\n'));
    }
}
