//! Events of a run.

use std::sync::Arc;
use std::time::Duration;

use provider_adapters::Usage;
use serde::{Serialize, Serializer};
use tool_core::{ContentBlock, Progress, RiskLevel, ToolCall, ToolResult};

use crate::{LoopError, ModelError, ModelReply, ReplyPiece, Status, TotalUsage};

/// Event of a run, sent in chronological order. The serialized form is one JSON object.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, Event, ModelReply, ScriptedModel};
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
/// let log = |event: &Event<'_>| println!("{}", serde_json::json!(event));
/// AgentLoop::new(Registry::new(), model).on_event(log).run("Greet me.").await;
/// # }
/// ```
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Event<'e> {
    /// ID of the run.
    pub run: &'e str,
    /// ID of the call that started the run, if the run is a tool of another run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<&'e str>,
    /// Number of the turn, counted from 1. 0 before the first turn.
    pub turn: u32,
    /// Kind and content.
    #[serde(flatten)]
    pub kind: EventKind<'e>,
}

/// Kind and content of an [`Event`].
///
/// # Examples
/// ```
/// use agent_loop::{Event, EventKind};
///
/// fn show(event: &Event<'_>) {
///     if let EventKind::CallFinished { result } = event.kind {
///         println!("turn {}: {result}", event.turn);
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind<'e> {
    /// A model request starts.
    TurnStarted,
    /// The model streamed a part of its reply. The final reply takes precedence over its parts.
    ModelPartial {
        /// New part of the reply.
        piece: ReplyPiece<'e>,
    },
    /// The streamed parts of this turn are invalid, because the request failed after it sent them.
    /// Discard them.
    ModelReset,
    /// A model request failed and is retried after a wait.
    ModelRetried {
        /// Number of failed attempts in this turn.
        attempts: u32,
        /// Error of the last attempt.
        #[serde(serialize_with = "as_text")]
        error: &'e ModelError,
        /// Time until the next attempt. Serialized in milliseconds.
        #[serde(rename = "wait_ms", serialize_with = "as_milliseconds")]
        wait: Duration,
    },
    /// The model failed, and the run continues with the next one.
    ModelChanged {
        /// Error of the failed model.
        #[serde(serialize_with = "as_text")]
        error: &'e ModelError,
    },
    /// The transcript was shortened.
    Compacted {
        /// Number of messages before.
        before: usize,
        /// Number of messages after.
        after: usize,
    },
    /// The model replied.
    ModelReplied {
        /// Text and calls of the reply.
        reply: &'e ModelReply,
        /// Tokens of the turn, estimated if the reply reports none.
        usage: Usage,
        /// Cost of the turn; `None` without prices.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        /// Time from the first attempt to the reply. Serialized in milliseconds.
        #[serde(rename = "elapsed_ms", serialize_with = "as_milliseconds")]
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
    ReplyRejected {
        /// Message sent to the model.
        reason: &'e str,
    },
    /// The run finished.
    Finished {
        /// Status of the run.
        status: Status,
        /// Resources used by the run.
        usage: &'e TotalUsage,
        /// Error of a failed run.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'e LoopError>,
    },
}

fn as_text<S: Serializer>(error: &ModelError, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

fn as_milliseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
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

    pub(crate) fn has_listener(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn emit(&self, event: &Event<'_>) {
        if let Some(sink) = &self.0 {
            sink.event(event);
        }
    }
}

tool_core::debug_fields!(Listener, this => is_set: this.0.is_some());
