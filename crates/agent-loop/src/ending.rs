//! End states of a run.

use provider_adapters::Finish;
use serde_json::Value;
use tool_core::trim::TrimmedJson;

use crate::{LoopError, ModelReply, Status, Suspended, Trimmed};

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

pub(crate) enum End {
    Completed(Box<Answer>),
    BudgetExceeded(Option<String>),
    Stopped(Option<String>),
    AwaitingApproval(Box<Suspended>),
    Cancelled,
    Failed(LoopError),
    /// The final text exists, but is incomplete or invalid.
    Spoilt(String, LoopError),
}

pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) answer: Option<Answer>,
    pub(crate) error: Option<LoopError>,
    pub(crate) suspended: Option<Box<Suspended>>,
}

impl From<End> for Ended {
    fn from(end: End) -> Self {
        let mut suspended = None;
        let (status, answer, error) = match end {
            End::AwaitingApproval(run) => {
                suspended = Some(run);
                (Status::AwaitingApproval, None, None)
            }
            End::Completed(answer) => (Status::Completed, Some(*answer), None),
            End::BudgetExceeded(text) => (Status::BudgetExceeded, text.map(Answer::from), None),
            End::Stopped(text) => (Status::Stopped, text.map(Answer::from), None),
            End::Cancelled => (Status::Cancelled, None, None),
            End::Failed(error) => (Status::Failed, None, Some(error)),
            End::Spoilt(text, error) => (Status::Failed, Some(text.into()), Some(error)),
        };
        Self {
            status,
            answer,
            error,
            suspended,
        }
    }
}

/// Returns the final answer of a reply without calls.
pub(crate) fn last_words(reply: ModelReply) -> Result<String, End> {
    match reply.finish {
        Finish::Length => Err(End::Spoilt(reply.text, LoopError::AnswerCut)),
        Finish::Filtered => Err(End::Spoilt(reply.text, LoopError::AnswerFiltered)),
        Finish::Error => Err(End::Spoilt(reply.text, LoopError::NoAnswer)),
        _ => Ok(reply.text),
    }
}
