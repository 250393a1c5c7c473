//! Ends of a run, and the answer that it ends with.

use serde_json::Value;
use tool_core::trim::TrimmedJson;

use crate::{LoopError, Status, Suspended, Trimmed};

#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) text: Option<String>,
    pub(crate) json: Option<Value>,
    pub(crate) trimmed: Option<Trimmed>,
}

impl From<Option<String>> for Answer {
    fn from(text: Option<String>) -> Self {
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
            text: Some(found.text().to_owned()),
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
    Unusable(String, LoopError),
}

impl End {
    /// Returns the status of the run, its answer, its error, and the suspended run.
    pub(crate) fn into_parts(self) -> (Status, Answer, Option<LoopError>, Option<Box<Suspended>>) {
        let none = Answer::default();
        let (status, answer, error) = match self {
            Self::AwaitingApproval(run) => {
                return (Status::AwaitingApproval, none, None, Some(run));
            }
            Self::Completed(answer) => (Status::Completed, *answer, None),
            Self::BudgetExceeded(text) => (Status::BudgetExceeded, text.into(), None),
            Self::Stopped(text) => (Status::Stopped, text.into(), None),
            Self::Cancelled => (Status::Cancelled, none, None),
            Self::Failed(error) => (Status::Failed, none, Some(error)),
            Self::Unusable(text, error) => (Status::Failed, Some(text).into(), Some(error)),
        };
        (status, answer, error, None)
    }
}
