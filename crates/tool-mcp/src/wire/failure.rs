//! Failures of handshakes and requests.

use std::time::Duration;

use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::ClientInitializeError;

/// Code of the error that replaces an oversized response.
pub(super) const TOO_LARGE: i32 = -32_099;

/// Code of the error that replaces a response which cannot be read.
pub(super) const UNREADABLE: i32 = -32_098;

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
}
