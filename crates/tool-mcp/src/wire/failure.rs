//! Failed HTTP requests.

use std::time::{Duration, SystemTime};

use reqwest::Error as ClientError;
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};

/// Beginning of errors with a status that rmcp does not interpret.
const STATUS: &str = "HTTP ";

/// Longest accepted wait before another attempt.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Reason for a failed HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HttpFailure {
    /// No connection could be opened.
    Unreachable(String),
    /// The response has an error status.
    Status {
        status: u16,
        /// Whether the body is a web page.
        is_page: bool,
        retry_after: Option<Duration>,
    },
    /// The response has another content type than JSON or an event stream.
    ContentType(String),
    /// The response exceeds the limit of one message.
    TooLarge,
    /// The response is not a message.
    Invalid,
    /// The connection was closed before the response was complete.
    Lost,
}

impl HttpFailure {
    /// Returns `true` for errors of this transport.
    pub(super) fn is_http(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
        error.is::<StreamableHttpError<ClientError>>()
    }

    /// Returns the reason of an error of the transport.
    pub(super) fn of(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Self {
        match error.downcast_ref::<StreamableHttpError<ClientError>>() {
            Some(error) => Self::of_http(error),
            None => Self::Lost,
        }
    }

    fn of_http(error: &StreamableHttpError<ClientError>) -> Self {
        match error {
            StreamableHttpError::Client(error) => Self::of_client(error),
            StreamableHttpError::AuthRequired(_) => Self::status(401),
            StreamableHttpError::InsufficientScope(_) => Self::status(403),
            StreamableHttpError::SessionExpired => Self::status(404),
            StreamableHttpError::HttpStatus(error) => Self::of_status(error),
            StreamableHttpError::ResponseBodyTooLarge { .. } => Self::TooLarge,
            StreamableHttpError::UnexpectedContentType(kind) => {
                Self::ContentType(kind.clone().unwrap_or_default())
            }
            StreamableHttpError::UnexpectedServerResponse(text) => {
                page_of(text).unwrap_or(Self::Invalid)
            }
            StreamableHttpError::Deserialize(_) => Self::Invalid,
            StreamableHttpError::ReservedHeaderConflict(name) => {
                Self::Unreachable(format!("the header {name} is reserved"))
            }
            #[cfg(feature = "http-client")]
            StreamableHttpError::Auth(_) => Self::status(401),
            _ => Self::Lost,
        }
    }

    fn of_client(error: &ClientError) -> Self {
        if error.is_connect() || error.is_builder() {
            return Self::Unreachable(innermost(error));
        }
        match error.status() {
            Some(status) => Self::status(status.as_u16()),
            None => Self::Lost,
        }
    }

    fn of_status(error: &HttpStatusError) -> Self {
        Self::Status {
            status: error.status,
            is_page: false,
            retry_after: error.retry_after.as_deref().and_then(wait_of),
        }
    }

    fn status(status: u16) -> Self {
        Self::Status {
            status,
            is_page: false,
            retry_after: None,
        }
    }
}

/// Returns the status in a message such as `HTTP 404 Not Found: <html>`.
fn page_of(text: &str) -> Option<HttpFailure> {
    let rest = text.strip_prefix(STATUS)?;
    let status = rest.get(..3)?.parse().ok()?;
    let body = rest.split_once(": ").map_or("", |(_, body)| body);
    Some(HttpFailure::Status {
        status,
        is_page: body.trim_start().starts_with('<'),
        retry_after: None,
    })
}

/// Returns the wait of a `Retry-After` header: seconds, or an HTTP date.
fn wait_of(text: &str) -> Option<Duration> {
    let text = text.trim();
    let wait = if let Ok(seconds) = text.parse() {
        Duration::from_secs(seconds)
    } else {
        let date = httpdate::parse_http_date(text).ok()?;
        date.duration_since(SystemTime::now()).unwrap_or_default()
    };
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
    fn reads_status_and_kind_of_page() {
        for (text, expected) in [
            ("HTTP 404 Not Found: <!DOCTYPE html>", Some((404, true))),
            ("HTTP 404 Not Found: no such route", Some((404, false))),
            ("HTTP 302 Found: ", Some((302, false))),
            ("HTTP 400", Some((400, false))),
            ("HTTP ", None),
            ("could not parse JSON response", None),
        ] {
            let found = page_of(text).map(|failure| match failure {
                HttpFailure::Status {
                    status, is_page, ..
                } => (status, is_page),
                other => panic!("{other:?}"),
            });
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn reads_retry_after() {
        for (text, seconds) in [
            ("5", Some(5)),
            (" 7 ", Some(7)),
            ("999999", Some(3600)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(wait_of(text), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
