//! Turns of one run.

mod conversation;
mod state;

use std::collections::BTreeMap;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;

use provider_adapters::{Finish, Message, ToolChoice, ToolMessage};
use tool_core::{Registry, ToolCall};
use tracing::Instrument;

use state::{Calls, Conversation, Scope, Spent};
pub(crate) use state::{ModelTurns, Run};

use crate::budget::SharedBudget;
use crate::ending::End;
use crate::locked::locked;
use crate::open_calls::{Standing, is_paused, paused_text, resumed, standing};
use crate::run_builder::random_id;
use crate::run_file::{Entry, Journal};
use crate::{
    ApprovalWait, EventKind, LoopError, ModelCall, ModelReply, RunBuilder, RunOutcome, Status,
    TotalUsage, Turn, TurnChanges, spans,
};

impl<'a> IntoFuture for RunBuilder<'a> {
    type Output = RunOutcome;
    type IntoFuture = Pin<Box<dyn Future<Output = RunOutcome> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(Run::new(self).until_end())
    }
}

/// Request for the last answer.
const SUM_UP: &str = "The budget of this run is used up. Do not call tools. \
    Answer now with the results so far, and state the steps that are not done.";

impl<'a> Run<'a> {
    fn new(builder: RunBuilder<'a>) -> Self {
        let agent = builder.agent;
        let redactor = agent.registry.redactor();
        // After the results of open calls: providers reject a message between calls and results.
        for message in builder.later {
            builder.handle.say(message);
        }
        // A replay is compared with a record and must not become one.
        let recorder = agent.recorder.clone().filter(|_| builder.replay.is_none());
        Self {
            agent,
            scope: Scope {
                run: builder.id.map_or_else(random_id, Into::into),
                parent_call: builder.parent_call,
                listener: agent.listener.clone(),
                journal: Journal::new(recorder, builder.replay, redactor),
            },
            cancellation: builder.cancellation,
            handle: builder.handle,
            conversation: Conversation {
                transcript: builder.transcript,
                recorded: builder.recorded,
                started: builder.started,
                call_ids: None,
            },
            spent: Spent {
                usage: TotalUsage::default(),
                budget: Arc::new(SharedBudget::new(
                    agent.budget,
                    agent.prices.clone(),
                    builder.parent_budget,
                )),
            },
            calls: Calls {
                extensions: builder.extensions.map(Arc::new),
                approver: builder.approver,
                suspends: builder.parent_suspends || agent.approval_wait == ApprovalWait::Suspend,
                agents: Arc::default(),
                waiting: BTreeMap::new(),
            },
            model_turns: ModelTurns::default(),
            suspended: builder.suspended,
        }
    }

    async fn until_end(self) -> RunOutcome {
        let span = spans::of_run(self.agent.name.as_deref(), &self.scope.run);
        let outcome = self.outcome().instrument(span.clone()).await;
        spans::end_run(&span, &outcome);
        outcome
    }

    async fn outcome(mut self) -> RunOutcome {
        let end = match self.turns().await {
            Ok(end) | Err(end) => end,
        };
        let (status, answer, error, suspended) = end.into_parts();
        if let Some(suspended) = &suspended {
            // Only for the outcome, in which every call needs a result. The suspended run keeps its own transcript.
            let results = suspended.results.iter().map(ToolMessage::from);
            self.conversation.transcript.push(Message::tool(results));
        }
        self.close_calls();
        tracing::debug!(%status, turns = self.spent.usage.turns, calls = self.spent.usage.calls, "run finished");
        self.emit(EventKind::Finished {
            status,
            usage: &self.spent.usage,
            error: error.as_ref(),
        });
        let journal = self.scope.journal.as_ref();
        let recording_error = journal.and_then(|journal| journal.error());
        RunOutcome {
            run: self.scope.run.as_ref().to_owned(),
            status,
            reply: answer.text,
            json: answer.json,
            trimmed: answer.trimmed,
            transcript: self.conversation.transcript,
            usage: self.spent.usage,
            error,
            suspended,
            recording_error,
        }
    }

    pub(crate) fn emit(&self, kind: EventKind<'_>) {
        self.scope.emit(self.spent.usage.turns, kind);
    }

