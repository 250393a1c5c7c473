//! State of one server, shared by its task and its tools.

mod publish;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, SemaphorePermit, watch};
use tokio::time::Instant;
use tool_core::registry::ToolSource;
use tool_core::{CancellationToken, ErrorCode, Redactor, SideEffects, Tool, ToolError};

use super::list::List;
use super::report::{ServerError, ServerReport, ServerState};
use crate::config::{McpServerConfig, Variables};
use crate::wire::Link;

/// Server of a configuration.
pub(crate) struct Server {
    name: String,
    config: McpServerConfig,
    pub(crate) prefix: String,
    pub(crate) variables: Variables,
    status: Mutex<Status>,
    /// Changed with each state.
    state: watch::Sender<ServerState>,
    permits: Semaphore,
    /// Cancelled when the server must stop.
    pub(crate) stop: CancellationToken,
    /// Notified by `reconnect`.
    pub(crate) reconnect: Notify,
    /// Source of the server in the registry.
    source: Option<ToolSource>,
    /// Redactor of the registry, which learns the secrets of the configuration.
    pub(crate) redactor: Option<Redactor>,
}

struct Status {
    report: ServerReport,
    link: Option<Arc<Link>>,
    tools: Vec<Arc<dyn Tool>>,
    instructions: Option<String>,
    /// Number and time of the next try.
    next: Option<(u32, Instant)>,
}

impl Server {
    pub(crate) fn new(
        name: String,
        config: McpServerConfig,
        prefix: String,
        variables: Variables,
        source: Option<ToolSource>,
        redactor: Option<Redactor>,
    ) -> Self {
        let state = if config.enabled {
            ServerState::Starting
        } else {
            ServerState::Disabled
        };
        Self {
            status: Mutex::new(Status {
                report: ServerReport::new(&name, state),
                link: None,
                tools: Vec::new(),
                instructions: None,
                next: None,
            }),
            state: watch::Sender::new(state),
            permits: Semaphore::new(config.max_parallel),
            stop: CancellationToken::new(),
            reconnect: Notify::new(),
            name,
            config,
            prefix,
            variables,
            source,
            redactor,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn config(&self) -> &McpServerConfig {
        &self.config
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
            ServerState::Ready | ServerState::Restarting | ServerState::Failed => {
                self.set_state(ServerState::Starting);
                self.reconnect.notify_one();
            }
        }
        true
    }

    /// Rejects further calls.
    pub(crate) fn reject_calls(&self) {
        self.set_state(ServerState::Stopped);
    }

    /// Waits for the turn of a call.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, ToolError> {
        if self.status().report.state == ServerState::Stopped {
            return Err(self.unavailable());
        }
        match self.permits.try_acquire() {
            Ok(permit) => Ok(permit),
            Err(_) => self.permits.acquire().await.map_err(|_| self.unavailable()),
        }
    }

    /// Rejects further calls, and waits until the running calls are finished.
    pub(crate) async fn drain(&self) {
        let all = u32::try_from(self.config.max_parallel).unwrap_or(u32::MAX);
        if let Ok(permits) = self.permits.acquire_many(all).await {
            self.permits.close();
            drop(permits);
        }
    }

    /// Returns the connection.
    pub(crate) fn link(&self) -> Result<Arc<Link>, ToolError> {
        let link = self.status().link.clone();
        link.ok_or_else(|| self.unavailable())
    }

    /// Creates the error of a call that was not sent.
    fn unavailable(&self) -> ToolError {
        let status = self.status();
        let name = &self.name;
        let (sentence, wait) = match (status.report.state, status.next) {
            (ServerState::Restarting, Some((attempt, at))) => {
                let wait = at.saturating_duration_since(Instant::now());
                let sentence = format!(
                    "The server \"{name}\" is starting again (try {attempt}). Nothing was done"
                );
                (sentence, wait.max(Duration::from_secs(1)))
            }
            (state, _) => {
                let sentence = format!("The server \"{name}\" is {state}. Nothing was done");
                return ToolError::new(ErrorCode::Unavailable, sentence)
                    .suggest("Continue without it.")
                    .with_retryable(false)
                    .with_side_effects(SideEffects::None);
            }
        };
        let seconds = wait.as_secs_f64().ceil();
        ToolError::new(ErrorCode::Unavailable, sentence)
            .suggest(format!("Try again in {seconds} s, or continue without it."))
            .with_retry_after(wait)
            .with_side_effects(SideEffects::None)
    }

    fn set_state(&self, state: ServerState) {
        self.status().report.state = state;
        let before = self.state.send_replace(state);
        if before != state {
            tracing::info!(server = %self.name, %state, "MCP server");
        }
    }

    /// Offers the tools of a connection that has just been opened.
    pub(crate) fn set_ready(
        self: &Arc<Self>,
        link: Link,
        list: List,
        start_time: Duration,
    ) -> Arc<Link> {
        let link = Arc::new(link);
        self.publish(list);
        {
            let mut status = self.status();
            status.report.protocol = Some(link.protocol_version());
            status.report.start_time = Some(start_time);
            status.report.error = None;
            status.instructions = link.instructions();
            status.link = Some(Arc::clone(&link));
            status.next = None;
        }
        self.set_state(ServerState::Ready);
        link
    }

    /// Records the end of the connection. Calls are rejected, and tools stay listed.
    pub(crate) fn set_restarting(&self, attempt: u32, delay: Duration, error: Option<ServerError>) {
        {
            let mut status = self.status();
            status.link = None;
            status.next = Some((attempt, Instant::now() + delay));
            if error.is_some() {
                status.report.error = error;
            }
        }
        self.set_state(ServerState::Restarting);
    }

    /// Records a failed start, and removes the tools.
    pub(crate) fn set_failed(&self, error: ServerError) {
        tracing::warn!(server = %self.name, "{error}");
        self.remove_tools();
        self.status().report.error = Some(error);
        self.set_state(ServerState::Failed);
    }

    /// Records the end of the manager.
    pub(crate) fn set_stopped(&self) {
        self.remove_tools();
        if let Some(source) = &self.source {
            source.clone().close();
        }
        self.set_state(ServerState::Stopped);
    }

    fn remove_tools(&self) {
        {
            let mut status = self.status();
            status.link = None;
            status.next = None;
            status.tools.clear();
            status.report.tools.clear();
        }
        if let Some(source) = &self.source {
            // An error means that the host closed the source.
            let _ = source.begin().finish(Vec::<Arc<dyn Tool>>::new());
        }
    }
}
