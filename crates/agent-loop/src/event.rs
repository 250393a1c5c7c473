//! Events of a run.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_core::{ContentBlock, Progress, ProgressSink, RiskLevel, ToolCall, ToolResult};

use crate::{ModelError, ModelReply, ReplyPiece, Status, TotalUsage};

/// Event of a run, sent in chronological order.
///
/// # Examples
/// ```
/// use agent_loop::{Event, Status, TotalUsage};
///
/// let event = Event::Finished { status: Status::Completed, usage: &TotalUsage::default() };
/// assert!(matches!(event, Event::Finished { status: Status::Completed, .. }));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A model request starts.
    TurnStarted {
        /// Number of the turn, counted from 1.
        turn: u32,
    },
    /// The model streamed a part of its reply. The final reply takes precedence over its parts.
    ModelPartial {
        /// Number of the turn, counted from 1.
        turn: u32,
        /// New part of the reply.
        piece: ReplyPiece<'e>,
    },
    /// A model request failed and is retried after a wait.
    ModelRetried {
        /// Number of the turn, counted from 1.
        turn: u32,
        /// Number of failed attempts in this turn.
        attempts: u32,
        /// Error of the last attempt.
        error: &'e ModelError,
        /// Time until the next attempt.
        wait: Duration,
    },
    /// The model replied.
    ModelReplied {
        /// Number of the turn, counted from 1.
        turn: u32,
        /// Text and calls of the reply.
        reply: &'e ModelReply,
        /// Time from the first attempt to the reply.
        elapsed: Duration,
    },
    /// A call starts.
    CallStarted {
        /// Started call.
        call: &'e ToolCall,
        /// Risk level from the tool's definition; `None` if the tool does not exist.
        risk: Option<RiskLevel>,
    },
    /// A call reports progress.
    CallProgress {
        /// ID of the call.
        call_id: &'e str,
        /// Name of the tool.
        tool_name: &'e str,
        /// Reported progress.
        progress: &'e Progress,
    },
    /// A call produced a part of its output. The final result takes precedence over its parts.
    CallPartial {
        /// ID of the call.
        call_id: &'e str,
        /// Name of the tool.
        tool_name: &'e str,
        /// New part of the output.
        piece: &'e ContentBlock,
    },
    /// A call finished or was rejected before it started.
    CallFinished {
        /// Result of the call.
        result: &'e ToolResult,
    },
    /// The final answer does not match the required JSON, and the model receives a correction
    /// request.
    AnswerRefused {
        /// Message sent to the model.
        reason: &'e str,
    },
    /// The run finished.
    Finished {
        /// Status of the run.
        status: Status,
        /// Resources used by the run.
        usage: &'e TotalUsage,
    },
}

/// Receiver for the events of a run.
///
/// Must not block, because it is called inside the run. Implemented for every closure
/// `Fn(&Event<'_>)`.
///
/// # Examples
/// ```
/// use agent_loop::{Event, EventSink};
///
/// struct Quiet;
/// impl EventSink for Quiet {
///     fn event(&self, _event: &Event<'_>) {}
/// }
/// ```
pub trait EventSink: Send + Sync {
    /// Handles one event.
    fn event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> EventSink for F {
    fn event(&self, event: &Event<'_>) {
        self(event);
    }
}

#[derive(Clone, Default)]
pub(crate) struct Listener(Option<Arc<dyn EventSink>>);

impl Listener {
    pub(crate) fn new(sink: impl EventSink + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    pub(crate) fn hears(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn tell(&self, event: &Event<'_>) {
        if let Some(sink) = &self.0 {
            sink.event(event);
        }
    }

    /// Returns a sink for the progress of calls, or `None` to use the sink of the registry.
    pub(crate) fn progress_sink(&self) -> Option<Arc<dyn ProgressSink>> {
        let sink = self.0.clone()?;
        Some(Arc::new(Relay(sink)))
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.0.is_some() {
            "listening"
        } else {
            "none"
        };
        write!(f, "Listener({state})")
    }
}

struct Relay(Arc<dyn EventSink>);

impl ProgressSink for Relay {
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress) {
        self.0.event(&Event::CallProgress {
            call_id,
            tool_name,
            progress,
        });
    }

    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        self.0.event(&Event::CallPartial {
            call_id,
            tool_name,
            piece,
        });
    }
}