    async fn turns(&mut self) -> Result<End, End> {
        self.scope.note(
            0,
            &Entry::RunStarted {
                transcript: &self.conversation.transcript,
                started: self.conversation.started.as_ref(),
                has_decisions: self.suspended.is_some(),
            },
        );
        if let Some(end) = self.begin().await? {
            return Ok(end);
        }
        loop {
            if self.cancellation.is_cancelled() || self.ended_as(Status::Cancelled) {
                return Err(End::Cancelled);
            }
            if !self.has_budget() || self.ended_as(Status::BudgetExceeded) {
                return self.sum_up().await;
            }
            // A paused reply must be followed by its continuation.
            if !self
                .conversation
                .transcript
                .messages()
                .last()
                .is_some_and(is_paused)
            {
                self.push_added().await?;
            }
            // After the messages of the host, which may have made the conversation too long.
            self.compact_if_long().await?;
            let changes = self.changes();
            // One snapshot per turn: the calls of a reply go to the tools that the request has shown.
            let tools = changes.tools.clone().unwrap_or_else(|| self.tools());
            let tools = self.revealed(tools);
            let reply = self.ask(&tools, &changes).await?;
            if !reply.calls.is_empty() {
                self.model_turns.was_empty = false;
                self.execute_calls(reply.calls, &tools).await?;
                if self.must_stop() {
                    return Ok(End::Stopped(self.turn().text()));
                }
            } else if let Some(end) = self.conclude(reply).await? {
                return Ok(end);
            }
        }
    }

    /// Completes a conversation with an answer, or executes its open calls.
    async fn begin(&mut self) -> Result<Option<End>, End> {
        if let Some((suspended, decisions)) = self.suspended.take() {
            self.restore(suspended, &decisions).await?;
            return Ok(None);
        }
        self.record().await?;
        match standing(&self.conversation.transcript) {
            Standing::Answered(answer) => {
                let paused = paused_text(&self.conversation.transcript);
                self.completed(paused + &answer).await
            }
            Standing::Silent => Err(End::Failed(LoopError::NothingToReplyTo)),
            Standing::Open(calls) => {
                let tools = self.tools();
                let started = self.conversation.started.take();
                let recorded = self.recorded_calls(&calls, &tools).await;
                let resumed = |call: ToolCall| {
                    if recorded.contains(&call.id) {
                        call.into()
                    } else {
                        resumed(call, started.as_ref(), &tools)
                    }
                };
                let calls: Vec<ModelCall> = calls.into_iter().map(resumed).collect();
                self.execute_calls(calls, &tools).await.map(|()| None)
            }
        }
    }

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

    /// Returns whether the budgets of the run and of its parents allow another turn.
    pub(crate) fn has_budget(&self) -> bool {
        self.agent.budget.allows_a_turn(&self.spent.usage) && self.spent.budget.parents_allow()
    }

    fn turn(&self) -> Turn<'_> {
        Turn {
            number: self.spent.usage.turns.saturating_add(1),
            transcript: &self.conversation.transcript,
            usage: &self.spent.usage,
        }
    }

    fn changes(&self) -> TurnChanges {
        match &self.agent.on_turn {
            Some(hook) => locked(hook)(&self.turn()),
            None => TurnChanges::default(),
        }
    }

    /// Returns whether a stop condition is met, or the host stopped the run.
    fn must_stop(&self) -> bool {
        let turn = self.turn();
        self.handle.stops()
            || self.ended_as(Status::Stopped)
            || self.agent.stop_when.iter().any(|stops| stops(&turn))
    }

    /// Returns whether this is a replay of a run that ended here with `status`.
    pub(crate) fn ended_as(&self, status: Status) -> bool {
        let replay = self.scope.replay();
        replay.is_some_and(|replay| replay.end() == Some(status))
    }

    /// Returns the tools of a turn.
    pub(crate) fn tools(&self) -> Registry {
        self.agent.registry.snapshot()
    }
}

/// Returns the final answer of a reply without calls.
fn last_words(reply: ModelReply) -> Result<String, End> {
    match reply.finish {
        Finish::Length => Err(End::Unusable(reply.text, LoopError::ReplyTruncated)),
        Finish::Filtered => Err(End::Unusable(reply.text, LoopError::ReplyFiltered)),
        Finish::Error => Err(End::Unusable(reply.text, LoopError::NoReply)),
        // The reason is unknown, or it announced calls that are missing, so the text may be half an answer.
        Finish::Other if !reply.text.trim().is_empty() => {
            Err(End::Unusable(reply.text, LoopError::NoReply))
        }
        _ => Ok(reply.text),
    }
}
