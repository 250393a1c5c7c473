//! Start of a server, up to its first list of tools.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tool_core::{Redactor, Secret};
use tracing::Instrument;

use super::list::{self, Boxed, List};
use super::process::{Program, Running};
#[cfg(feature = "http-client")]
use super::remote::Address;
use super::report::ServerError;
use super::server::Server;
use crate::config::{Protocol, Transport};
use crate::wire::{Failure, Link, Opening, Output, Signals, ToolChanges};

/// Time limit of a subscription.
const SUBSCRIBE_LIMIT: Duration = Duration::from_secs(5);

/// Time for a remote server to delete the session, and for a stream to be closed.
const SESSION_END: Duration = Duration::from_secs(1);

/// End of the error of a stream that has ended.
pub(crate) const CLOSED: &str =
    ": the connection was closed. Add the server again with a new stream.";

/// Server that has listed its tools.
pub(crate) struct Started {
    pub(crate) link: Arc<Link>,
    pub(crate) list: List,
    pub(crate) changes: Option<ToolChanges>,
}

/// The other end of a connection.
pub(crate) enum Endpoint {
    /// Local program. Dropping it kills all its processes.
    Program(Box<Running>),
    /// Remote server or stream, whose connection is closed with its link.
    Connected(Arc<Signals>),
}

impl Endpoint {
    /// Waits until a program exits. Waits forever for other servers.
    pub(crate) async fn exited(&mut self) {
        match self {
            // An error means that the program has exited.
            Self::Program(running) => drop(running.tree.wait().await),
            Self::Connected(_) => std::future::pending().await,
        }
    }

    /// Terminates a program with all its processes, or waits for the end of the connection.
    pub(crate) async fn end(self) {
        match self {
            Self::Program(running) => running.end().await,
            Self::Connected(signals) => {
                // After the limit, the session is deleted in the background.
                let _ = timeout(SESSION_END, signals.closed.cancelled()).await;
            }
        }
    }

    /// Terminates a program with all its processes immediately.
    pub(crate) async fn kill(self) {
        if let Self::Program(mut running) = self {
            running.tree.end().await;
        }
    }
}

/// Starts a server. Its program is in `running`, even if the future is dropped.
pub(crate) async fn start(
    server: &Arc<Server>,
    running: &mut Option<Endpoint>,
) -> Result<Started, ServerError> {
    server.check_approval()?;
    let limit = server.config.start_limit();
    let deadline = Instant::now() + limit;
    let start = Start::expand(server).await?;
    match timeout_at(deadline, Box::pin(start.run(running))).await {
        Ok(Ok(started)) => Ok(started),
        Ok(Err(failed)) => Err(start.describe(failed, running.as_mut()).await),
        Err(_) => Err(start.failed(format_args!(
            " did not respond within {} s. Raise \"startup_timeout\" if it installs itself at the first start.",
            limit.as_secs_f64()
        ))),
    }
}

/// Subscribes to changes of the tools, if the revision requires it.
pub(crate) fn subscribe(link: &Link) -> Boxed<'_, Option<ToolChanges>> {
    Box::pin(async { timeout(SUBSCRIBE_LIMIT, link.subscribe()).await.ok()? })
}

enum Target {
    Program(Program),
    #[cfg(feature = "http-client")]
    Address(Address),
    /// Stream of the host.
    Connection,
}

/// One start.
struct Start<'s> {
    server: &'s Arc<Server>,
    target: Target,
    /// Redactor for the secrets of the configuration.
    redactor: Redactor,
}

/// Reason for a failed start.
enum Failed {
    Start(ServerError),
    Handshake(Failure),
    List(Failure),
}

impl From<ServerError> for Failed {
    fn from(error: ServerError) -> Self {
        Self::Start(error)
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self::Handshake(failure)
    }
}

impl<'s> Start<'s> {
    /// Expands the configuration.
    async fn expand(server: &'s Arc<Server>) -> Result<Self, ServerError> {
        let (target, secrets) = if server.can_restart() {
            configured(server).await?
        } else {
            (Target::Connection, Vec::new())
        };
        let mut redactor = Redactor::new();
        for secret in secrets.into_iter().map(Secret::new) {
            // Short values would match ordinary text.
            redactor = redactor.clone().with_value(&secret).unwrap_or(redactor);
            server.learn(&secret);
        }
        Ok(Self {
            server,
            target,
            redactor,
        })
    }

