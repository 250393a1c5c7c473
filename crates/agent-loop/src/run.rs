//! Turns of one run.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use provider_adapters::{Message, ToolMessage, Transcript};
use tool_core::approval::{Approver, Decision};
use tool_core::{CancellationToken, Extensions, Registry, ToolCall};
use tracing::Instrument;

use crate::approvals::AgentCalls;
use crate::budget::{SharedBudget, TranscriptSize};
use crate::calls::Repeated;
use crate::ending::End;
use crate::event::Scope;
use crate::locked::locked;
use crate::open_calls::{Standing, is_paused, paused_text, resumed, standing};
use crate::run_builder::random_id;
use crate::run_file::{Entry, Journal};
use crate::spans;
use crate::suspended::SuspendedAgent;
use crate::{
    AgentLoop, ApprovalWait, EventKind, LoopError, ModelCall, RunBuilder, RunHandle, RunOutcome,
    Status, Suspended, TotalUsage, Turn, TurnChanges,
};

/// A run, from its first request to its end.
pub(crate) struct Run<'a> {
    pub(crate) agent: &'a AgentLoop,
    pub(crate) scope: Scope,
    pub(crate) cancellation: CancellationToken,
    pub(crate) handle: RunHandle,
    pub(crate) conversation: Conversation,
    pub(crate) spent: Spent,
    pub(crate) calls: Calls,
    pub(crate) model_turns: ModelTurns,
    /// What the run was suspended with, until it is restored.
    suspended: Option<(Suspended, Vec<Decision>)>,
}

/// What was said, and how much of it is recorded.
pub(crate) struct Conversation {
    pub(crate) transcript: Transcript,
    pub(crate) size: TranscriptSize,
    /// Number of messages that the checkpoint sink has.
    pub(crate) recorded: usize,
    /// IDs of open calls that started; `None` if unknown.
    started: Option<HashSet<String>>,
    /// IDs of the calls of the run, once they are needed.
    pub(crate) call_ids: Option<HashSet<String>>,
}

/// What the run has used of its limits.
pub(crate) struct Spent {
    pub(crate) usage: TotalUsage,
    /// Shared with the runs that are tools of this one.
    pub(crate) budget: Arc<SharedBudget>,
}

/// What the calls of the run receive, and the agents among them.
pub(crate) struct Calls {
    pub(crate) extensions: Option<Arc<Extensions>>,
    /// Approver of the run that started this one.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Whether the run suspends if a call waits for approval.
    pub(crate) suspends: bool,
    pub(crate) agents: Arc<AgentCalls>,
    /// Suspended runs of calls, by the ID of the run.
    pub(crate) waiting: BTreeMap<String, SuspendedAgent>,
}

/// What the models have done so far that decides about the next turn.
#[derive(Default)]
pub(crate) struct ModelTurns {
    pub(crate) repeated: Repeated,
    /// Number of models that failed.
    pub(crate) failed_models: usize,
    /// Number of correction requests sent to the model.
    pub(crate) corrected: u32,
    /// Whether the last reply was empty.
    pub(crate) was_empty: bool,
}

impl<'a> Run<'a> {
    pub(crate) fn new(builder: RunBuilder<'a>) -> Self {
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
                size: TranscriptSize::default(),
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

    pub(crate) async fn until_end(self) -> RunOutcome {
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
        let recording_error = match &self.scope.journal {
            Some(journal) => journal.flush().await,
            None => None,
        };
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

    /// Appends the messages that the host sent since the last turn. Returns whether there are any.
    pub(crate) async fn push_added(&mut self) -> Result<bool, End> {
        let messages = match self.scope.replay() {
            Some(replay) => replay.added_messages(),
            None => self.handle.take(),
        };
        for message in &messages {
            let added = Entry::MessageAdded { message };
            self.scope.note(self.spent.usage.turns, &added);
        }
        let has_new = !messages.is_empty();
        for message in messages {
            self.push(message).await?;
        }
        Ok(has_new)
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
