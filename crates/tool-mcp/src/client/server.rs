//! State of one server, shared by its task and its tools.

mod calls;
#[cfg(feature = "auth")]
mod logins;
mod publish;
mod reviews;
mod states;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;
use tool_core::registry::ToolSource;
use tool_core::{CancellationToken, Redactor, Tool, ToolContext};

use super::connection::Connection;
#[cfg(feature = "http-client")]
use super::error::ServerError;
use super::event::{EventSink, ServerEventKind};
use super::list::List;
use super::pins::Pins;
use super::report::{ServerReport, ServerState};
use crate::config::{McpServerConfig, Variables};
#[cfg(feature = "http-client")]
use crate::headers::HeaderSource;
use crate::input::HostInput;
#[cfg(feature = "auth")]
use crate::login::Login;
use crate::trace::TraceSource;
#[cfg(feature = "http-client")]
use crate::wire::HttpPool;
use crate::wire::Link;
#[cfg(feature = "auth")]
use crate::wire::Tokens;

/// Server of a configuration.
pub(crate) struct Server {
    name: String,
    config: McpServerConfig,
    pub(crate) prefix: String,
    pub(crate) variables: Variables,
    pub(crate) input: HostInput,
    pub(crate) trace: Option<TraceSource>,
    events: Option<EventSink>,
    pub(crate) pins: Pins,
    #[cfg(feature = "http-client")]
    pub(crate) call_headers: Option<HeaderSource>,
    #[cfg(feature = "http-client")]
    pools: HttpPools,
    #[cfg(feature = "auth")]
    login: Option<Login>,
    #[cfg(feature = "auth")]
    tokens: tokio::sync::OnceCell<Arc<Tokens>>,
    status: Mutex<Status>,
    /// Changed with each state.
    state: watch::Sender<ServerState>,
    permits: Semaphore,
    /// Cancelled when the server must stop.
    pub(crate) stop: CancellationToken,
    /// Notified by `reconnect`.
    pub(crate) reconnect: Notify,
    /// Notified by a call of an idle server.
    pub(crate) wake: Notify,
    /// Source of the server in the registry.
    source: Option<ToolSource>,
    /// Redactor of the registry, which learns the secrets of the configuration.
    pub(crate) redactor: Option<Redactor>,
    /// Stream of a server that the host connects.
    connection: Option<Connection>,
}

/// Client with pooled connections, created by the first server that needs it.
#[cfg(feature = "http-client")]
pub(crate) type HttpPools = Arc<std::sync::OnceLock<Result<HttpPool, String>>>;

/// Settings that all servers of a manager share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared {
    pub(crate) variables: Variables,
    pub(crate) input: HostInput,
    pub(crate) trace: Option<TraceSource>,
    pub(crate) events: Option<EventSink>,
    pub(crate) pins: Pins,
    pub(crate) redactor: Option<Redactor>,
    #[cfg(feature = "http-client")]
    pub(crate) call_headers: Option<HeaderSource>,
    #[cfg(feature = "http-client")]
    pub(crate) pools: HttpPools,
    #[cfg(feature = "auth")]
    pub(crate) login: Option<Login>,
}

struct Status {
    report: ServerReport,
    link: Option<Arc<Link>>,
    tools: Vec<Arc<dyn Tool>>,
    /// Last list, also of hidden tools.
    list: Option<List>,
    instructions: Option<String>,
    /// Start of the last call.
    last_use: Instant,
    /// Number and time of the next try.
    next: Option<(u32, Instant)>,
    /// Host and port of a remote server.
    #[cfg(feature = "http-client")]
    peer: Option<(String, u16)>,
}

