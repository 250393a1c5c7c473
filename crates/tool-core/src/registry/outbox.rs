//! Buffer between a running call and its handle.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};

use crate::{ContentBlock, Progress, ProgressSink};

/// Maximum number of buffered reports.
const MAX_REPORTS: usize = 256;
/// Maximum bytes of buffered reports.
const MAX_BYTES: usize = 256 * 1024;

/// Progress or partial output of a running call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::registry::CallEvent;
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
    dropped: u64,
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

    /// Returns the number of dropped reports.
    pub(super) fn dropped(&self) -> u64 {
        self.state().dropped
    }

    /// Changes the state of an open buffer and wakes the reader.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        change(&mut state);
        let reader = state.reader.take();
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
            self.dropped += 1;
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
mod tests {
    use super::*;

    fn read(outbox: &Outbox) -> Poll<Option<CallEvent>> {
        outbox.poll_next(&mut Context::from_waker(Waker::noop()))
    }

    fn partial(text: &str) -> CallEvent {
        CallEvent::Partial(text.into())
    }

    #[test]
    fn reports_are_ordered_and_end_with_call() {
        let outbox = Outbox::new(None);
        assert_eq!(read(&outbox), Poll::Pending);

        outbox.partial("1", "f", &"a".into());
        outbox.progress("1", "f", &Progress::new("b"));
        outbox.close();
        outbox.partial("1", "f", &"too late".into());

        assert_eq!(read(&outbox), Poll::Ready(Some(partial("a"))));
        let progress = CallEvent::Progress(Progress::new("b"));
        assert_eq!(read(&outbox), Poll::Ready(Some(progress)));
        assert_eq!(read(&outbox), Poll::Ready(None));
    }

    #[test]
    fn unread_reports_are_dropped_oldest_first() {
        let outbox = Outbox::new(None);

        for number in 0..MAX_REPORTS + 10 {
            outbox.partial("1", "f", &number.to_string().into());
        }

        assert_eq!(outbox.dropped(), 10);
        assert_eq!(read(&outbox), Poll::Ready(Some(partial("10"))));
    }

    #[test]
    fn large_reports_are_bounded() {
        let outbox = Outbox::new(None);
        let large = "x".repeat(MAX_BYTES);

        outbox.partial("1", "f", &"first".into());
        outbox.partial("1", "f", &large.as_str().into());
        outbox.partial("1", "f", &"last".into());

        assert_eq!(outbox.dropped(), 2);
        assert_eq!(read(&outbox), Poll::Ready(Some(partial("last"))));
        assert_eq!(outbox.state().bytes, 0);
    }
}
