//! A call that runs in its own task, and the queue of its reports.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};
use tokio::task::{JoinError, JoinHandle};

use crate::{
    CancellationToken, ContentBlock, ErrorCode, Progress, ProgressSink, ToolError, ToolResult,
};

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
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name of the tool, as called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Cancels the call, whose result is then an error.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Returns `true` if the result is available.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits for the next report; `None` if the call has finished and all reports are read. The result must still be
    /// awaited. Dropping the future loses nothing.
    pub async fn next_report(&mut self) -> Option<CallEvent> {
        poll_fn(|task| self.outbox.poll_next(task)).await
    }
}

debug_fields!(CallHandle, this => id: this.id, name: this.name, is_finished: this.is_finished());

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

/// Maximum number of buffered reports.
const MAX_REPORTS: usize = 256;
/// Maximum bytes of buffered reports.
const MAX_BYTES: usize = 256 * 1024;

/// Progress or partial output of a running call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::CallEvent;
/// use tool_core::{CallOptions, DynamicTool, Progress, Registry, RiskLevel, ToolCall, ToolDefinition};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let definition = ToolDefinition::new("scan", "Scans.", json!({"type": "object"})).with_risk(RiskLevel::ReadOnly);
/// let scan = DynamicTool::new(definition, |cx, _| async move {
///     cx.progress(&Progress::new("scanning").with_position(1, Some(2)));
///     cx.partial("first hit");
///     Ok("first hit\nsecond hit".into())
/// });
/// let mut call = Registry::of(scan)?.spawn(ToolCall::new("scan", "{}"), CallOptions::default());
/// while let Some(report) = call.next_report().await {
///     match report {
///         CallEvent::Progress(progress) => assert_eq!(progress.done, 1),
///         CallEvent::Partial(block) => assert_eq!(block.as_text(), Some("first hit")),
///         _ => {}
///     }
/// }
/// assert!(call.await.success);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallEvent {
    /// Progress of the call.
    Progress(Progress),
    /// Partial output of the call.
    Partial(ContentBlock),
}

impl CallEvent {
    fn len(&self) -> usize {
        match self {
            Self::Progress(progress) => progress.message.len(),
            Self::Partial(block) => block.len(),
        }
    }
}

/// Buffers the reports of one call and forwards them to another sink. Drops the oldest if there are too many.
pub(super) struct Outbox {
    state: Mutex<State>,
    further: Option<Arc<dyn ProgressSink>>,
}

#[derive(Default)]
struct State {
    reports: VecDeque<CallEvent>,
    bytes: usize,
    closed: bool,
    reader: Option<Waker>,
}

impl Outbox {
    /// Creates a buffer that also forwards every report to `further` immediately.
    pub(super) fn new(further: Option<Arc<dyn ProgressSink>>) -> Self {
        Self {
            state: Mutex::default(),
            further,
        }
    }

    /// Polls for the next report; `None` if the call has finished and all are read.
    pub(super) fn poll_next(&self, task: &mut Context<'_>) -> Poll<Option<CallEvent>> {
        let mut state = self.state();
        if let Some(report) = state.reports.pop_front() {
            state.bytes -= report.len();
            return Poll::Ready(Some(report));
        }
        if state.closed {
            return Poll::Ready(None);
        }
        state.reader = Some(task.waker().clone());
        Poll::Pending
    }

    /// Changes the state of an open buffer and wakes the reader.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        change(&mut state);
        let reader = state.reader.take();
        // Before the reader wakes up, because it takes the lock at once.
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }

    fn push(&self, report: CallEvent) {
        self.change(|state| state.push(report));
    }

    fn close(&self) {
        self.change(|state| state.closed = true);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, report: CallEvent) {
        self.bytes += report.len();
        self.reports.push_back(report);
        // A single report may exceed the limit.
        while self.reports.len() > MAX_REPORTS || (self.bytes > MAX_BYTES && self.reports.len() > 1)
        {
            let oldest = self.reports.pop_front();
            self.bytes -= oldest.as_ref().map_or(0, CallEvent::len);
        }
    }
}

impl ProgressSink for Outbox {
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress) {
        if let Some(further) = &self.further {
            further.progress(call_id, tool_name, progress);
        }
        self.push(CallEvent::Progress(progress.clone()));
    }

    fn partial(&self, call_id: &str, tool_name: &str, block: &ContentBlock) {
        if let Some(further) = &self.further {
            further.partial(call_id, tool_name, block);
        }
        self.push(CallEvent::Partial(block.clone()));
    }
}

/// Closes the buffer when the call ends in any way.
pub(super) struct CloseOnDrop(pub(super) Arc<Outbox>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests;
