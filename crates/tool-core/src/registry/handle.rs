//! A call that runs on its own.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::{JoinError, JoinHandle};

use super::Report;
use super::outbox::Outbox;
use crate::{CancellationToken, ErrorCode, ToolError, ToolResult};

/// A call that runs on its own; awaiting it gives its result. Dropping it stops the call.
///
/// What the call says meanwhile is read with [`CallHandle::next_report`], or not at all: a reader never holds the tool
/// up. At most 256 reports and 256 KB of them wait to be read; then the oldest are dropped, and counted.
///
/// # Examples
/// ```
/// use tool_core::{CallOptions, Registry, ToolCall};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let handle = Registry::new().execute_async(ToolCall::new("nope", "{}"), CallOptions::default());
/// handle.cancel();
/// assert!(!handle.await.success);
/// # }
/// ```
pub struct CallHandle {
    id: String,
    name: String,
    cancellation: CancellationToken,
    outbox: Arc<Outbox>,
    task: JoinHandle<ToolResult>,
}

impl CallHandle {
    pub(super) fn new(
        id: String,
        name: String,
        cancellation: CancellationToken,
        outbox: Arc<Outbox>,
        task: JoinHandle<ToolResult>,
    ) -> Self {
        Self {
            id,
            name,
            cancellation,
            outbox,
            task,
        }
    }

    /// The id of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name of the tool, as it was called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Stops the call; its result then says so.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Whether the result is there.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits for what the call says next; `None` when it has ended and everything is read. The result is still to be
    /// awaited then. A wait that is dropped loses nothing.
    pub async fn next_report(&mut self) -> Option<Report> {
        poll_fn(|task| self.poll_report(task)).await
    }

    /// The same for whoever polls, such as a stream of the host's own.
    pub fn poll_report(&mut self, task: &mut Context<'_>) -> Poll<Option<Report>> {
        self.outbox.poll_next(task)
    }

    /// How many reports were dropped so far, because they were not read in time.
    #[must_use]
    pub fn dropped_reports(&self) -> u64 {
        self.outbox.dropped()
    }
}

impl fmt::Debug for CallHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallHandle")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

impl Future for CallHandle {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        let outcome = std::task::ready!(Pin::new(&mut self.task).poll(cx));
        Poll::Ready(outcome.unwrap_or_else(|error| lost(&self.id, &self.name, Some(error))))
    }
}

impl Drop for CallHandle {
    fn drop(&mut self) {
        if !self.task.is_finished() {
            // For a tool that is busy and looks at its token: the abort reaches it only when it waits.
            self.cancellation.cancel();
            self.task.abort();
        }
    }
}

/// The result of a call whose task did not come back: the runtime shut down, or what is not the tool's own panicked.
pub(super) fn lost(id: &str, name: &str, error: Option<JoinError>) -> ToolResult {
    let told = if error.as_ref().is_some_and(JoinError::is_panic) {
        ToolError::new(
            ErrorCode::Panic,
            "The call stopped because of a fault of its host",
        )
        .suggest("The same call may fail again; try another way.")
    } else {
        ToolError::cancelled()
    };
    let told = match error {
        Some(error) => told.caused_by(error),
        None => told,
    };
    ToolResult::refused(id, name, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn code_of(task: JoinHandle<ToolResult>) -> ErrorCode {
        let (token, outbox) = (CancellationToken::new(), Arc::new(Outbox::new(None)));
        let handle = CallHandle::new("1".into(), "f".into(), token, outbox, task);
        handle.await.error.unwrap().code
    }

    #[tokio::test]
    async fn a_task_that_is_lost_is_told_apart_from_one_that_panicked() {
        let stopped = tokio::spawn(std::future::pending());
        stopped.abort();
        let panicked = tokio::spawn(async { panic!("a fault") });

        assert_eq!(code_of(stopped).await, ErrorCode::Cancelled);
        assert_eq!(code_of(panicked).await, ErrorCode::Panic);
    }
}
