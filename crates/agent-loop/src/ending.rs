//! End of a run: its states, and the answer of a reply without calls.

use provider_adapters::{Finish, Message, ToolChoice};
use serde_json::Value;
use tool_core::trim::TrimmedJson;

use crate::open_calls::paused_text;
use crate::run::Run;
use crate::{EventKind, LoopError, ModelReply, Status, Suspended, Trimmed, TurnChanges};

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

/// Returns the final answer of a reply without calls.
fn last_words(reply: ModelReply) -> Result<String, End> {
    match reply.finish {
        Finish::Length => Err(End::Unusable(reply.text, LoopError::ReplyTruncated)),
        Finish::Filtered => Err(End::Unusable(reply.text, LoopError::ReplyFiltered)),
        Finish::Error => Err(End::Unusable(reply.text, LoopError::NoReply)),
        _ => Ok(reply.text),
    }
}

/// Request for the last answer.
const SUM_UP: &str = "The budget of this run is used up. Do not call tools. \
    Answer now with the results so far, and state the steps that are not done.";

impl Run<'_> {
    /// Returns the end of the run, or `None` if the model must continue.
    pub(crate) async fn conclude(&mut self, reply: ModelReply) -> Result<Option<End>, End> {
        // Anthropic's `pause_turn`: the next request sends the reply back, and the model continues it.
        if reply.finish == Finish::Paused {
            return Ok(None);
        }
        let mut answer = last_words(reply)?;
        let paused = paused_text(&self.conversation.transcript);
        if paused.is_empty() && answer.trim().is_empty() {
            // An empty reply isn't in the transcript, so the next turn repeats the same request. Once is enough.
            if std::mem::replace(&mut self.model_turns.was_empty, true) {
                return Err(End::Failed(LoopError::EmptyAnswer));
            }
            return Ok(None);
        }
        self.model_turns.was_empty = false;
        if self.push_added().await? {
            return Ok(None);
        }
        answer.insert_str(0, &paused);
        self.completed(answer).await
    }

    /// Returns the end of the run, or `None` if the model must correct its answer.
    pub(crate) async fn completed(&mut self, text: String) -> Result<Option<End>, End> {
        let Some(requirements) = &self.agent.json_reply else {
            return Ok(Some(End::Completed(Box::new(Some(text).into()))));
        };
        let reason = match requirements.find(&text) {
            Ok(found) => return Ok(Some(End::Completed(Box::new(found.into())))),
            Err(reason) => reason,
        };
        if !requirements.may_correct(self.model_turns.corrected) {
            return Err(End::Unusable(text, LoopError::ReplyNotJson { reason }));
        }
        self.model_turns.corrected += 1;
        self.emit(EventKind::ReplyRejected { reason: &reason });
        self.push(Message::user(reason)).await?;
        Ok(None)
    }

    /// Requests a last answer without calls, if the loop is configured to.
    pub(crate) async fn sum_up(&mut self) -> Result<End, End> {
        if !self.agent.last_reply {
            return Ok(End::BudgetExceeded(None));
        }
        self.push(Message::user(SUM_UP)).await?;
        let tools = self.tools();
        // The tools stay in the request: providers reject calls in the conversation without them, and the cached prefix stays the same.
        let changes = TurnChanges::default().tool_choice(ToolChoice::None);
        let reply = self.ask(&tools, &changes).await?;
        let answer = Some(reply.text).filter(|text| !text.trim().is_empty());
        // A model may call tools nevertheless. The calls don't run, but each one needs a result.
        self.execute_calls(reply.calls, &tools).await?;
        Ok(End::BudgetExceeded(answer))
    }
}