impl Status {
    fn new(name: &str, state: ServerState) -> Self {
        Self {
            report: ServerReport::new(name, state),
            link: None,
            tools: Vec::new(),
            list: None,
            instructions: None,
            last_use: Instant::now(),
            next: None,
            #[cfg(feature = "http-client")]
            peer: None,
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({:?})", self.name)
    }
}

impl Server {
    pub(crate) fn new(
        name: String,
        config: McpServerConfig,
        prefix: String,
        source: Option<ToolSource>,
        shared: Shared,
    ) -> Self {
        let state = if config.enabled {
            ServerState::Starting
        } else {
            ServerState::Disabled
        };
        Self {
            status: Mutex::new(Status::new(&name, state)),
            state: watch::Sender::new(state),
            permits: Semaphore::new(config.max_parallel),
            stop: CancellationToken::new(),
            reconnect: Notify::new(),
            wake: Notify::new(),
            name,
            config,
            prefix,
            variables: shared.variables,
            input: shared.input,
            trace: shared.trace,
            events: shared.events,
            pins: shared.pins,
            #[cfg(feature = "http-client")]
            call_headers: shared.call_headers,
            #[cfg(feature = "http-client")]
            pools: shared.pools,
            #[cfg(feature = "auth")]
            login: shared.login,
            #[cfg(feature = "auth")]
            tokens: tokio::sync::OnceCell::new(),
            source,
            redactor: shared.redactor,
            connection: None,
        }
    }

    /// Sets the stream of a server that the host connects.
    pub(crate) fn with_connection(self, connection: Option<Connection>) -> Self {
        Self { connection, ..self }
    }

    /// Returns the stream of a server that the host connects.
    pub(crate) fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// Returns whether the server can be started again.
    pub(crate) fn can_restart(&self) -> bool {
        self.connection.is_none()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn config(&self) -> &McpServerConfig {
        &self.config
    }

    /// Returns the client for remote servers.
    #[cfg(feature = "http-client")]
    pub(crate) fn pool(&self) -> Result<HttpPool, ServerError> {
        let pool = self.pools.get_or_init(HttpPool::new).clone();
        pool.map_err(|reason| ServerError::InvalidAddress {
            server: self.name.clone(),
            reason,
        })
    }

    /// Passes an event to the host.
    fn emit(&self, kind: ServerEventKind<'_>) {
        if let Some(events) = &self.events {
            events.emit(&self.name, kind);
        }
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn report(&self) -> ServerReport {
        self.status().report.clone()
    }

    pub(crate) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.status().tools.clone()
    }

    pub(crate) fn instructions(&self) -> Option<String> {
        self.status().instructions.clone()
    }

    /// Records the transport in the span of a call.
    pub(crate) fn record_peer(&self, cx: &ToolContext) {
        if self.config.url.is_none() {
            cx.record("network.transport", "pipe");
            return;
        }
        cx.record("network.transport", "tcp");
        #[cfg(feature = "http-client")]
        if let Some((host, port)) = self.status().peer.clone() {
            cx.record("server.address", host);
            cx.record("server.port", port);
        }
    }

    /// Records host and port of a remote server.
    #[cfg(feature = "http-client")]
    pub(crate) fn set_peer(&self, peer: (String, u16)) {
        self.status().peer = Some(peer);
    }

    /// Records the program of a local server.
    pub(crate) fn set_process(&self, id: Option<u32>) {
        self.status().report.process_id = id;
    }

    /// Waits until the first start succeeded or failed.
    pub(crate) async fn settled(&self) {
        let mut state = self.state.subscribe();
        // An error means that the server is gone, which cannot happen while it is borrowed.
        let _ = state
            .wait_for(|state| *state != ServerState::Starting)
            .await;
    }

    /// Returns `true` before and during the first start.
    pub(crate) fn is_starting(&self) -> bool {
        self.status().report.state == ServerState::Starting
    }

    /// Requests a start. Returns `false` if the server is disabled or stopped.
    pub(crate) fn request_start(&self) -> bool {
        // Without a valid prefix, the server has no task.
        if self.prefix.is_empty() {
            return false;
        }
        match self.report().state {
            ServerState::Disabled | ServerState::Stopped => return false,
            ServerState::Starting => {}
            ServerState::Ready
            | ServerState::Restarting
            | ServerState::Failed
            | ServerState::Idle
            | ServerState::NeedsApproval
            | ServerState::NeedsLogin => {
                self.set_state(ServerState::Starting);
                self.reconnect.notify_one();
            }
        }
        true
    }
}
