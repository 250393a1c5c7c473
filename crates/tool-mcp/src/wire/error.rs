//! Failures of connections and requests.

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientInitializeError;

#[cfg(feature = "http-client")]
use super::failure::HttpFailure;

/// Code of the error that replaces an oversized response.
pub(super) const TOO_LARGE: i32 = -32_099;

/// Reason for a failed handshake.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// The server selected a version that this crate does not support.
    Version(String),
    /// The server closed the connection.
    Closed,
    /// The server rejected the handshake with this message.
    Rejected(String),
    /// The response is not a response to the handshake.
    Unexpected,
    /// An HTTP request failed.
    #[cfg(feature = "http-client")]
    Http(HttpFailure),
}

/// Reason for a request without a result.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// The request was not sent.
    NotSent,
    /// The connection was closed after the request was sent.
    Lost,
    /// The response exceeds the limit of one message.
    TooLarge,
    /// The response is not a message.
    #[cfg(feature = "http-client")]
    Invalid,
    /// The HTTP response has an error status.
    #[cfg(feature = "http-client")]
    Status {
        status: u16,
        retry_after: Option<std::time::Duration>,
    },
    /// The server returned an error.
    Server { code: i32, message: String },
}

impl From<ClientInitializeError> for OpenError {
    fn from(error: ClientInitializeError) -> Self {
        match error {
            #[cfg(feature = "http-client")]
            ClientInitializeError::TransportError { error, .. }
                if HttpFailure::is_http(&*error.error) =>
            {
                Self::Http(HttpFailure::of(&*error.error))
            }
            ClientInitializeError::ConnectionClosed(_)
            | ClientInitializeError::TransportError { .. } => Self::Closed,
            ClientInitializeError::JsonRpcError(error) => {
                Self::Rejected(error.message.into_owned())
            }
            ClientInitializeError::NoCompatibleProtocolVersion {
                server_supported, ..
            } => {
                let versions: Vec<&str> = server_supported
                    .iter()
                    .map(ProtocolVersion::as_str)
                    .collect();
                Self::Version(versions.join(", "))
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => (*fallback).into(),
            _ => Self::Unexpected,
        }
    }
}

#[cfg(feature = "http-client")]
impl From<HttpFailure> for RequestError {
    fn from(failure: HttpFailure) -> Self {
        match failure {
            HttpFailure::Unreachable(_) => Self::NotSent,
            HttpFailure::TooLarge => Self::TooLarge,
            HttpFailure::Lost => Self::Lost,
            HttpFailure::Invalid | HttpFailure::ContentType(_) => Self::Invalid,
            HttpFailure::Status {
                status,
                retry_after,
                ..
            } => Self::Status {
                status,
                retry_after,
            },
        }
    }
}
