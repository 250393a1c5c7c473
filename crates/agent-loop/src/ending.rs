//! How a run comes to its end.

use provider_adapters::Finish;
use serde_json::Value;
use tool_core::answer::TrimmedJson;

use crate::{LoopError, ModelReply, Status, Trimmed};

/// A final answer.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) json: Option<Value>,
    pub(crate) trimmed: Option<Trimmed>,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

impl From<TrimmedJson<'_>> for Answer {
    fn from(found: TrimmedJson<'_>) -> Self {
        Self {
            trimmed: Trimmed::of(&found),
            text: found.text().to_owned(),
            json: Some(found.into_value()),
        }
    }
}

/// Why a run is over.
pub(crate) enum End {
    Completed(Answer),
    BudgetExceeded,
    Cancelled,
    Failed(LoopError),
    /// The model's last words are there, but not as they should be.
    Spoilt(String, LoopError),
}

/// The same in the words of an outcome.
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) answer: Option<Answer>,
    pub(crate) error: Option<LoopError>,
}

impl From<End> for Ended {
    fn from(end: End) -> Self {
        let (status, answer, error) = match end {
            End::Completed(answer) => (Status::Completed, Some(answer), None),
            End::BudgetExceeded => (Status::BudgetExceeded, None, None),
            End::Cancelled => (Status::Cancelled, None, None),
            End::Failed(error) => (Status::Failed, None, Some(error)),
            End::Spoilt(text, error) => (Status::Failed, Some(text.into()), Some(error)),
        };
        Self {
            status,
            answer,
            error,
        }
    }
}

/// The final answer, or why there is none.
pub(crate) fn last_words(reply: ModelReply) -> Result<String, End> {
    match reply.finish {
        Finish::Length => Err(End::Spoilt(reply.text, LoopError::AnswerCut)),
        Finish::Filtered => Err(End::Spoilt(reply.text, LoopError::AnswerFiltered)),
        Finish::Error => Err(End::Spoilt(reply.text, LoopError::NoAnswer)),
        Finish::Stop => Ok(reply.text),
        _ if reply.text.trim().is_empty() => Err(End::Failed(LoopError::NoAnswer)),
        _ => Ok(reply.text),
    }
}
