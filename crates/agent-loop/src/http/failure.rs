//! From a status of HTTP to the error of a model.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::ModelError;

/// Characters of a provider's own words that are kept.
const MAX_MESSAGE: usize = 300;
/// The longest time that a provider may ask to wait.
const MAX_WAIT: Duration = Duration::from_hours(24);

/// Says what a status means.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ModelError {
    match status {
        // The words of these tend to hold a part of the key.
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ModelError::Unauthorized,
        StatusCode::TOO_MANY_REQUESTS => ModelError::RateLimited {
            retry_after: retry_after(headers),
        },
        other => ModelError::Refused {
            status: other.as_u16(),
            message: message_of(body).unwrap_or_else(|| reason(other)),
        },
    }
}

/// Only the form in seconds is read; a date would need the provider's clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let seconds = text.trim().parse::<f64>().ok()?;
    let wait = Duration::try_from_secs_f64(seconds.ceil()).ok()?;
    Some(wait.min(MAX_WAIT))
}

/// The provider's own sentence: `error.message`, or `error` or `message` as a text.
fn message_of(body: &[u8]) -> Option<String> {
    let mut body = serde_json::from_slice::<Value>(body).ok()?;
    // Gemini sends a list of one.
    if let Some(first) = body.get_mut(0) {
        body = first.take();
    }
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
            (500, "<html>oops</html>", "Internal Server Error"),
            (
                302,
                "",
                "it wants the request at another address; put that into the base URL",
            ),
        ] {
            let expected = ModelError::Refused {
                status,
                message: message.to_owned(),
            };
            assert_eq!(refused(status, body.as_bytes()), expected);
        }
    }

    #[test]
    fn a_refused_key_never_shows_the_providers_words() {
        let body = json!({"error": {"message": "Incorrect key: sk-abc"}}).to_string();

        assert_eq!(refused(401, body.as_bytes()), ModelError::Unauthorized);
        assert_eq!(refused(403, body.as_bytes()), ModelError::Unauthorized);
    }

    #[test]
    fn the_wait_is_read_in_seconds_and_bounded() {
        for (text, wait) in [
            ("7", Some(Duration::from_secs(7))),
            ("0.2", Some(Duration::from_secs(1))),
            ("1e300", None),
            ("99999999", Some(MAX_WAIT)),
            ("-1", None),
            ("Wed, 21 Oct 2015 07:28:00 GMT", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());

            assert_eq!(retry_after(&headers), wait, "{text}");
        }
    }

    #[test]
    fn a_long_message_is_cut_to_one_line() {
        let line = shortened(&"é\n".repeat(1000));

        assert_eq!(line.chars().count(), MAX_MESSAGE + 1);
        assert!(!line.contains('\n'));
    }
}
