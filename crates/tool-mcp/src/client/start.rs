//! Start of a server, up to its first list of tools.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tool_core::{Redactor, Secret};
use tracing::Instrument;

#[cfg(feature = "http-client")]
use super::address::Address;
use super::error::ServerError;
use super::list::{self, Boxed, List, ListError};
use super::process::{Program, Running};
use super::server::Server;
use crate::config::{Protocol, Transport};
#[cfg(feature = "http-client")]
use crate::hygiene;
#[cfg(feature = "http-client")]
use crate::wire::HttpFailure;
use crate::wire::{
    LineStreams, Link, OpenError, Output, RequestError, Signals, ToolChanges, open_lines,
};

/// Time limit of a subscription.
const SUBSCRIBE_LIMIT: Duration = Duration::from_secs(5);

/// Time for a remote server to delete the session, and for a stream to be closed.
const SESSION_END: Duration = Duration::from_secs(1);

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
    let start = Start::expand(server)?;
    let started = timeout_at(deadline, Box::pin(start.run(running))).await;
    match started {
        Ok(Ok(started)) => Ok(started),
        Ok(Err(failed)) => Err(start.describe(failed, running.as_mut()).await),
        Err(_) => {
            let rest = format!(
                " did not respond within {} s. Raise \"startup_timeout\" if it installs itself at the first start.",
                limit.as_secs_f64()
            );
            Err(ServerError::failed(&server.name, rest))
        }
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
    Open(OpenError),
    List(ListError),
}

impl From<ServerError> for Failed {
    fn from(error: ServerError) -> Self {
        Self::Start(error)
    }
}

impl From<OpenError> for Failed {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl<'s> Start<'s> {
    /// Expands the configuration.
    fn expand(server: &'s Arc<Server>) -> Result<Self, ServerError> {
        let (target, secrets) = if server.connection.is_some() {
            (Target::Connection, Vec::new())
        } else {
            match server.config.check(&server.name)? {
                Transport::Stdio => {
                    let variables = &server.shared.variables;
                    let program = Program::expand(&server.name, &server.config, variables)?;
                    let secrets = program.secrets();
                    (Target::Program(program), secrets)
                }
                #[cfg(feature = "http-client")]
                Transport::Http => {
                    let address = Address::expand(server)?;
                    let secrets = address.secrets();
                    (Target::Address(address), secrets)
                }
                #[cfg(not(feature = "http-client"))]
                Transport::Http => {
                    let rest = ": remote servers are not supported by this build. Enable the feature `http-client` of tool-mcp.";
                    return Err(ServerError::failed(&server.name, rest));
                }
            }
        };
        let mut redactor = Redactor::new();
        for secret in secrets.into_iter().map(Secret::new) {
            // Short values would match ordinary text.
            redactor = redactor.clone().with_value(&secret).unwrap_or(redactor);
            if let Some(learned) = &server.shared.redactor {
                let _ = learned.learn(&secret);
            }
        }
        Ok(Self {
            server,
            target,
            redactor,
        })
    }

    async fn run(&self, running: &mut Option<Endpoint>) -> Result<Started, Failed> {
        let link = Arc::new(self.connect(running).await?);
        let changes = subscribe(&link).await;
        let list = list::request(&self.server.name, &link).await;
        Ok(Started {
            list: list.map_err(Failed::List)?,
            link,
            changes,
        })
    }

    /// Opens a connection. After a failed handshake of the current revision, starts the server
    /// again with the older handshake.
    async fn connect(&self, running: &mut Option<Endpoint>) -> Result<Link, Failed> {
        let (server, pins) = (self.server, &self.server.shared.pins);
        let protocol = match server.config.protocol {
            Protocol::Auto if pins.is_legacy(&server.name) => Protocol::V2025,
            protocol => protocol,
        };
        match self.open(protocol, running).await {
            Err(Failed::Open(error))
                if protocol == Protocol::Auto
                    && self.may_be_older(&error)
                    && server.can_restart() =>
            {
                if let Some(first) = running.take() {
                    first.kill().await;
                }
                let link = self.open(Protocol::V2025, running).await?;
                pins.set_legacy(&server.name);
                Ok(link)
            }
            outcome => outcome,
        }
    }

