//! Start of a server, up to its first list of tools.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tool_core::Redactor;

use super::list::{self, List, ListError};
use super::process::{Program, Running};
use super::report::ServerError;
use super::server::Server;
use crate::config::{Protocol, Transport};
use crate::wire::{Lines, Link, OpenError, RequestError, Signals, ToolChanges};

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

/// Program, limit and secrets of one start.
struct Attempt {
    program: Program,
    deadline: Instant,
    redactor: Redactor,
}

impl Start {
    pub(crate) fn new(server: Arc<Server>) -> Self {
        Self {
            server,
            is_legacy: false,
        }
    }

    /// Starts the server. Its program is in `running`, also if the future is dropped.
    pub(crate) async fn start(
        &mut self,
        running: &mut Option<Running>,
    ) -> Result<Started, ServerError> {
        let config = self.server.config();
        let name = self.server.name();
        if config.check(name)? != Transport::Stdio {
            return Err(ServerError::NoTransport {
                server: name.to_owned(),
                transport: "http",
            });
        }
        let program = Program::expand(name, config, &self.server.variables)?;
        if let Some(redactor) = &self.server.redactor {
            program.teach(redactor);
        }
        let attempt = Attempt {
            redactor: program.redactor(),
            deadline: Instant::now() + config.startup_timeout,
            program,
        };
        let link = self.connect(&attempt, running).await?;
        let changes = subscribe(&link).await;
        let list = self.list(&attempt, &link, running).await?;
        Ok(Started {
            link,
            list,
            changes,
        })
    }

    /// Opens a connection. After a failed handshake of the current revision, starts the program
    /// again with the older handshake.
    async fn connect(
        &mut self,
        attempt: &Attempt,
        running: &mut Option<Running>,
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
            Err(ServerError::Exited { .. } | ServerError::Rejected { .. }) => {
                if let Some(mut first) = running.take() {
                    first.tree.end().await;
                }
                let link = self.open(attempt, Protocol::V2025, running).await?;
                self.is_legacy = true;
                Ok(link)
            }
            outcome => outcome,
        }
    }

    async fn open(
        &self,
        attempt: &Attempt,
        protocol: Protocol,
        running: &mut Option<Running>,
    ) -> Result<Link, ServerError> {
        let name = self.server.name();
        let mut started = attempt.program.start(name).await?;
        let pipes = started.pipes.take();
        let started = running.insert(started);
        let Some((stdin, stdout)) = pipes else {
            return Err(ServerError::Spawn {
                server: name.to_owned(),
                reason: "it has no pipes".to_owned(),
            });
        };
        let signals = Arc::new(Signals::default());
        let lines = Lines::new(stdin, stdout, self.server.config().max_message, signals);
        let opened = timeout_at(attempt.deadline, lines.open(name, protocol)).await;
        match opened {
            Ok(Ok(link)) => Ok(link),
            Ok(Err(error)) => Err(self.open_error(error, attempt, started).await),
            Err(_) => Err(self.mute()),
        }
    }

    async fn list(
        &self,
        attempt: &Attempt,
        link: &Link,
        running: &mut Option<Running>,
    ) -> Result<List, ServerError> {
        let server = self.server.name().to_owned();
        let rejected = |reason: String| ServerError::Rejected {
            server,
            phase: "list of tools",
            reason,
        };
        match timeout_at(attempt.deadline, list::request(link)).await {
            Ok(Ok(list)) => Ok(list),
            Err(_) => Err(self.mute()),
            Ok(Err(ListError::NotAList)) => Err(rejected("the result is not a list".to_owned())),
            Ok(Err(ListError::Request(RequestError::Server { message, .. }))) => {
                Err(rejected(attempt.redactor.scrub(&message).into_owned()))
            }
            Ok(Err(ListError::Request(RequestError::TooLarge))) => {
                Err(rejected("the message exceeds \"max_message\"".to_owned()))
            }
            Ok(Err(ListError::Request(RequestError::Lost | RequestError::NotSent))) => {
                Err(self.exited(attempt, running.as_mut()).await)
            }
        }
    }

    async fn open_error(
        &self,
        error: OpenError,
        attempt: &Attempt,
        running: &mut Running,
    ) -> ServerError {
        let server = self.server.name().to_owned();
        let phase = "handshake";
        match error {
            OpenError::Version(version) => ServerError::Version { server, version },
            OpenError::Closed => self.exited(attempt, Some(running)).await,
            OpenError::Rejected(reason) => {
                let reason = attempt.redactor.scrub(&reason).into_owned();
                ServerError::Rejected {
                    server,
                    phase,
                    reason,
                }
            }
            OpenError::Unexpected => {
                let reason = "the response is invalid".to_owned();
                ServerError::Rejected {
                    server,
                    phase,
                    reason,
                }
            }
        }
    }

    async fn exited(&self, attempt: &Attempt, running: Option<&mut Running>) -> ServerError {
        let server = self.server.name().to_owned();
        match running {
            Some(running) => {
                let end = running.end_of_life().await;
                ServerError::Exited {
                    server,
                    end,
                    lines: running.tail.text(&attempt.redactor),
                }
            }
            None => ServerError::Exited {
                server,
                end: "exited".to_owned(),
                lines: "(none)".to_owned(),
            },
        }
    }

    fn mute(&self) -> ServerError {
        ServerError::Mute {
            server: self.server.name().to_owned(),
            limit: self.server.config().startup_timeout,
        }
    }
}

/// Subscribes to changes of the tools, if the revision requires it.
pub(crate) async fn subscribe(link: &Link) -> Option<ToolChanges> {
    timeout(SUBSCRIBE_LIMIT, link.subscribe()).await.ok()?
}
