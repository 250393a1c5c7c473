//! Turns of one run.

use std::collections::HashSet;
use std::sync::Arc;

use provider_adapters::{Finish, Message, ToolAnswer, ToolChoice, Transcript};
use tool_core::approval::Decision;
use tool_core::{CancellationToken, Extensions, Registry, ToolCall, ToolError, ToolResult};

use crate::budget::estimated_tokens;
use crate::ending::{End, Ended, last_words};
use crate::event::Scope;
use crate::open_calls::{Standing, standing};
use crate::repeated::Repeated;
use crate::resumed::resumed;
use crate::run_builder::random_id;
use crate::{
    AgentLoop, Checkpoint, EventKind, LoopError, ModelCall, ModelReply, RunBuilder, RunHandle,
    RunOutcome, Suspended, TotalUsage, Turn, TurnChanges,
};

/// Request for the last answer.
const SUM_UP: &str = "The budget of this run is used up. Do not call tools. \
    Answer now with the results so far, and state the steps that are not done.";

pub(crate) struct Run<'a> {
    pub(crate) agent: &'a AgentLoop,
    pub(crate) scope: Scope,
    pub(crate) cancellation: CancellationToken,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) transcript: Transcript,
    pub(crate) usage: TotalUsage,
    suspended: Option<(Suspended, Vec<Decision>)>,
    /// IDs of open calls that started; `None` if unknown.
    started: Option<HashSet<String>>,
    /// Number of messages that the checkpoint sink has.
    recorded: usize,
    pub(crate) handle: RunHandle,
    pub(crate) repeated: Repeated,
    /// Number of models that failed.
    pub(crate) failed_models: usize,
    /// Number of correction requests sent to the model.
    corrected: u32,
    /// Whether the last reply was empty.
    was_empty: bool,
    /// Text of the replies that the provider paused.
    paused: String,
}

impl<'a> Run<'a> {
    pub(crate) fn new(builder: RunBuilder<'a>) -> Self {
        let agent = builder.agent;
        Self {
            agent,
            scope: Scope {
                run: builder.id.map_or_else(random_id, Into::into),
                parent_call: builder.parent_call,
                listener: agent.listener.clone(),
            },
            cancellation: builder.cancellation,
            extensions: builder.extensions.map(Arc::new),
            transcript: builder.transcript,
            usage: TotalUsage::default(),
            suspended: builder.suspended,
            started: builder.started,
            recorded: builder.recorded,
            handle: builder.handle,
            repeated: Repeated::default(),
            failed_models: 0,
            corrected: 0,
            was_empty: false,
            paused: String::new(),
        }
    }

    pub(crate) async fn until_end(mut self) -> RunOutcome {
        let end = match self.turns().await {
            Ok(end) | Err(end) => end,
        };
        let Ended {
            status,
            answer,
            error,
            suspended,
        } = end.into();
        if let Some(suspended) = &suspended {
            let results = suspended.results.iter().map(ToolAnswer::from);
            self.transcript.push(Message::tool(results));
        }
        self.close_calls();
        let (answer, json, trimmed) = match answer {
            Some(answer) => (Some(answer.text), answer.json, answer.trimmed),
            None => (None, None, None),
        };
        tracing::debug!(%status, turns = self.usage.turns, calls = self.usage.calls, "run finished");
        self.tell(EventKind::Finished {
            status,
            usage: &self.usage,
        });
        RunOutcome {
            run: self.scope.run.as_ref().to_owned(),
            status,
            answer,
            json,
            trimmed,
            transcript: self.transcript,
            usage: self.usage,
            error,
            suspended,
        }
    }

    pub(crate) fn tell(&self, kind: EventKind<'_>) {
        self.scope.tell(self.usage.turns, kind);
    }

