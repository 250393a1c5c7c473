//! A call that runs on its own.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::task::{JoinError, JoinHandle};

use crate::{CancellationToken, ErrorCode, ToolError, ToolResult};

/// A call that runs on its own; awaiting it gives its result. Dropping it stops the call.
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
#[derive(Debug)]
pub struct CallHandle {
    id: String,
    name: String,
    cancellation: CancellationToken,
    task: JoinHandle<ToolResult>,
}

impl CallHandle {
    pub(super) fn new(
        id: String,
        name: String,
        cancellation: CancellationToken,
        task: JoinHandle<ToolResult>,
    ) -> Self {
        Self {
            id,
            name,
            cancellation,
            task,
        }
    }

    /// The id of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
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
}

impl Future for CallHandle {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        let outcome = std::task::ready!(Pin::new(&mut self.task).poll(cx));
        Poll::Ready(outcome.unwrap_or_else(|error| lost(&self.id, &self.name, error)))
    }
}

impl Drop for CallHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The result of a call whose task did not come back: the runtime shut down, or what is not the tool's own panicked.
fn lost(id: &str, name: &str, error: JoinError) -> ToolResult {
    let told = if error.is_panic() {
        ToolError::new(
            ErrorCode::Panic,
            "The call stopped because of a fault of its host",
        )
        .suggest("The same call may fail again; try another way.")
    } else {
        ToolError::cancelled()
    };
    ToolResult::refused(id, name, told.caused_by(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn code_of(task: JoinHandle<ToolResult>) -> ErrorCode {
        let handle = CallHandle::new("1".into(), "f".into(), CancellationToken::new(), task);
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
