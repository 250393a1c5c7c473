//! Start of a server, up to its first list of tools.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::timeout;
use tool_core::Redactor;
use tracing::Instrument;

use super::list::{self, Boxed, List};
use super::program;
#[cfg(feature = "http-client")]
use super::remote::Address;
use super::report::ServerError;
use super::server::Server;
use crate::config::{Protocol, Transport};
use crate::locked;
use crate::wire::{Failure, Link, Opening, Output, ToolChanges};

/// Time limit of a subscription.
const SUBSCRIBE_LIMIT: Duration = Duration::from_secs(5);

/// End of the error of a stream that has ended.
pub(crate) const CLOSED: &str =
    ": the connection was closed. Add the server again with a new stream.";

/// Server that has listed its tools.
pub(crate) struct Started {
    pub(crate) link: Arc<Link>,
    pub(crate) list: List,
    pub(crate) changes: Option<ToolChanges>,
}

/// Starts a server. Its program is in [`Server::running`], even if the future is dropped.
pub(crate) async fn start(server: &Server) -> Result<Started, ServerError> {
    server.check_approval()?;
    *locked(&server.redactor) = Redactor::new();
    let limit = server.config.start_limit();
    let started = timeout(limit, Box::pin(server.start())).await;
    let started = started.unwrap_or_else(|_| {
        Err(server.failed(format_args!(
            " did not respond within {} s. Raise \"startup_timeout\" if it installs itself at the first start.",
            limit.as_secs_f64()
        )))
    });
    if started.is_err() {
        server.kill().await;
    }
    started
}

/// Subscribes to changes of the tools, if the revision requires it.
pub(crate) fn subscribe(link: &Link) -> Boxed<'_, Option<ToolChanges>> {
    Box::pin(async { timeout(SUBSCRIBE_LIMIT, link.subscribe()).await.ok()? })
}

impl Server {
    async fn start(&self) -> Result<Started, ServerError> {
        let link = self.connect().await?;
        // Subscribe before the list, so that no change between both is missed.
        let changes = subscribe(&link).await;
        match list::request(&self.name, &link).await {
            Ok(list) => Ok(Started {
                link: Arc::new(link),
                list,
                changes,
            }),
            Err(failure) => Err(self.describe("list of tools", failure).await),
        }
    }

    /// Opens a connection, after a failed handshake once more.
    async fn connect(&self) -> Result<Link, ServerError> {
        let is_older = self.is_older.load(Ordering::Relaxed);
        let protocol = match self.config.protocol {
            Protocol::Auto if is_older => Protocol::V2025,
            protocol => protocol,
        };
        let mut failure = match self.open(protocol).await? {
            Ok(link) => return Ok(link),
            Err(failure) => failure,
        };
        if let Some(next) = self.next_protocol(protocol, &failure) {
            self.kill().await;
            match self.open(next).await? {
                Ok(link) => {
                    let is_older = protocol == Protocol::Auto && next == Protocol::V2025;
                    self.is_older.fetch_or(is_older, Ordering::Relaxed);
                    return Ok(link);
                }
                Err(again) => failure = again,
            }
        }
        Err(self.describe("handshake", failure).await)
    }

    /// Returns the handshake to try after a failed one: some old servers exit or return garbage when they see a request
    /// that they do not know.
    fn next_protocol(&self, protocol: Protocol, failure: &Failure) -> Option<Protocol> {
        match failure {
            _ if !self.can_restart() => None,
            // The server may have closed an idle connection of the pool. A handshake has no effect, so repeat it.
            Failure::Lost if self.config.url.is_some() => Some(protocol),
            Failure::Version(_)
            | Failure::Unreachable(_)
            | Failure::Status {
                status: 401 | 403, ..
            } => None,
            _ => (protocol == Protocol::Auto).then_some(Protocol::V2025),
        }
    }

