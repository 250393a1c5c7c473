//! State of one server, shared by its task and its tools.

mod publish;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, Semaphore, SemaphorePermit, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tool_core::{
    CancellationToken, ErrorCode, Redactor, Registry, Secret, SideEffects, Tool, ToolError,
    ToolSource,
};

use super::input::HostInput;
use super::list::List;
#[cfg(feature = "http-client")]
use super::login::Login;
use super::pins::Pins;
use super::process::Running;
use super::report::{ChangeSink, ServerError, ServerReport, ServerState};
use crate::config::{Variables, expand};
use crate::meta::TraceSource;
use crate::wire::Link;
#[cfg(feature = "http-client")]
use crate::wire::Tokens;
use crate::{McpServerConfig, locked};

/// Servers that start at the same time: starting a program is work, and some install themselves first.
pub(crate) static STARTS: Semaphore = Semaphore::const_new(16);

/// Stream to a server that the host connects, which is used by one start.
pub(crate) type Connection = Mutex<Option<Box<dyn Stream>>>;

/// Stream in both directions.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Settings that all servers of a manager share.
#[derive(Clone, Default)]
pub(crate) struct Shared {
    /// Without a function, the variables are those of the environment.
    pub(crate) variables: Option<Arc<Variables>>,
    pub(crate) input: HostInput,
    pub(crate) trace: Option<TraceSource>,
    pub(crate) on_change: Option<ChangeSink>,
    pub(crate) pins: Pins,
    pub(crate) registry: Option<Registry>,
    /// Maximum time of `connect`.
    pub(crate) ready_after: Option<Duration>,
    /// Client with pooled connections, created by the first server that needs it.
    #[cfg(feature = "http-client")]
    pub(crate) pool: Arc<std::sync::OnceLock<Result<reqwest::Client, String>>>,
    #[cfg(feature = "http-client")]
    pub(crate) login: Option<Login>,
}

impl Shared {
    /// Returns the redactor of the registry, which learns the secrets of the configuration.
    pub(crate) fn redactor(&self) -> Option<&Redactor> {
        self.registry.as_ref()?.redactor()
    }
}

/// Server of a configuration.
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) config: McpServerConfig,
    /// First part of the names of its tools. Empty if the configuration is invalid; such a server is never started.
    pub(crate) prefix: String,
    pub(crate) shared: Shared,
    /// Stream of a server that the host connects. Such a server cannot be started again.
    pub(crate) connection: Option<Connection>,
    /// Warnings about its configuration.
    warnings: Vec<String>,
    /// Source of the server in the registry.
    pub(crate) source: Option<ToolSource>,
    status: watch::Sender<Status>,
    /// Held while a change is reported, so that reports keep their order.
    reporting: Mutex<()>,
    permits: Semaphore,
    task: Mutex<Option<JoinHandle<()>>>,
    /// Cancelled when the server must stop.
    pub(crate) stop: CancellationToken,
    /// Notified by `reconnect`.
    pub(crate) reconnect: Notify,
    /// Redactor for the secrets of the configuration.
    pub(crate) redactor: Mutex<Redactor>,
    /// Whether only the older handshake worked.
    pub(crate) is_older: AtomicBool,
    /// Local program of a connection that is not yet followed.
    pub(crate) running: Mutex<Option<Running>>,
    #[cfg(feature = "http-client")]
    pub(crate) tokens: tokio::sync::OnceCell<Arc<Tokens>>,
}

#[derive(Default)]
struct Status {
    report: ServerReport,
    link: Option<Arc<Link>>,
    tools: Vec<Arc<dyn Tool>>,
    /// Last list, with its hidden tools.
    list: Option<List>,
    /// Number and time of the next try.
    next: Option<(u32, Instant)>,
}

impl Server {
    pub(crate) fn new(
        name: String,
        config: McpServerConfig,
        connection: Option<Connection>,
        warnings: Vec<String>,
        shared: Shared,
    ) -> Self {
        let state = if config.enabled {
            ServerState::Starting
        } else {
            ServerState::Disabled
        };
        let status = Status {
            report: ServerReport {
                name: name.clone(),
                state,
                warnings: warnings.clone(),
                ..ServerReport::default()
            },
            ..Status::default()
        };
        Self {
            status: watch::Sender::new(status),
            reporting: Mutex::default(),
            permits: Semaphore::new(config.max_parallel),
            name,
            config,
            prefix: String::new(),
            shared,
            connection,
            warnings,
            source: None,
            task: Mutex::default(),
            stop: CancellationToken::new(),
            reconnect: Notify::new(),
            redactor: Mutex::default(),
            is_older: AtomicBool::new(false),
            running: Mutex::default(),
            #[cfg(feature = "http-client")]
            tokens: tokio::sync::OnceCell::new(),
        }
    }

