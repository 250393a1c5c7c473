//! Failures of handshakes and requests.

use std::time::Duration;

use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::ClientInitializeError;
#[cfg(feature = "http-client")]
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// Code of the error that replaces an oversized response.
pub(super) const TOO_LARGE: i32 = -32_099;

/// Code of the error that replaces a response which cannot be read.
pub(super) const UNREADABLE: i32 = -32_098;

/// Beginning of errors with a status that rmcp does not interpret.
#[cfg(feature = "http-client")]
const STATUS: &str = "HTTP ";

/// Longest accepted wait before another attempt.
#[cfg(feature = "http-client")]
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Maximum length of a content type in characters.
#[cfg(feature = "http-client")]
const MAX_KIND: usize = 100;

/// Reason for a handshake or a request without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "http-client"),
    expect(dead_code, reason = "some failures occur only over HTTP")
)]
pub(crate) enum Failure {
    /// There is no connection, so nothing was sent.
    Unreachable(String),
    /// The connection was closed after the request was sent.
    Lost,
    /// The response exceeds the limit of one message.
    TooLarge,
    /// The response is not a message, or not one that responds to the request.
    Invalid,
    /// The server selected a version that this crate does not support.
    Version(String),
    /// The server returned an error.
    Server { code: i32, message: String },
    /// The HTTP response has another content type than JSON or an event stream.
    ContentType(String),
    /// The HTTP response has an error status.
    Status {
        status: u16,
        retry_after: Option<Duration>,
    },
}

impl From<ErrorData> for Failure {
    fn from(error: ErrorData) -> Self {
        match error.code.0 {
            TOO_LARGE => Self::TooLarge,
            UNREADABLE => Self::Invalid,
            code => Self::Server {
                code,
                message: error.message.into_owned(),
            },
        }
    }
}

impl From<ClientInitializeError> for Failure {
    fn from(error: ClientInitializeError) -> Self {
        match error {
            ClientInitializeError::TransportError { error, .. } => {
                Self::of_transport(&*error.error)
            }
            ClientInitializeError::ConnectionClosed(_) => Self::Lost,
            ClientInitializeError::JsonRpcError(error) => error.into(),
            ClientInitializeError::NoCompatibleProtocolVersion {
                server_supported, ..
            } => {
                let versions = server_supported.iter().map(ProtocolVersion::as_str);
                Self::Version(versions.collect::<Vec<_>>().join(", "))
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => (*fallback).into(),
            _ => Self::Invalid,
        }
    }
}

impl Failure {
    /// Returns the reason of an error of the transport.
    pub(super) fn of_transport(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Self {
        #[cfg(feature = "http-client")]
        if let Some(error) = error.downcast_ref() {
            return Self::of_http(error);
        }
        let _ = error;
        Self::Lost
    }

    #[cfg(feature = "http-client")]
    fn of_http(error: &StreamableHttpError<reqwest::Error>) -> Self {
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
                Self::ContentType(crate::hygiene::clean(kind, MAX_KIND).text)
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
#[cfg(feature = "http-client")]
fn status_of(text: &str) -> Option<u16> {
    text.strip_prefix(STATUS)?.get(..3)?.parse().ok()
}

/// Returns the wait of a `Retry-After` header in seconds. Dates are ignored: nearly no server sends one, and they depend on
/// its clock.
#[cfg(feature = "http-client")]
fn wait_of(text: &str) -> Option<Duration> {
    let wait = Duration::from_secs(text.trim().parse().ok()?);
    Some(wait.min(LONGEST_WAIT))
}

/// Returns the message of the first cause, which has no address.
#[cfg(feature = "http-client")]
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(all(test, feature = "http-client"))]
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
