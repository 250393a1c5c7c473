//! Start of a server, up to its first list of tools.

mod failure;
mod open;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tool_core::Redactor;
use tracing::Instrument;

#[cfg(feature = "http-client")]
use super::address::Address;
use super::endpoint::Endpoint;
use super::error::ServerError;
use super::list::{self, List, ListError};
use super::process::Program;
use super::server::Server;
use crate::config::{Protocol, Transport};
#[cfg(feature = "http-client")]
use crate::wire::{HttpFailure, OpenError};
use crate::wire::{Link, RequestError, ToolChanges};

/// Time limit of a subscription.
const SUBSCRIBE_LIMIT: Duration = Duration::from_secs(5);

/// Starts of one server.
pub(crate) struct Start {
    server: Arc<Server>,
    /// Whether only the older handshake worked.
    is_legacy: bool,
}

/// Server that has listed its tools.
pub(crate) struct Started {
    pub(crate) link: Link,
    pub(crate) list: List,
    pub(crate) changes: Option<ToolChanges>,
}

/// Server, limit and secrets of one start.
struct Attempt {
    target: Target,
    deadline: Instant,
    redactor: Redactor,
}

enum Target {
    Program(Program),
    #[cfg(feature = "http-client")]
    Address(Address),
    /// Stream of the host.
    Connection,
}

impl Start {
    pub(crate) fn new(server: Arc<Server>) -> Self {
        Self {
            is_legacy: server.pins.is_legacy(server.name()),
            server,
        }
    }

    /// Starts the server. Its program is in `running`, also if the future is dropped.
    pub(crate) async fn start(
        &mut self,
        running: &mut Option<Endpoint>,
    ) -> Result<Started, ServerError> {
        self.server.check_approval()?;
        let attempt = self.attempt()?;
        let link = self.connect(&attempt, running).await?;
        let changes = subscribe(&link).await;
        let list = self.list(&attempt, &link, running).await?;
        Ok(Started {
            link,
            list,
            changes,
        })
    }

    /// Expands the configuration.
    fn attempt(&self) -> Result<Attempt, ServerError> {
        let config = self.server.config();
        let name = self.server.name();
        let deadline = Instant::now() + config.start_limit();
        let learned = self.server.redactor.as_ref();
        if self.server.connection().is_some() {
            return Ok(Attempt {
                redactor: Redactor::new(),
                deadline,
                target: Target::Connection,
            });
        }
        match config.check(name)? {
            Transport::Stdio => {
                let program = Program::expand(name, config, &self.server.variables)?;
                learned.inspect(|redactor| program.teach(redactor));
                Ok(Attempt {
                    redactor: program.redactor(),
                    deadline,
                    target: Target::Program(program),
                })
            }
            #[cfg(feature = "http-client")]
            Transport::Http => {
                let address = Address::expand(&self.server)?;
                learned.inspect(|redactor| address.teach(redactor));
                Ok(Attempt {
                    redactor: address.redactor(),
                    deadline,
                    target: Target::Address(address),
                })
            }
            #[cfg(not(feature = "http-client"))]
            Transport::Http => Err(ServerError::NoTransport {
                server: name.to_owned(),
            }),
        }
    }

    /// Opens a connection. After a failed handshake of the current revision, starts the server
    /// again with the older handshake.
    async fn connect(
        &mut self,
        attempt: &Attempt,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, ServerError> {
        let protocol = self.server.config().protocol;
        if protocol != Protocol::Auto || self.is_legacy {
            let protocol = if self.is_legacy {
                Protocol::V2025
            } else {
                protocol
            };
            return self.open(attempt, protocol, running).await;
        }
        match self.open(attempt, Protocol::Auto, running).await {
            Err(error) if may_be_older(&error) && self.server.can_restart() => {
                if let Some(first) = running.take() {
                    first.kill().await;
                }
                let link = self.open(attempt, Protocol::V2025, running).await?;
                self.is_legacy = true;
                self.server.pins.set_legacy(self.server.name());
                Ok(link)
            }
            outcome => outcome,
        }
    }

    async fn open(
        &self,
        attempt: &Attempt,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, ServerError> {
        let method = match protocol {
            Protocol::V2025 => "initialize",
            Protocol::Auto | Protocol::V2026 => "server/discover",
        };
        let span = tracing::info_span!(
            "connect",
            otel.name = format!("{method} {}", self.server.name()),
            otel.kind = "client",
            mcp.method.name = method,
        );
        let open = async {
            match &attempt.target {
                Target::Program(program) => self.open_program(program, protocol, running).await,
                #[cfg(feature = "http-client")]
                Target::Address(address) => self.open_address(address, protocol, running).await,
                Target::Connection => self.open_connection(protocol, running).await,
            }
        };
        let opened = timeout_at(attempt.deadline, open.instrument(span));
        match opened.await {
            Ok(Ok(Ok(link))) => Ok(link),
            Ok(Ok(Err(error))) => Err(self.open_error(error, attempt, running.as_mut()).await),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(self.mute()),
        }
    }

    async fn list(
        &self,
        attempt: &Attempt,
        link: &Link,
        running: &mut Option<Endpoint>,
    ) -> Result<List, ServerError> {
        let server = self.server.name().to_owned();
        let rejected = |reason: String| ServerError::Rejected {
            server,
            phase: "list of tools",
            reason,
        };
        let error =
            match timeout_at(attempt.deadline, list::request(self.server.name(), link)).await {
                Ok(Ok(list)) => return Ok(list),
                Err(_) => return Err(self.mute()),
                Ok(Err(ListError::NotAList)) => {
                    return Err(rejected("the result is not a list".to_owned()));
                }
                Ok(Err(ListError::Request(error))) => error,
            };
        Err(match error {
            RequestError::Server { message, .. } => {
                rejected(attempt.redactor.scrub(&message).into_owned())
            }
            RequestError::TooLarge => rejected("the message exceeds \"max_message\"".to_owned()),
            #[cfg(feature = "http-client")]
            RequestError::Invalid => rejected("the response is invalid".to_owned()),
            #[cfg(feature = "http-client")]
            RequestError::Status {
                status,
                retry_after,
            } => {
                let failure = HttpFailure::Status {
                    status,
                    is_page: false,
                    retry_after,
                };
                self.open_error(OpenError::Http(failure), attempt, running.as_mut())
                    .await
            }
            RequestError::Lost | RequestError::NotSent => {
                self.lost(attempt, running.as_mut()).await
            }
        })
    }

    fn mute(&self) -> ServerError {
        ServerError::Mute {
            server: self.server.name().to_owned(),
            limit: self.server.config().start_limit(),
        }
    }
}

/// Returns `true` if a server that supports only older revisions may cause the error.
fn may_be_older(error: &ServerError) -> bool {
    matches!(
        error,
        ServerError::Exited { .. }
            | ServerError::Rejected { .. }
            | ServerError::Status { .. }
            | ServerError::NotMcp { .. }
    )
}

/// Subscribes to changes of the tools, if the revision requires it.
pub(crate) async fn subscribe(link: &Link) -> Option<ToolChanges> {
    timeout(SUBSCRIBE_LIMIT, link.subscribe()).await.ok()?
}
