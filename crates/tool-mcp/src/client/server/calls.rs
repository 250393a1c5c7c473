//! Calls of a server: their turns, and the connection that they use.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::Instant;
use tool_core::{ErrorCode, SideEffects, ToolError};

use super::Server;
use crate::client::report::ServerState;
use crate::wire::Link;

impl Server {
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

    /// Returns the connection, after the start of an idle server.
    pub(crate) async fn link(&self) -> Result<Arc<Link>, ToolError> {
        let (link, state) = {
            let mut status = self.status();
            status.last_use = Instant::now();
            (status.link.clone(), status.report.state)
        };
        if state != ServerState::Idle {
            return link.ok_or_else(|| self.unavailable());
        }
        self.wake.notify_one();
        let is_awake =
            |state: &ServerState| !matches!(state, ServerState::Idle | ServerState::Starting);
        // An error means that the server is gone, which cannot happen while it is borrowed.
        let _ = self.state.subscribe().wait_for(is_awake).await;
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
}
