//! Failures of requests over HTTP.

use std::time::Duration;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::hygiene;
use crate::wire::failure::Failure;

/// Beginning of errors with a status that rmcp does not interpret.
const STATUS: &str = "HTTP ";

/// Longest accepted wait before another attempt.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Maximum length of a content type in characters.
const MAX_KIND: usize = 100;

impl Failure {
    /// Returns the reason of an error over HTTP.
    pub(in crate::wire) fn of_http(error: &StreamableHttpError<reqwest::Error>) -> Self {
        let status = |status, retry_after| Self::Status {
            status,
            retry_after,
        };
        match error {
            StreamableHttpError::Client(error) if error.is_connect() => {
                Self::Unreachable(innermost(error))
            }
            StreamableHttpError::AuthRequired(_) | StreamableHttpError::Auth(_) => {
                status(401, None)
            }
            StreamableHttpError::InsufficientScope(_) => status(403, None),
            StreamableHttpError::SessionExpired => status(404, None),
            StreamableHttpError::HttpStatus(error) => {
                let wait = error.retry_after.as_deref().and_then(wait_of);
                status(error.status, wait)
            }
            StreamableHttpError::ResponseBodyTooLarge { .. } => Self::TooLarge,
            StreamableHttpError::UnexpectedContentType(kind) => {
                let kind = kind.as_deref().unwrap_or("no content type");
                Self::ContentType(hygiene::clean(kind, MAX_KIND).text)
            }
            StreamableHttpError::UnexpectedServerResponse(text) => match status_of(text) {
                Some(code) => status(code, None),
                None => Self::Invalid,
            },
            StreamableHttpError::Deserialize(_) => Self::Invalid,
            _ => Self::Lost,
        }
    }
}

/// Returns the status in a message such as `HTTP 404 Not Found: <html>`.
fn status_of(text: &str) -> Option<u16> {
    text.strip_prefix(STATUS)?.get(..3)?.parse().ok()
}

/// Returns the wait of a `Retry-After` header in seconds. Dates are ignored: nearly no server sends one, and they depend on
/// its clock.
fn wait_of(text: &str) -> Option<Duration> {
    let wait = Duration::from_secs(text.trim().parse().ok()?);
    Some(wait.min(LONGEST_WAIT))
}

/// Returns the message of the first cause, which has no address.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_status() {
        for (text, expected) in [
            ("HTTP 404 Not Found: <!DOCTYPE html>", Some(404)),
            ("HTTP 302 Found: ", Some(302)),
            ("HTTP 400", Some(400)),
            ("HTTP ", None),
            ("could not parse JSON response", None),
        ] {
            assert_eq!(status_of(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_retry_after() {
        for (text, seconds) in [
            ("5", Some(5)),
            (" 7 ", Some(7)),
            ("999999", Some(3600)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", None),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(wait_of(text), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
