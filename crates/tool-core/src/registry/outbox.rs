//! What a call says while it runs, kept for whoever holds its handle.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};

use crate::{ContentBlock, Progress, ProgressSink};

/// Reports that wait to be read.
const MOST_REPORTS: usize = 256;
/// Bytes of those reports in all.
const MOST_BYTES: usize = 256 * 1024;

/// What a call says before it ends.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{CallOptions, DynamicTool, Progress, Registry, Report, RiskLevel, ToolCall, ToolDefinition};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let definition = ToolDefinition::new("scan", "Scans.", json!({"type": "object"})).with_risk(RiskLevel::ReadOnly);
/// let scan = DynamicTool::new(definition, |cx, _| async move {
///     cx.progress(&Progress::new("scanning").with_position(1, Some(2)));
///     cx.partial("first hit");
///     Ok("first hit\nsecond hit".into())
/// });
/// let mut call = Registry::of(scan)?.execute_async(ToolCall::new("scan", "{}"), CallOptions::default());
/// while let Some(report) = call.next_report().await {
///     match report {
///         Report::Progress(progress) => assert_eq!(progress.done, 1),
///         Report::Partial(piece) => assert_eq!(piece.as_text(), Some("first hit")),
///         _ => {}
///     }
/// }
/// assert!(call.await.success);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Report {
    /// How far the call has come.
    Progress(Progress),
    /// A piece of its output.
    Partial(ContentBlock),
}

impl Report {
    fn len(&self) -> usize {
        match self {
            Self::Progress(progress) => progress.message.len(),
            Self::Partial(piece) => piece.len(),
        }
    }
}

/// Keeps the reports of one call until they are read, and hands them on. When there are too many, the oldest go.
pub(super) struct Outbox {
    state: Mutex<State>,
    further: Option<Arc<dyn ProgressSink>>,
}

#[derive(Default)]
struct State {
    reports: VecDeque<Report>,
    bytes: usize,
    dropped: u64,
    closed: bool,
    reader: Option<Waker>,
}

impl Outbox {
    /// Reports go to `further` too, at once and all of them.
    pub(super) fn new(further: Option<Arc<dyn ProgressSink>>) -> Self {
        Self {
            state: Mutex::default(),
            further,
        }
    }

    /// The next report; `None` when the call has ended and all are read.
    pub(super) fn poll_next(&self, task: &mut Context<'_>) -> Poll<Option<Report>> {
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

    /// Reports that went unread, because there were too many.
    pub(super) fn dropped(&self) -> u64 {
        self.state().dropped
    }

    fn push(&self, report: Report) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        state.push(report);
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }

    fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, report: Report) {
        self.bytes += report.len();
        self.reports.push_back(report);
        // One that alone is too large stays until the next one comes.
        while self.reports.len() > MOST_REPORTS
            || (self.bytes > MOST_BYTES && self.reports.len() > 1)
        {
            let oldest = self.reports.pop_front();
            self.bytes -= oldest.as_ref().map_or(0, Report::len);
            self.dropped += 1;
        }
    }
}

impl ProgressSink for Outbox {
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress) {
        if let Some(further) = &self.further {
            further.progress(call_id, tool_name, progress);
        }
        self.push(Report::Progress(progress.clone()));
    }

    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        if let Some(further) = &self.further {
            further.partial(call_id, tool_name, piece);
        }
        self.push(Report::Partial(piece.clone()));
    }
}

/// Closes the outbox when the call ends, however it ends.
pub(super) struct ClosedAtEnd(pub(super) Arc<Outbox>);

impl Drop for ClosedAtEnd {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(outbox: &Outbox) -> Poll<Option<Report>> {
        outbox.poll_next(&mut Context::from_waker(Waker::noop()))
    }

    fn piece(text: &str) -> Report {
        Report::Partial(text.into())
    }

    #[test]
    fn reports_come_in_order_and_end_with_the_call() {
        let outbox = Outbox::new(None);
        assert_eq!(read(&outbox), Poll::Pending);

        outbox.partial("1", "f", &"a".into());
        outbox.progress("1", "f", &Progress::new("b"));
        outbox.close();
        outbox.partial("1", "f", &"too late".into());

        assert_eq!(read(&outbox), Poll::Ready(Some(piece("a"))));
        let progress = Report::Progress(Progress::new("b"));
        assert_eq!(read(&outbox), Poll::Ready(Some(progress)));
        assert_eq!(read(&outbox), Poll::Ready(None));
    }

    #[test]
    fn the_oldest_go_when_nobody_reads() {
        let outbox = Outbox::new(None);

        for number in 0..MOST_REPORTS + 10 {
            outbox.partial("1", "f", &number.to_string().into());
        }

        assert_eq!(outbox.dropped(), 10);
        assert_eq!(read(&outbox), Poll::Ready(Some(piece("10"))));
    }

    #[test]
    fn large_pieces_do_not_pile_up() {
        let outbox = Outbox::new(None);
        let large = "x".repeat(MOST_BYTES);

        outbox.partial("1", "f", &"first".into());
        outbox.partial("1", "f", &large.as_str().into());
        outbox.partial("1", "f", &"last".into());

        assert_eq!(outbox.dropped(), 2);
        assert_eq!(read(&outbox), Poll::Ready(Some(piece("last"))));
        assert_eq!(outbox.state().bytes, 0);
    }
}
