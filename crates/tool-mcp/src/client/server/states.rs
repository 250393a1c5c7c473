//! Changes of the state of a server.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tool_core::Tool;

use super::Server;
use crate::client::error::ServerError;
use crate::client::event::ServerEventKind;
use crate::client::list::List;
use crate::client::report::ServerState;
use crate::wire::Link;

impl Server {
    pub(super) fn set_state(&self, state: ServerState) {
        self.status().report.state = state;
        if *self.state.borrow() == state {
            return;
        }
        tracing::info!(server = %self.name, %state, "MCP server");
        // Emit it before others can act on the state, so that events keep their order.
        self.emit(ServerEventKind::StateChanged { state });
        self.state.send_replace(state);
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
            status.report.process_id = None;
            status.next = Some((attempt, Instant::now() + delay));
            if error.is_some() {
                status.report.error = error;
            }
        }
        self.set_state(ServerState::Restarting);
    }

    /// Offers the reviewed tools before the first start. Returns `false` if there are none.
    pub(crate) fn set_lazy(self: &Arc<Self>) -> bool {
        let tools = self.pins.reviewed(&self.name, &self.identity());
        if !self.config.lazy || tools.is_empty() {
            return false;
        }
        self.publish(List {
            tools,
            ..List::default()
        });
        self.set_state(ServerState::Idle);
        true
    }

    /// Returns the time at which the server is idle for long enough to be stopped.
    pub(crate) fn idle_at(&self) -> Option<Instant> {
        let idle_stop = self.config.idle_stop.filter(|_| self.can_restart());
        Some(self.status().last_use + idle_stop?)
    }

    /// Records a use, because a call is running.
    pub(crate) fn touch(&self) {
        self.status().last_use = Instant::now();
    }

    /// Records that the server is stopped until the next call. Returns `false` if a call is running.
    pub(crate) fn set_idle(&self) -> bool {
        let all = u32::try_from(self.config.max_parallel).unwrap_or(u32::MAX);
        // A call that waits for a permit finds the server idle, and starts it.
        let Ok(_permits) = self.permits.try_acquire_many(all) else {
            return false;
        };
        {
            let mut status = self.status();
            status.link = None;
            status.report.process_id = None;
        }
        self.set_state(ServerState::Idle);
        true
    }

    /// Records the start of an idle server.
    pub(crate) fn set_waking(&self) {
        self.set_state(ServerState::Starting);
    }

    /// Records that the configuration is invalid, before the first start. This is not an event.
    pub(crate) fn set_invalid(&self, error: ServerError) {
        tracing::warn!(server = %self.name, "{error}");
        let mut status = self.status();
        status.report.error = Some(error);
        status.report.state = ServerState::Failed;
        self.state.send_replace(ServerState::Failed);
    }

    /// Records a failed start, and removes the tools.
    pub(crate) fn set_failed(&self, error: ServerError) {
        tracing::warn!(server = %self.name, "{error}");
        self.remove_tools();
        let state = match error {
            ServerError::LoginRequired { .. } => ServerState::NeedsLogin,
            ServerError::NotApproved { .. } => ServerState::NeedsApproval,
            _ => ServerState::Failed,
        };
        self.status().report.error = Some(error);
        self.set_state(state);
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
            status.report.claims.clear();
            status.report.process_id = None;
            status.report.hidden.clear();
            status.list = None;
        }
        if let Some(source) = &self.source {
            // An error means that the host closed the source.
            let _ = source.begin().finish(Vec::<Arc<dyn Tool>>::new());
        }
    }
}
