//! A call that runs in its own task.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::{JoinError, JoinHandle};

use super::CallEvent;
use super::outbox::Outbox;
use crate::{CancellationToken, ErrorCode, ToolError, ToolResult};

/// A call that runs in its own task. Awaiting it returns the result; dropping it stops the call.
///
/// [`CallHandle::next_report`] reads progress and partial output. A slow reader does not block the tool: at most 256
/// reports and 256 KB of them are buffered; then the oldest are dropped and counted.
///
/// # Examples
/// ```
/// use tool_core::{CallOptions, Registry, ToolCall};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let handle = Registry::new().spawn(ToolCall::new("nope", "{}"), CallOptions::default());
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

    /// Returns the id of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name of the tool, as called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Cancels the call, whose result is then an error.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Returns `true` if the result is available.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits for the next report; `None` if the call has finished and all reports are read. The result must still be
    /// awaited. Dropping the future loses nothing.
    pub async fn next_report(&mut self) -> Option<CallEvent> {
        poll_fn(|task| self.poll_report(task)).await
    }

    /// Polls for the next report, like [`CallHandle::next_report`].
    pub fn poll_report(&mut self, task: &mut Context<'_>) -> Poll<Option<CallEvent>> {
        self.outbox.poll_next(task)
    }

    /// Returns the number of reports that were dropped because they were not read in time.
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
            // For a busy tool that checks its token: the abort takes effect only when it yields.
            self.cancellation.cancel();
            self.task.abort();
        }
    }
}

/// Returns the result of a call whose task was lost: the runtime shut down, or code outside the tool panicked.
pub(super) fn lost(id: &str, name: &str, error: Option<JoinError>) -> ToolResult {
    let cause = if error.as_ref().is_some_and(JoinError::is_panic) {
        ToolError::new(ErrorCode::Panic, "The call failed with an internal error")
            .suggest("The same call may fail again; try another way.")
    } else {
        ToolError::cancelled()
    };
    let error = match error {
        Some(error) => cause.caused_by(error),
        None => cause,
    };
    ToolResult::refused(id, name, error)
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
    async fn lost_task_is_cancelled_and_panicked_task_is_panic() {
        let stopped = tokio::spawn(std::future::pending());
        stopped.abort();
        let panicked = tokio::spawn(async { panic!("a bug") });

        assert_eq!(code_of(stopped).await, ErrorCode::Cancelled);
        assert_eq!(code_of(panicked).await, ErrorCode::Panic);
    }
}
