//! Errors of starts.

use super::{Attempt, Start, Target};
use crate::client::endpoint::Endpoint;
use crate::client::error::ServerError;
#[cfg(feature = "http-client")]
use crate::hygiene;
#[cfg(feature = "http-client")]
use crate::wire::HttpFailure;
use crate::wire::OpenError;

impl Start {
    pub(super) async fn open_error(
        &self,
        error: OpenError,
        attempt: &Attempt,
        running: Option<&mut Endpoint>,
    ) -> ServerError {
        let server = self.server.name().to_owned();
        let rejected = |reason: &str| ServerError::Rejected {
            server: server.clone(),
            phase: "handshake",
            reason: reason.to_owned(),
        };
        match error {
            OpenError::Version(version) => ServerError::Version { server, version },
            OpenError::Closed => self.lost(attempt, running).await,
            OpenError::Rejected(reason) => rejected(&attempt.redactor.scrub(&reason)),
            OpenError::Unexpected => rejected("the response is invalid"),
            #[cfg(feature = "http-client")]
            OpenError::Http(HttpFailure::Lost) => self.lost(attempt, running).await,
            #[cfg(feature = "http-client")]
            OpenError::Http(HttpFailure::TooLarge) => {
                rejected("the message exceeds \"max_message\"")
            }
            #[cfg(feature = "http-client")]
            OpenError::Http(HttpFailure::Invalid) => rejected("the response is invalid"),
            #[cfg(feature = "http-client")]
            OpenError::Http(failure) => http_error(server, attempt.shown(), failure),
        }
    }

    /// Creates the error of a server that closed the connection.
    pub(super) async fn lost(
        &self,
        attempt: &Attempt,
        running: Option<&mut Endpoint>,
    ) -> ServerError {
        let server = self.server.name().to_owned();
        match (&attempt.target, running) {
            (Target::Program(_), Some(Endpoint::Program(running))) => ServerError::Exited {
                server,
                end: running.end_of_life().await,
                lines: running.tail.text(&attempt.redactor),
            },
            #[cfg(feature = "http-client")]
            (Target::Address(address), _) => ServerError::Unreachable {
                server,
                address: address.shown(),
                reason: "the connection was closed".to_owned(),
            },
            (Target::Connection, _) => ServerError::ConnectionClosed { server },
            _ => ServerError::Exited {
                server,
                end: "exited".to_owned(),
                lines: "(none)".to_owned(),
            },
        }
    }
}

/// Creates the error of a failed HTTP request.
#[cfg(feature = "http-client")]
fn http_error(server: String, address: String, failure: HttpFailure) -> ServerError {
    match failure {
        HttpFailure::Unreachable(reason) => ServerError::Unreachable {
            server,
            address,
            reason,
        },
        HttpFailure::Status {
            status: status @ (401 | 403),
            ..
        } => ServerError::LoginRequired {
            server,
            address,
            status,
        },
        HttpFailure::Status {
            status, is_page, ..
        } => ServerError::Status {
            server,
            address,
            status,
            is_page,
        },
        HttpFailure::ContentType(kind) => ServerError::NotMcp {
            server,
            address,
            kind: hygiene::clean(&kind, 100).text,
        },
        HttpFailure::TooLarge | HttpFailure::Invalid | HttpFailure::Lost => {
            ServerError::Unreachable {
                server,
                address,
                reason: "the connection was closed".to_owned(),
            }
        }
    }
}

impl Attempt {
    #[cfg(feature = "http-client")]
    fn shown(&self) -> String {
        match &self.target {
            Target::Address(address) => address.shown(),
            Target::Program(_) | Target::Connection => String::new(),
        }
    }
}