    async fn run(&self, running: &mut Option<Endpoint>) -> Result<Started, Failed> {
        let link = Arc::new(self.connect(running).await?);
        // Subscribe before the list, so that no change between both is missed.
        let changes = subscribe(&link).await;
        let list = list::request(&self.server.name, &link).await;
        Ok(Started {
            list: list.map_err(Failed::List)?,
            link,
            changes,
        })
    }

    /// Opens a connection. After a failed handshake of the current revision, starts the server again with the older
    /// handshake: some old servers exit or return garbage when they see a request that they do not know.
    async fn connect(&self, running: &mut Option<Endpoint>) -> Result<Link, Failed> {
        let (server, pins) = (self.server, &self.server.shared.pins);
        let protocol = match server.config.protocol {
            Protocol::Auto if pins.is_legacy(&server.name) => Protocol::V2025,
            protocol => protocol,
        };
        let opened = self.open(protocol, running).await;
        match opened {
            Err(Failed::Handshake(failure))
                if protocol == Protocol::Auto
                    && server.can_restart()
                    && self.may_be_older(&failure) =>
            {
                if let Some(first) = running.take() {
                    first.kill().await;
                }
                let link = self.open(Protocol::V2025, running).await?;
                pins.set_legacy(&server.name);
                Ok(link)
            }
            opened => opened,
        }
    }

    /// Returns `true` if a server that supports only older revisions may cause the failure.
    fn may_be_older(&self, failure: &Failure) -> bool {
        match failure {
            Failure::Lost => matches!(self.target, Target::Program(_)),
            Failure::Version(_) | Failure::Unreachable(_) => false,
            Failure::Status { status, .. } => !matches!(status, 401 | 403),
            _ => true,
        }
    }

    fn open<'a>(
        &'a self,
        protocol: Protocol,
        running: &'a mut Option<Endpoint>,
    ) -> Boxed<'a, Result<Link, Failed>> {
        let method = match protocol {
            Protocol::V2025 => "initialize",
            Protocol::Auto | Protocol::V2026 => "server/discover",
        };
        let span = tracing::info_span!(
            "connect",
            otel.name = format!("{method} {}", self.server.name),
            otel.kind = "client",
            mcp.method.name = method,
        );
        Box::pin(self.open_target(protocol, running).instrument(span))
    }

    async fn open_target(
        &self,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, Failed> {
        let server = self.server;
        let opening = self.opening(protocol);
        match &self.target {
            Target::Program(program) => {
                let (started, (stdin, stdout)) = program.start(&server.name).await?;
                server.set_process(started.tree.id());
                *running = Some(Endpoint::Program(Box::new(started)));
                let output = Output::Program(stdout);
                Ok(opening.over_lines(stdin, output).await?)
            }
            Target::Connection => {
                let stream = server.connection.as_ref();
                let stream = stream.and_then(|stream| stream.lock().ok()?.take());
                let (output, input) = tokio::io::split(stream.ok_or(Failure::Lost)?);
                *running = Some(Endpoint::Connected(Arc::clone(&opening.signals)));
                let output = Output::Stream(Box::new(output));
                Ok(opening.over_lines(input, output).await?)
            }
            #[cfg(feature = "http-client")]
            Target::Address(address) => {
                match self.open_address(address, opening, running).await {
                    // The server may have closed an idle connection of the pool. A handshake has no effect, so repeat it.
                    Err(Failed::Handshake(Failure::Lost)) => {
                        let again = self.opening(protocol);
                        self.open_address(address, again, running).await
                    }
                    opened => opened,
                }
            }
        }
    }

    #[cfg(feature = "http-client")]
    async fn open_address(
        &self,
        address: &Address,
        opening: Opening<'_>,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, Failed> {
        let pool = self
            .server
            .shared
            .pool
            .get_or_init(crate::wire::HttpPool::new);
        let pool = pool
            .as_ref()
            .map_err(|reason| self.failed(format_args!(": {reason}.")))?;
        *running = Some(Endpoint::Connected(Arc::clone(&opening.signals)));
        let target = address.target(self.server).await;
        let target = target.map_err(|error| self.rejected("login", &error.to_string()))?;
        Ok(Box::pin(opening.over_http(pool, target)).await?)
    }

    fn opening(&self, protocol: Protocol) -> Opening<'_> {
        Opening {
            server: &self.server.name,
            protocol,
            input: self.server.shared.input.clone(),
            max_message: self.server.config.max_message,
            signals: Arc::default(),
        }
    }
}