    /// Returns `true` if a server that supports only older revisions may cause the error.
    fn may_be_older(&self, error: &OpenError) -> bool {
        match error {
            OpenError::Version(_) => false,
            OpenError::Closed => matches!(self.target, Target::Program(_)),
            OpenError::Rejected(_) | OpenError::Unexpected => true,
            #[cfg(feature = "http-client")]
            OpenError::Http(failure) => !matches!(
                failure,
                HttpFailure::Unreachable(_)
                    | HttpFailure::Lost
                    | HttpFailure::Status {
                        status: 401 | 403,
                        ..
                    }
            ),
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
        match &self.target {
            Target::Program(program) => Box::pin(
                self.open_program(program, protocol, running)
                    .instrument(span),
            ),
            Target::Connection => Box::pin(self.open_stream(protocol, running).instrument(span)),
            #[cfg(feature = "http-client")]
            Target::Address(address) => Box::pin(
                self.open_address(address, protocol, running)
                    .instrument(span),
            ),
        }
    }

    async fn open_program(
        &self,
        program: &Program,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, Failed> {
        let (started, (stdin, stdout)) = program.start(&self.server.name).await?;
        self.server.set_endpoint(started.tree.id(), None);
        *running = Some(Endpoint::Program(Box::new(started)));
        let limit = self.server.config.max_message;
        let lines = LineStreams::new(stdin, Output::Program(stdout), limit, Arc::default());
        self.open_lines(lines, protocol).await
    }

    async fn open_stream(
        &self,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, Failed> {
        let stream = self.server.connection.as_ref();
        let stream = stream.and_then(|stream| stream.lock().ok()?.take());
        let stream = stream.ok_or(OpenError::Closed)?;
        let signals = Arc::new(Signals::default());
        *running = Some(Endpoint::Connected(Arc::clone(&signals)));
        let (output, stdin) = tokio::io::split(stream);
        let limit = self.server.config.max_message;
        let output = Output::Stream(Box::new(output));
        let lines = LineStreams::new(stdin, output, limit, signals);
        self.open_lines(lines, protocol).await
    }

    async fn open_lines(&self, lines: LineStreams, protocol: Protocol) -> Result<Link, Failed> {
        let input = self.server.shared.input.clone();
        Ok(open_lines(&self.server.name, lines, protocol, input).await?)
    }

    #[cfg(feature = "http-client")]
    async fn open_address(
        &self,
        address: &Address,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, Failed> {
        match self.try_address(address, protocol, running).await {
            // The server may have closed an idle connection of the pool. A handshake has no effect, so repeat it.
            Err(Failed::Open(OpenError::Http(HttpFailure::Lost))) => {
                self.try_address(address, protocol, running).await
            }
            outcome => outcome,
        }
    }

    #[cfg(feature = "http-client")]
    async fn try_address(
        &self,
        address: &Address,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Link, Failed> {
        let server = self.server;
        let pool = server.shared.pool.get_or_init(crate::wire::HttpPool::new);
        let invalid = |reason: &String| ServerError::failed(&server.name, format!(": {reason}."));
        let pool = pool.as_ref().map_err(invalid)?;
        let signals = Arc::new(Signals::default());
        *running = Some(Endpoint::Connected(Arc::clone(&signals)));
        server.set_endpoint(None, Some(address.peer()));
        let mut target = address.target(server);
        #[cfg(feature = "http-client")]
        {
            let tokens = server.tokens(address).await;
            target.tokens = tokens.map_err(|error| self.rejected("login", &error.to_string()))?;
        }
        let input = server.shared.input.clone();
        Ok(Box::pin(target.open(pool, protocol, signals, input)).await?)
    }

    fn rejected(&self, phase: &str, reason: &str) -> ServerError {
        let reason = self.redactor.scrub(reason);
        ServerError::failed(
            &self.server.name,
            format!(" rejected the {phase}: {reason}"),
        )
    }

    async fn describe(&self, failed: Failed, running: Option<&mut Endpoint>) -> ServerError {
        let name = &self.server.name;
        let (phase, reason) = match failed {
            Failed::Start(error) => return error,
            Failed::Open(OpenError::Version(version)) => {
                let rest =
                    format!(" uses protocol {version}; supported: 2024-11-05 to 2026-07-28.");
                return ServerError::failed(name, rest);
            }
            Failed::Open(OpenError::Closed)
            | Failed::List(ListError::Request(RequestError::Lost | RequestError::NotSent)) => {
                return self.lost(running).await;
            }
            Failed::Open(OpenError::Rejected(reason)) => ("handshake", reason),
            Failed::Open(OpenError::Unexpected) => {
                ("handshake", "the response is invalid".to_owned())
            }
            Failed::List(ListError::NotAList) => {
                ("list of tools", "the result is not a list".to_owned())
            }
            Failed::List(ListError::Request(RequestError::Server { message, .. })) => {
                ("list of tools", message)
            }
            Failed::List(ListError::Request(RequestError::TooLarge)) => (
                "list of tools",
                "the message exceeds \"max_message\"".to_owned(),
            ),
            #[cfg(feature = "http-client")]
            Failed::List(ListError::Request(RequestError::Invalid)) => {
                ("list of tools", "the response is invalid".to_owned())
            }
            #[cfg(feature = "http-client")]
            Failed::List(ListError::Request(RequestError::Status { status, .. })) => {
                return self.status(status, false);
            }
            #[cfg(feature = "http-client")]
            Failed::Open(OpenError::Http(failure)) => return self.http(failure),
        };
        self.rejected(phase, &reason)
    }

    /// Creates the error of a server that closed the connection.
    async fn lost(&self, running: Option<&mut Endpoint>) -> ServerError {
        let rest = match (&self.target, running) {
            (Target::Program(_), Some(Endpoint::Program(running))) => format!(
                " {} before it responded. Its last lines: {}",
                running.end_of_life().await,
                running.tail.text(&self.redactor)
            ),
            (Target::Program(_), _) => " exited before it responded.".to_owned(),
            (Target::Connection, _) => CLOSED.to_owned(),
            #[cfg(feature = "http-client")]
            (Target::Address(address), _) => {
                unreachable_at(&address.shown(), "the connection was closed")
            }
        };
        ServerError::failed(&self.server.name, rest)
    }
}

/// End of the error of a stream that has ended.
pub(crate) const CLOSED: &str =
    ": the connection was closed. Add the server again with a new stream.";

#[cfg(feature = "http-client")]
fn unreachable_at(address: &str, reason: &str) -> String {
    format!(": {address} cannot be reached: {reason}. Check the address and the network.")
}

#[cfg(feature = "http-client")]
impl Start<'_> {
    fn shown(&self) -> String {
        match &self.target {
            Target::Address(address) => address.shown(),
            Target::Program(_) | Target::Connection => String::new(),
        }
    }

    /// Creates the error of a failed HTTP request.
    fn http(&self, failure: HttpFailure) -> ServerError {
        let address = self.shown();
        let rest = match failure {
            HttpFailure::Status {
                status, is_page, ..
            } => return self.status(status, is_page),
            HttpFailure::TooLarge => {
                return self.rejected("handshake", "the message exceeds \"max_message\"");
            }
            HttpFailure::Invalid => return self.rejected("handshake", "the response is invalid"),
            HttpFailure::Lost => unreachable_at(&address, "the connection was closed"),
            HttpFailure::Unreachable(reason) => unreachable_at(&address, &reason),
            HttpFailure::ContentType(kind) => {
                let kind = hygiene::clean(&kind, 100).text;
                let kind = if kind.is_empty() {
                    "no content type"
                } else {
                    &kind
                };
                format!(
                    ": {address} returned {kind} instead of MCP. The address often ends in /mcp."
                )
            }
        };
        ServerError::failed(&self.server.name, rest)
    }

    /// Creates the error of an HTTP status.
    fn status(&self, status: u16, is_page: bool) -> ServerError {
        let address = self.shown();
        if matches!(status, 401 | 403) {
            return ServerError::LoginRequired {
                server: self.server.name.clone(),
                address,
                status,
            };
        }
        let advice = match status {
            300..=399 => "It redirects to another address; configure that one.",
            429 | 503 => "Try again later.",
            400..=499 => "The address often ends in /mcp.",
            _ => "Check the log of the server.",
        };
        let page = if is_page { " (HTML)" } else { "" };
        let rest = format!(": {address} returned {status}{page}. {advice}");
        ServerError::failed(&self.server.name, rest)
    }
}