    fn open(&self, protocol: Protocol) -> Boxed<'_, Result<Result<Link, Failure>, ServerError>> {
        let method = match protocol {
            Protocol::V2025 => "initialize",
            Protocol::Auto | Protocol::V2026 => "server/discover",
        };
        let span = tracing::info_span!(
            "connect",
            otel.name = format!("{method} {}", self.name),
            otel.kind = "client",
            mcp.method.name = method,
        );
        Box::pin(self.open_target(protocol).instrument(span))
    }

    async fn open_target(&self, protocol: Protocol) -> Result<Result<Link, Failure>, ServerError> {
        let opening = Opening {
            server: &self.name,
            protocol,
            input: self.shared.input.clone(),
            max_message: self.config.max_message,
            signals: Arc::default(),
        };
        if let Some(stream) = &self.connection {
            let stream = locked(stream).take();
            let (output, input) = tokio::io::split(stream.ok_or_else(|| self.failed(CLOSED))?);
            let output = Output::Stream(Box::new(output));
            return Ok(opening.over_lines(input, output).await);
        }
        match self.config.check(&self.name)? {
            Transport::Stdio => {
                let (running, (stdin, stdout)) = program::start(self).await?;
                self.set_process(running.tree.id());
                *locked(&self.running) = Some(running);
                Ok(opening.over_lines(stdin, Output::Program(stdout)).await)
            }
            #[cfg(feature = "http-client")]
            Transport::Http => {
                let address = Address::expand(self)?;
                let pool = self.shared.pool.get_or_init(crate::wire::http_pool);
                let pool = pool
                    .as_ref()
                    .map_err(|reason| self.failed(format_args!(": {reason}.")))?;
                let tokens = self.tokens(&address).await;
                let tokens = tokens.map_err(|error| self.rejected("login", &error.to_string()))?;
                let max_parallel = self.config.max_parallel;
                let opened = opening.over_http(pool, &address, max_parallel, tokens);
                Ok(Box::pin(opened).await)
            }
            #[cfg(not(feature = "http-client"))]
            Transport::Http => Err(self.failed(
                ": remote servers are not supported by this build. Enable the feature `http-client` of tool-mcp.",
            )),
        }
    }
}

/// Errors of a start.
impl Server {
    /// Describes why a start failed.
    async fn describe(&self, phase: &str, failure: Failure) -> ServerError {
        match failure {
            Failure::Lost => self.lost("the connection was closed").await,
            Failure::Unreachable(reason) => self.lost(&reason).await,
            Failure::Status { status, .. } => self.status(status),
            Failure::Version(version) => self.failed(format_args!(
                " uses protocol {version}; supported: 2024-11-05 to 2026-07-28."
            )),
            Failure::ContentType(kind) => self.failed(format_args!(
                ": {} returned {kind} instead of MCP. The address often ends in /mcp.",
                self.address()
            )),
            Failure::TooLarge => self.rejected(phase, "the message exceeds \"max_message\""),
            Failure::Invalid => {
                let reason = "the response is invalid, or has more than 128 levels of nesting";
                self.rejected(phase, reason)
            }
            Failure::Server { message, .. } => self.rejected(phase, &message),
        }
    }

    fn rejected(&self, phase: &str, reason: &str) -> ServerError {
        let reason = self.scrub(reason);
        self.failed(format_args!(" rejected the {phase}: {reason}"))
    }

    /// Creates the error of a server without a connection.
    async fn lost(&self, reason: &str) -> ServerError {
        let running = locked(&self.running).take();
        if let Some(mut running) = running {
            let end = running.end_of_life().await;
            let lines = self.scrub(&running.tail.text());
            running.tree.end().await;
            return self.failed(format_args!(
                " {end} before it responded. Its last lines: {lines}"
            ));
        }
        if !self.can_restart() {
            return self.failed(CLOSED);
        }
        let address = self.address();
        self.failed(format_args!(
            ": {address} cannot be reached: {reason}. Check the address and the network."
        ))
    }

    /// Creates the error of an HTTP status.
    fn status(&self, status: u16) -> ServerError {
        let address = self.address();
        let advice = match status {
            401 | 403 => {
                return ServerError::LoginRequired {
                    server: self.name.clone(),
                    address,
                    status,
                };
            }
            300..=399 => "It redirects to another address; configure that one.",
            429 | 503 => "Try again later.",
            400..=499 => "The address often ends in /mcp.",
            _ => "Check the log of the server.",
        };
        self.failed(format_args!(": {address} returned {status}. {advice}"))
    }

    /// Returns the address of a remote server for errors.
    fn address(&self) -> String {
        #[cfg(feature = "http-client")]
        if let Ok(address) = Address::expand(self) {
            return address.shown();
        }
        let _ = self;
        String::new()
    }
}
