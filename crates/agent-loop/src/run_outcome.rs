//! Outcome of a run.

use std::fmt;

use provider_adapters::Transcript;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::{CheckpointError, ModelError, RunFileError, Suspended, TotalUsage, Trimmed};

/// Status of a finished run.
///
/// # Examples
/// ```
/// use agent_loop::Status;
///
/// assert_eq!(serde_json::to_string(&Status::BudgetExceeded)?, "\"budget_exceeded\"");
/// assert_eq!(Status::Completed.to_string(), "completed");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// The model returned a final answer.
    Completed,
    /// The limit of turns, tokens or cost was reached first.
    BudgetExceeded,
    /// A stop condition was met, or the host stopped the run after a turn.
    Stopped,
    /// A call waits for approval; see [`RunOutcome::suspended`].
    AwaitingApproval,
    /// The run was cancelled.
    Cancelled,
    /// The model returned an error or an incomplete answer.
    Failed,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Error that failed a run. The serialized form is its message.
///
/// # Examples
/// ```
/// use agent_loop::{LoopError, ModelError};
///
/// let error = LoopError::from(ModelError::Unauthorized);
/// assert!(matches!(error, LoopError::Model(ModelError::Unauthorized)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// The model returned no reply.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The final answer was truncated by a token limit.
    #[error("the final answer was truncated by a token limit; raise the output token limit")]
    ReplyTruncated,
    /// The final answer was blocked by a provider filter, or the model declined.
    #[error("the final answer was blocked or declined; change the task")]
    ReplyFiltered,
    /// The provider reported an error during the answer, or stopped it for an unknown reason.
    #[error("the model stopped without a final answer; try again")]
    NoReply,
    /// Two replies in a row were empty.
    #[error("the model returned an empty answer twice; change the task or the model")]
    EmptyAnswer,
    /// The final answer does not match the [`JsonReply`](crate::JsonReply).
    #[error("invalid final answer: {reason}")]
    ReplyNotJson {
        /// Reason, as sent to the model in a correction request.
        reason: String,
    },
    /// The model repeated a failing call.
    #[error(
        "`{tool}` failed {calls} times in a row with the same arguments; change the task or the tool"
    )]
    Stuck {
        /// Name of the tool.
        tool: String,
        /// Number of identical calls.
        calls: u32,
    },
    /// The model repeated the same calls, and their results were the same.
    #[error(
        "the model repeated the same {turns} turn(s) {times} times with the same results; change the task or the tools"
    )]
    Repeating {
        /// Number of turns that were repeated.
        turns: usize,
        /// Number of times.
        times: u32,
    },
    /// A message or the start of a call was not recorded.
    #[error("{0}; fix the checkpoint sink and resume")]
    Checkpoint(#[from] CheckpointError),
    /// The transcript contains no user message.
    #[error("the transcript contains no user message; add one")]
    NothingToReplyTo,
}

impl LoopError {
    /// Returns the stable name of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::ReplyTruncated => "answer_cut",
            Self::ReplyFiltered => "answer_filtered",
            Self::NoReply => "no_answer",
            Self::EmptyAnswer => "empty_answer",
            Self::ReplyNotJson { .. } => "answer_not_json",
            Self::Stuck { .. } => "stuck",
            Self::Repeating { .. } => "repeating",
            Self::Checkpoint(_) => "checkpoint",
            Self::NothingToReplyTo => "nothing_to_answer",
        }
    }
}

impl Serialize for LoopError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Status, answer and usage of a finished run.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, ScriptedModel, Status};
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
/// let outcome = AgentLoop::new(Registry::new(), model).run("Greet me.").await;
/// assert_eq!(outcome.status, Status::Completed);
/// assert_eq!(outcome.reply.as_deref(), Some("Hello."));
/// assert_eq!(outcome.usage.turns, 1);
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunOutcome {
    /// ID of the run.
    pub run: String,
    /// Status of the run.
    pub status: Status,
    /// Final answer, or the incomplete text of a failed run. If JSON was required, only the JSON,
    /// verbatim.
    pub reply: Option<String>,
    /// Parsed final answer, if JSON was required.
    pub json: Option<Value>,
    /// Text around the JSON that was removed from `answer`. The transcript still contains it.
    pub trimmed: Option<Trimmed>,
    /// Complete conversation, or the shortened one after a compaction. Every call in it has a
    /// result, so it can be stored, resumed and sent to any provider. A truncated or blocked final
    /// reply is not part of it.
    pub transcript: Transcript,
    /// Resources used by this run, without earlier runs of a resumed conversation.
    pub usage: TotalUsage,
    /// Error of a failed run.
    pub error: Option<LoopError>,
    /// Run that waits for approvals, for [`AgentLoop::resume_with`](crate::AgentLoop::resume_with).
    pub suspended: Option<Box<Suspended>>,
    /// Error that ended the recording of [`AgentLoop::record_to`](crate::AgentLoop::record_to).
    pub recording_error: Option<RunFileError>,
}