    /// Returns whether the server can be started again.
    pub(crate) fn can_restart(&self) -> bool {
        self.connection.is_none()
    }

    pub(crate) fn report(&self) -> ServerReport {
        self.status.borrow().report.clone()
    }

    pub(crate) fn state(&self) -> ServerState {
        self.status.borrow().report.state
    }

    pub(crate) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.status.borrow().tools.clone()
    }

    pub(crate) fn instructions(&self) -> Option<String> {
        self.status.borrow().link.as_ref()?.instructions()
    }

    /// Replaces the variables of a string of the configuration.
    pub(crate) fn expand(&self, text: &str) -> Result<String, ServerError> {
        let expanded = match &self.shared.variables {
            Some(variables) => expand(text, &**variables),
            None => expand(text, &|name: &str| std::env::var(name).ok()),
        };
        expanded.map_err(|reason| self.failed(format_args!(": {reason}")))
    }

    /// Keeps a secret of the configuration out of errors and of what the registry returns.
    pub(crate) fn learn(&self, secret: &str) {
        let secret = Secret::new(secret.to_owned());
        let mut own = locked(&self.redactor);
        // Short values would match ordinary text.
        if let Ok(redactor) = own.clone().with_value(&secret) {
            *own = redactor;
        }
        if let Some(redactor) = self.shared.redactor() {
            let _ = redactor.learn(&secret);
        }
    }

    /// Returns text without the secrets of the configuration.
    pub(crate) fn scrub(&self, text: &str) -> String {
        locked(&self.redactor).scrub(text).into_owned()
    }

    /// Creates an error whose sentence begins with the name of the server.
    pub(crate) fn failed(&self, rest: impl fmt::Display) -> ServerError {
        ServerError::failed(&self.name, rest)
    }

    /// Starts the task of the server, unless it runs.
    pub(crate) fn spawn(&self, run: impl Future<Output = ()> + Send + 'static) {
        let mut task = locked(&self.task);
        if task.is_none() && self.state() == ServerState::Starting {
            *task = Some(tokio::spawn(run));
        }
    }

    /// Reports a change to the host.
    pub(crate) fn report_change(&self) {
        let _order = locked(&self.reporting);
        self.tell_host();
    }

    fn tell_host(&self) {
        if let Some(report) = &self.shared.on_change {
            report(&self.report());
        }
    }

    /// Changes the state.
    fn set(&self, state: ServerState, change: impl FnOnce(&mut Status)) {
        let _order = locked(&self.reporting);
        let before = self.state();
        self.status.send_modify(|status| {
            change(status);
            status.report.state = state;
        });
        if before != state {
            tracing::info!(server = %self.name, %state, "MCP server");
            self.tell_host();
        }
    }

    pub(crate) fn set_process(&self, process: Option<u32>) {
        let change = |status: &mut Status| status.report.process_id = process;
        self.status.send_modify(change);
    }

    /// Offers the tools of a connection that has just been opened.
    pub(crate) fn set_ready(self: &Arc<Self>, link: &Arc<Link>, list: List, start_time: Duration) {
        self.publish(list);
        self.set(ServerState::Ready, |status| {
            status.report.protocol = Some(link.protocol_version());
            status.report.start_time = Some(start_time);
            status.report.error = None;
            status.link = Some(Arc::clone(link));
            status.next = None;
        });
    }

    /// Records the end of the connection. Calls are rejected, and tools stay listed.
    pub(crate) fn set_restarting(&self, attempt: u32, delay: Duration, error: Option<ServerError>) {
        self.set(ServerState::Restarting, |status| {
            status.link = None;
            status.report.process_id = None;
            status.next = Some((attempt, Instant::now() + delay));
            status.report.error = error.or(status.report.error.take());
        });
    }

    /// Records a failed start, and removes the tools.
    pub(crate) fn set_failed(&self, error: ServerError) {
        tracing::warn!(server = %self.name, "{error}");
        self.unregister();
        let state = match error {
            ServerError::LoginRequired { .. } => ServerState::NeedsLogin,
            ServerError::NotApproved { .. } => ServerState::NeedsApproval,
            _ => ServerState::Failed,
        };
        self.set(state, |status| {
            status.clear();
            status.report.error = Some(error);
        });
    }

    /// Records the end of the manager.
    pub(crate) fn set_stopped(&self) {
        self.unregister();
        if let Some(source) = &self.source {
            source.clone().close();
        }
        self.set(ServerState::Stopped, Status::clear);
    }

    fn unregister(&self) {
        if let Some(source) = &self.source {
            // An error means that the host closed the source.
            let _ = source.refresh(Vec::<Arc<dyn Tool>>::new());
        }
    }

    /// Waits until the first start succeeded or failed.
    pub(crate) async fn settled(&self) {
        let mut status = self.status.subscribe();
        // An error means that the server is gone, which cannot happen while it is borrowed.
        let _ = status
            .wait_for(|status| status.report.state != ServerState::Starting)
            .await;
    }

    /// Terminates the program of a start with all its processes.
    pub(crate) async fn kill(&self) {
        let running = locked(&self.running).take();
        if let Some(mut running) = running {
            running.tree.end().await;
        }
    }

    /// Requests a start. Returns `false` if the server is disabled, stopped or invalid.
    pub(crate) fn request_start(&self) -> bool {
        match self.state() {
            _ if self.prefix.is_empty() => return false,
            ServerState::Disabled | ServerState::Stopped => return false,
            ServerState::Starting => {}
            _ => {
                self.set(ServerState::Starting, |_| {});
                self.reconnect.notify_one();
            }
        }
        true
    }

    /// Rejects further calls, and stops the server after the running ones, or after `wait`.
    pub(crate) async fn stop(&self, wait: Duration) {
        self.set(ServerState::Stopped, |_| {});
        // Each running call has one permit, so all of them are free when the last call has finished.
        let all = u32::try_from(self.config.max_parallel).unwrap_or(u32::MAX);
        let drained = timeout(wait, self.permits.acquire_many(all)).await;
        if drained.is_err() {
            tracing::info!(server = %self.name, "calls are cancelled at shutdown");
        }
        self.permits.close();
        self.stop.cancel();
    }

    /// Waits for the end of a stopped server.
    pub(crate) async fn ended(&self) {
        let task = locked(&self.task).take();
        if let Some(task) = task {
            // An error means that the runtime shuts down.
            let _ = task.await;
        }
        // Servers that never started have no task.
        self.set_stopped();
    }

    /// Returns whether a list is the last one.
    pub(crate) fn has_listed(&self, list: &List) -> bool {
        self.status.borrow().list.as_ref() == Some(list)
    }

    /// Waits for the turn of a call.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, ToolError> {
        if self.state() == ServerState::Stopped {
            return Err(self.unavailable());
        }
        let permit = self.permits.acquire().await;
        permit.map_err(|_| self.unavailable())
    }

    pub(crate) fn link(&self) -> Result<Arc<Link>, ToolError> {
        let link = self.status.borrow().link.clone();
        link.ok_or_else(|| self.unavailable())
    }

    /// Creates the error of a call that was not sent.
    fn unavailable(&self) -> ToolError {
        let status = self.status.borrow();
        let (name, state) = (&self.name, status.report.state);
        let error = |sentence: String| {
            ToolError::new(ErrorCode::Unavailable, sentence).with_side_effects(SideEffects::None)
        };
        let next = status.next.filter(|_| state == ServerState::Restarting);
        let Some((attempt, at)) = next else {
            return error(format!(
                "The server \"{name}\" is {state}. Nothing was done"
            ))
            .suggest("Continue without it.")
            .with_retryable(false);
        };
        let wait = at.saturating_duration_since(Instant::now());
        let wait = wait.max(Duration::from_secs(1));
        let seconds = wait.as_secs_f64().ceil();
        error(format!(
            "The server \"{name}\" is starting again (try {attempt}). Nothing was done"
        ))
        .suggest(format!("Try again in {seconds} s, or continue without it."))
        .with_retry_after(wait)
    }
}

impl Status {
    /// Removes the connection and the tools.
    fn clear(&mut self) {
        self.link = None;
        self.next = None;
        self.tools.clear();
        self.list = None;
        self.report.tools.clear();
        self.report.claims.clear();
        self.report.hidden.clear();
        self.report.process_id = None;
    }
}