/// Expands the configured target and its secrets.
async fn configured(server: &Server) -> Result<(Target, Vec<String>), ServerError> {
    match server.config.check(&server.name)? {
        Transport::Stdio => {
            let program = Program::expand(server).await?;
            let secrets = program.secrets();
            Ok((Target::Program(program), secrets))
        }
        #[cfg(feature = "http-client")]
        Transport::Http => {
            let address = Address::expand(server)?;
            let secrets = address.secrets.clone();
            Ok((Target::Address(address), secrets))
        }
        #[cfg(not(feature = "http-client"))]
        Transport::Http => {
            let rest = ": remote servers are not supported by this build. Enable the feature `http-client` of tool-mcp.";
            Err(ServerError::failed(&server.name, rest))
        }
    }
}

/// Errors of a start.
impl Start<'_> {
    async fn describe(&self, failed: Failed, running: Option<&mut Endpoint>) -> ServerError {
        let (phase, failure) = match failed {
            Failed::Start(error) => return error,
            Failed::Handshake(failure) => ("handshake", failure),
            Failed::List(failure) => ("list of tools", failure),
        };
        let reason = match failure {
            Failure::Lost => return self.lost("the connection was closed", running).await,
            Failure::Unreachable(reason) => return self.lost(&reason, running).await,
            Failure::Status {
                status, is_page, ..
            } => return self.status(status, is_page),
            Failure::Version(version) => {
                return self.failed(format_args!(
                    " uses protocol {version}; supported: 2024-11-05 to 2026-07-28."
                ));
            }
            Failure::ContentType(kind) => {
                let address = self.address();
                return self.failed(format_args!(
                    ": {address} returned {kind} instead of MCP. The address often ends in /mcp."
                ));
            }
            Failure::TooLarge => "the message exceeds \"max_message\"".to_owned(),
            Failure::Invalid => {
                "the response is invalid, or has more than 128 levels of nesting".to_owned()
            }
            Failure::Server { message, .. } => message,
        };
        self.rejected(phase, &reason)
    }

    fn failed(&self, rest: impl fmt::Display) -> ServerError {
        ServerError::failed(&self.server.name, rest)
    }

    fn rejected(&self, phase: &str, reason: &str) -> ServerError {
        let reason = self.redactor.scrub(reason);
        self.failed(format_args!(" rejected the {phase}: {reason}"))
    }

    /// Creates the error of a server without a connection.
    async fn lost(&self, reason: &str, running: Option<&mut Endpoint>) -> ServerError {
        if let Some(Endpoint::Program(running)) = running {
            let end = running.end_of_life().await;
            let lines = running.tail.text(&self.redactor);
            return self.failed(format_args!(
                " {end} before it responded. Its last lines: {lines}"
            ));
        }
        if matches!(self.target, Target::Connection) {
            return self.failed(CLOSED);
        }
        let address = self.address();
        self.failed(format_args!(
            ": {address} cannot be reached: {reason}. Check the address and the network."
        ))
    }

    /// Creates the error of an HTTP status.
    fn status(&self, status: u16, is_page: bool) -> ServerError {
        let address = self.address();
        let advice = match status {
            401 | 403 => {
                return ServerError::LoginRequired {
                    server: self.server.name.clone(),
                    address,
                    status,
                };
            }
            300..=399 => "It redirects to another address; configure that one.",
            429 | 503 => "Try again later.",
            400..=499 => "The address often ends in /mcp.",
            _ => "Check the log of the server.",
        };
        let page = if is_page { " (HTML)" } else { "" };
        self.failed(format_args!(
            ": {address} returned {status}{page}. {advice}"
        ))
    }

    fn address(&self) -> String {
        match &self.target {
            #[cfg(feature = "http-client")]
            Target::Address(address) => address.shown(),
            _ => String::new(),
        }
    }
}
