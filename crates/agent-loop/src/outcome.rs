//! How a run ended.

use std::fmt;

use provider_adapters::{Transcript, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ModelError, Trimmed};

/// How a run ended, in one word.
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
    /// The model gave its final answer.
    Completed,
    /// The turns or the tokens were used up first.
    BudgetExceeded,
    /// Somebody stopped the run.
    Cancelled,
    /// The model could not go on.
    Failed,
}

impl Status {
    /// The stable text of this status.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::BudgetExceeded => "budget_exceeded",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a run used.
///
/// # Examples
/// ```
/// use agent_loop::TotalUsage;
///
/// let mut usage = TotalUsage::default();
/// usage.input_tokens = 120;
/// usage.output_tokens = 30;
/// assert_eq!(usage.total_tokens(), 150);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TotalUsage {
    /// Replies of the model.
    pub turns: u32,
    /// Calls that were given to the registry.
    pub calls: u64,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Those of the tokens read that came from a cache, where the model tells them.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Those of the tokens written that are reasoning, where the model tells them.
    #[serde(default)]
    pub reasoning_tokens: u64,
    /// Whether the tokens of a turn were estimated, because the model did not tell them.
    pub estimated: bool,
}

impl TotalUsage {
    /// Tokens read and written.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    pub(crate) fn add(&mut self, usage: Usage) {
        self.input_tokens = self.input_tokens.saturating_add(usage.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(usage.output_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(usage.cached_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(usage.reasoning_tokens);
    }
}

/// Why a run failed.
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
    /// The model gave no reply.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The final answer was cut off by a limit on tokens.
    #[error("the model's answer was cut off by a limit on tokens; allow it longer answers")]
    AnswerCut,
    /// A filter of the provider, or a refusal of the model, stopped the answer.
    #[error("the provider's filter stopped the answer; ask for something else")]
    AnswerFiltered,
    /// The provider reported an error in the middle of the answer, or ended without one.
    #[error("the model stopped without an answer; try again")]
    NoAnswer,
    /// The final answer is not the JSON that was asked for.
    #[error("the final answer cannot be used: {reason}")]
    AnswerNotJson {
        /// What the model was, or would have been, told about it.
        reason: String,
    },
    /// The transcript holds nothing that the model could answer.
    #[error("the transcript holds no message of the user; add one")]
    NothingToAnswer,
}

/// How a run ended, what it said and what it used.
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
/// assert_eq!(outcome.answer.as_deref(), Some("Hello."));
/// assert_eq!(outcome.usage.turns, 1);
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// How the run ended.
    pub status: Status,
    /// The final answer; of a run that failed, what there is of it. Where JSON was asked for, that alone, as it was written.
    pub answer: Option<String>,
    /// The value of the final answer, where JSON was asked for.
    pub json: Option<Value>,
    /// What stood around that JSON and was cut off; the transcript still holds it.
    pub trimmed: Option<Trimmed>,
    /// The conversation. Every call in it has its answer, so that it can be stored, resumed and sent anywhere.
    pub transcript: Transcript,
    /// What the run used; what was used before a resume is not in it.
    pub usage: TotalUsage,
    /// Why the run failed.
    pub error: Option<LoopError>,
}