    async fn turns(&mut self) -> Result<End, End> {
        if let Some(end) = self.begin().await? {
            return Ok(end);
        }
        loop {
            if self.cancellation.is_cancelled() {
                return Err(End::Cancelled);
            }
            if !self.agent.budget.allows_a_turn(&self.usage) {
                return self.sum_up().await;
            }
            for message in self.handle.take() {
                self.push(message).await?;
            }
            self.compact_if_long().await?;
            let changes = self.changes();
            let tools = changes.tools.clone().unwrap_or_else(|| self.tools());
            let reply = self.ask(&tools, &changes).await?;
            if !reply.calls.is_empty() {
                self.was_empty = false;
                self.answer(reply.calls, &tools).await?;
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
        match standing(&self.transcript) {
            Standing::Answered(answer) => self.completed(answer).await,
            Standing::Silent => Err(End::Failed(LoopError::NothingToAnswer)),
            Standing::Open(calls) => {
                let tools = self.tools();
                let started = self.started.take();
                let resumed = |call| resumed(call, started.as_ref(), &tools);
                let calls: Vec<ModelCall> = calls.into_iter().map(resumed).collect();
                self.answer(calls, &tools).await.map(|()| None)
            }
        }
    }

    fn turn(&self) -> Turn<'_> {
        Turn {
            number: self.usage.turns.saturating_add(1),
            transcript: &self.transcript,
            usage: &self.usage,
        }
    }

    fn changes(&self) -> TurnChanges {
        match &self.agent.on_turn {
            Some(hook) => hook.changes(&self.turn()),
            None => TurnChanges::default(),
        }
    }

    /// Returns whether a stop condition is met, or the host stopped the run.
    fn must_stop(&self) -> bool {
        let turn = self.turn();
        self.handle.stops() || self.agent.stop_when.iter().any(|stop| stop.is_met(&turn))
    }

    /// Shortens the transcript if it is near the limit.
    async fn compact_if_long(&mut self) -> Result<(), End> {
        if let Some((most, _)) = &self.agent.compaction
            && estimated_tokens(&self.transcript) > *most
        {
            self.compact().await?;
        }
        Ok(())
    }

    /// Shortens the transcript. Returns whether it changed.
    pub(crate) async fn compact(&mut self) -> Result<bool, End> {
        let Some((most, strategy)) = &self.agent.compaction else {
            return Ok(false);
        };
        let Some(short) = strategy.compact(&self.transcript, *most).await else {
            return Ok(false);
        };
        let before = self.transcript.messages().len();
        let after = short.messages().len();
        self.transcript = short;
        self.recorded = after;
        self.tell(EventKind::Compacted { before, after });
        self.save(Checkpoint::Transcript(&self.transcript)).await?;
        Ok(true)
    }

    /// Returns the tools of a turn.
    pub(crate) fn tools(&self) -> Registry {
        match &self.extensions {
            Some(extensions) => self.agent.registry.snapshot_for(extensions),
            None => self.agent.registry.snapshot(),
        }
    }

    /// Returns the end of the run, or `None` if the model must continue.
    async fn conclude(&mut self, reply: ModelReply) -> Result<Option<End>, End> {
        if reply.finish == Finish::Paused {
            self.paused.push_str(&reply.text);
            return Ok(None);
        }
        let mut answer = last_words(reply)?;
        if self.paused.is_empty() && answer.trim().is_empty() {
            if std::mem::replace(&mut self.was_empty, true) {
                return Err(End::Failed(LoopError::EmptyAnswer));
            }
            return Ok(None);
        }
        self.was_empty = false;
        let said = self.handle.take();
        if !said.is_empty() {
            for message in said {
                self.push(message).await?;
            }
            return Ok(None);
        }
        answer.insert_str(0, &std::mem::take(&mut self.paused));
        self.completed(answer).await
    }

    /// Returns the end of the run, or `None` if the model must correct its answer.
    async fn completed(&mut self, text: String) -> Result<Option<End>, End> {
        let Some(requirements) = &self.agent.json_answer else {
            return Ok(Some(End::Completed(Box::new(text.into()))));
        };
        let reason = match requirements.find(&text) {
            Ok(found) => return Ok(Some(End::Completed(Box::new(found.into())))),
            Err(reason) => reason,
        };
        if !requirements.may_correct(self.corrected) {
            return Err(End::Spoilt(text, LoopError::AnswerNotJson { reason }));
        }
        self.corrected += 1;
        self.tell(EventKind::AnswerRefused { reason: &reason });
        self.push(Message::user(reason)).await?;
        Ok(None)
    }

    /// Requests a last answer without calls, if the loop is configured to.
    async fn sum_up(&mut self) -> Result<End, End> {
        if !self.agent.last_answer {
            return Ok(End::BudgetExceeded(None));
        }
        self.push(Message::user(SUM_UP)).await?;
        let tools = self.tools();
        let changes = TurnChanges::new().tool_choice(ToolChoice::None);
        let reply = self.ask(&tools, &changes).await?;
        let answer = Some(reply.text).filter(|text| !text.trim().is_empty());
        self.answer(reply.calls, &tools).await?;
        Ok(End::BudgetExceeded(answer))
    }

    /// Appends a message to the transcript and records it.
    pub(crate) async fn push(&mut self, message: Message) -> Result<(), End> {
        self.transcript.push(message);
        self.record().await
    }

    /// Records the new messages.
    async fn record(&mut self) -> Result<(), End> {
        let messages = self.transcript.messages();
        let new = messages.get(self.recorded..).unwrap_or_default();
        for message in new {
            self.save(Checkpoint::Message(message)).await?;
        }
        self.recorded = messages.len();
        Ok(())
    }

    pub(crate) async fn save(&self, entry: Checkpoint<'_>) -> Result<(), End> {
        let Some(sink) = &self.agent.checkpoint else {
            return Ok(());
        };
        let saved = sink.record(&self.scope.run, &entry).await;
        saved.map_err(|error| End::Failed(error.into()))
    }

    /// Adds an error result for each open call of a run that failed.
    fn close_calls(&mut self) {
        let Standing::Open(calls) = standing(&self.transcript) else {
            return;
        };
        let refused = |call: &ToolCall| {
            let error = ToolError::cancelled();
            ToolAnswer::from(ToolResult::refused(&call.id, &call.name, error))
        };
        if !calls.is_empty() {
            self.transcript
                .push(Message::tool(calls.iter().map(refused)));
        }
    }
}
