//! A call that runs in its own task, and the queue of its reports.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio::task::JoinHandle;

use crate::{CancellationToken, ContentBlock, Progress, ProgressSink, ToolError, ToolResult};

/// A call that runs in its own task. Awaiting it returns the result; dropping it stops the call.
///
/// [`CallHandle::next_report`] reads progress and partial output. A slow reader does not block the tool: at most 256
/// reports are buffered; then the oldest are dropped.
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
    pub(super) id: String,
    pub(super) name: String,
    pub(super) cancellation: CancellationToken,
    pub(super) reports: Receiver<CallEvent>,
    pub(super) task: JoinHandle<ToolResult>,
}

impl CallHandle {
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
        loop {
            match self.reports.recv().await {
                Ok(report) => return Some(report),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

debug_fields!(CallHandle, this => id: this.id, name: this.name, is_finished: this.is_finished());

impl Future for CallHandle {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        let outcome = std::task::ready!(Pin::new(&mut self.task).poll(cx));
        Poll::Ready(outcome.unwrap_or_else(|_| lost(&self.id, &self.name)))
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

/// Returns the result of a call whose task was lost, because the runtime shut down.
pub(super) fn lost(id: &str, name: &str) -> ToolResult {
    ToolResult::refused(id, name, ToolError::cancelled())
}

/// Maximum number of buffered reports.
const MAX_REPORTS: usize = 256;

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

/// Sends the reports of one call to its handle and to another sink. Drops the oldest if there are too many.
pub(super) struct Outbox {
    /// `None` after the end of the call, whose context may live longer.
    reports: Mutex<Option<Sender<CallEvent>>>,
    further: Option<Arc<dyn ProgressSink>>,
}

impl Outbox {
    pub(super) fn new(further: Option<Arc<dyn ProgressSink>>) -> (Arc<Self>, Receiver<CallEvent>) {
        let (sender, receiver) = broadcast::channel(MAX_REPORTS);
        let reports = Mutex::new(Some(sender));
        (Arc::new(Self { reports, further }), receiver)
    }

    fn send(&self, report: CallEvent) {
        if let Some(reports) = &*self.reports() {
            // Fails if the handle was dropped.
            let _ = reports.send(report);
        }
    }

    /// Ends the reports.
    pub(super) fn close(&self) {
        self.reports().take();
    }

    fn reports(&self) -> MutexGuard<'_, Option<Sender<CallEvent>>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressSink for Outbox {
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress) {
        if let Some(further) = &self.further {
            further.progress(call_id, tool_name, progress);
        }
        self.send(CallEvent::Progress(progress.clone()));
    }

    fn partial(&self, call_id: &str, tool_name: &str, block: &ContentBlock) {
        if let Some(further) = &self.further {
            further.partial(call_id, tool_name, block);
        }
        self.send(CallEvent::Partial(block.clone()));
    }
}

#[cfg(test)]
mod tests;
