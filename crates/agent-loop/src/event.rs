//! What a run tells while it goes on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_core::{ContentBlock, Progress, ProgressSink, RiskLevel, ToolCall, ToolResult};

use crate::{ModelError, ModelReply, ReplyPiece, Status, TotalUsage};

/// What happens in a run, in order.
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
    /// The model is asked.
    TurnStarted {
        /// Which turn this is, counting from 1.
        turn: u32,
    },
    /// The model has more of its reply. What holds in the end is the reply, also where it says otherwise.
    ModelPartial {
        /// Which turn this is, counting from 1.
        turn: u32,
        /// What is new.
        piece: ReplyPiece<'e>,
    },
    /// The model gave no reply, and is asked again after a wait.
    ModelRetried {
        /// Which turn this is, counting from 1.
        turn: u32,
        /// How often it was asked in this turn.
        attempts: u32,
        /// Why there was no reply.
        error: &'e ModelError,
        /// How long it is waited before it is asked again.
        wait: Duration,
    },
    /// The model replied.
    ModelReplied {
        /// Which turn this is, counting from 1.
        turn: u32,
        /// What it said and which calls it asks for.
        reply: &'e ModelReply,
        /// How long it took.
        elapsed: Duration,
    },
    /// A call is given to the registry.
    CallStarted {
        /// The call.
        call: &'e ToolCall,
        /// The risk that the tool's definition states; `None` for a tool that does not exist.
        risk: Option<RiskLevel>,
    },
    /// A call says how far it has come.
    CallProgress {
        /// The id of the call.
        call_id: &'e str,
        /// The tool's name.
        tool_name: &'e str,
        /// How far it has come.
        progress: &'e Progress,
    },
    /// A call gives a piece of its output before it ends. What holds in the end is its result, also where it says otherwise.
    CallPartial {
        /// The id of the call.
        call_id: &'e str,
        /// The tool's name.
        tool_name: &'e str,
        /// The piece.
        piece: &'e ContentBlock,
    },
    /// A call has its result. Calls that were refused before they started come here, too.
    CallFinished {
        /// The result.
        result: &'e ToolResult,
    },
    /// The final answer is not the JSON that was asked for, and the model is told to correct it.
    AnswerRefused {
        /// What the model is told.
        reason: &'e str,
    },
    /// The run ended.
    Finished {
        /// How it ended.
        status: Status,
        /// What it used.
        usage: &'e TotalUsage,
    },
}

/// Receives the events of a run. It is called in the middle of the work, so it must not block.
///
/// Every closure `Fn(&Event<'_>)` is one.
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
    /// Takes one event.
    fn event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> EventSink for F {
    fn event(&self, event: &Event<'_>) {
        self(event);
    }
}

/// Who listens to a run; nobody by default.
#[derive(Clone, Default)]
pub(crate) struct Listener(Option<Arc<dyn EventSink>>);

impl Listener {
    pub(crate) fn new(sink: impl EventSink + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    /// Whether anybody listens.
    pub(crate) fn hears(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn tell(&self, event: &Event<'_>) {
        if let Some(sink) = &self.0 {
            sink.event(event);
        }
    }

    /// The listener as the sink of the calls' progress; without one, the registry keeps its own.
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
