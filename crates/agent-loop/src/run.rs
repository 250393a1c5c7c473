//! One run, turn by turn.

use std::sync::atomic::{AtomicBool, Ordering};

use provider_adapters::{Message, ToolAnswer, Transcript, Usage};
use tokio::time::Instant;
use tool_core::{CallOptions, ErrorCode, Snapshot, ToolCall, ToolError, ToolResult};

use crate::budget::estimate;
use crate::ending::{End, Ended, last_words};
use crate::open_calls::{Standing, standing};
use crate::{
    AgentLoop, Event, LoopError, ModelCall, ModelError, ModelReply, ModelRequest, Outcome,
    ReplyPiece, TotalUsage,
};

/// One run of a loop.
pub(crate) struct Run<'a> {
    agent: &'a AgentLoop,
    transcript: Transcript,
    usage: TotalUsage,
    /// How often the model was told to correct its answer.
    corrected: u32,
}

impl<'a> Run<'a> {
    pub(crate) fn new(agent: &'a AgentLoop, transcript: Transcript) -> Self {
        Self {
            agent,
            transcript,
            usage: TotalUsage::default(),
            corrected: 0,
        }
    }

    pub(crate) async fn until_end(mut self) -> Outcome {
        let Ended {
            status,
            answer,
            error,
        } = self.turns().await.into();
        let (answer, json, trimmed) = match answer {
            Some(answer) => (Some(answer.text), answer.json, answer.trimmed),
            None => (None, None, None),
        };
        tracing::debug!(%status, turns = self.usage.turns, calls = self.usage.calls, "the run ended");
        self.agent.listener.tell(&Event::Finished {
            status,
            usage: &self.usage,
        });
        Outcome {
            status,
            answer,
            json,
            trimmed,
            transcript: self.transcript,
            usage: self.usage,
            error,
        }
    }

    async fn turns(&mut self) -> End {
        match standing(&self.transcript) {
            Standing::Answered(answer) => {
                if let Some(end) = self.completed(answer) {
                    return end;
                }
            }
            Standing::Silent => return End::Failed(LoopError::NothingToAnswer),
            Standing::Open(calls) => {
                let asked = calls.into_iter().map(ModelCall::from).collect();
                self.answer(asked, &self.agent.registry.snapshot()).await;
            }
        }
        loop {
            if self.agent.cancellation.is_cancelled() {
                return End::Cancelled;
            }
            if !self.agent.budget.allows_a_turn(&self.usage) {
                return End::BudgetExceeded;
            }
            let tools = self.agent.registry.snapshot();
            let reply = match self.ask(&tools).await {
                Ok(reply) => reply,
                Err(end) => return end,
            };
            if !reply.calls.is_empty() {
                self.answer(reply.calls, &tools).await;
                continue;
            }
            let end = match last_words(reply) {
                Ok(answer) => self.completed(answer),
                Err(end) => Some(end),
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    /// The end of a run that has its final answer; `None` where the model is to correct it.
    fn completed(&mut self, text: String) -> Option<End> {
        let Some(wanted) = &self.agent.json_answer else {
            return Some(End::Completed(text.into()));
        };
        let reason = match wanted.find(&text) {
            Ok(found) => return Some(End::Completed(found.into())),
            Err(reason) => reason,
        };
        if !wanted.may_correct(self.corrected) {
            return Some(End::Spoilt(text, LoopError::AnswerNotJson { reason }));
        }
        self.corrected += 1;
        self.agent
            .listener
            .tell(&Event::AnswerRefused { reason: &reason });
        self.transcript.push(Message::user(reason));
        None
    }

    /// Asks the model once and keeps what it says.
    async fn ask(&mut self, tools: &Snapshot) -> Result<ModelReply, End> {
        let agent = self.agent;
        let turn = self.usage.turns.saturating_add(1);
        agent.listener.tell(&Event::TurnStarted { turn });
        let since = Instant::now();
        let reply = agent
            .cancellation
            .run_until_cancelled(self.respond(turn, tools))
            .await
            .ok_or(End::Cancelled)?
            .map_err(|error| match error {
                ModelError::Cancelled => End::Cancelled,
                other => End::Failed(other.into()),
            })?;
        self.usage.turns = turn;
        // A model that says it took nothing does not count.
        let told = reply.usage.filter(|told| *told != Usage::default());
        self.usage.estimated |= told.is_none();
        self.usage
            .add(told.unwrap_or_else(|| estimate(&self.transcript, tools, &reply)));
        agent.listener.tell(&Event::ModelReplied {
            turn,
            reply: &reply,
            elapsed: since.elapsed(),
        });
        self.transcript.push(reply.to_message());
        Ok(reply)
    }

    /// Asks the model until it replies, or its error is one to give up at.
    async fn respond(&self, turn: u32, tools: &Snapshot) -> Result<ModelReply, ModelError> {
        let listener = &self.agent.listener;
        let was_shown = AtomicBool::new(false);
        let show = |piece: ReplyPiece<'_>| {
            was_shown.store(true, Ordering::Relaxed);
            listener.tell(&Event::ModelPartial { turn, piece });
        };
        let mut request = ModelRequest::new(&self.transcript, tools);
        if listener.hears() {
            request = request.on_piece(&show);
        }
        let since = Instant::now();
        let mut attempts = 1;
        loop {
            let error = match self.agent.model.respond(&request).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let retry = &self.agent.retry;
            let wait = retry.wait_after(attempts, since.elapsed(), &error);
            // What was shown cannot be taken back.
            let Some(wait) = wait.filter(|_| !was_shown.load(Ordering::Relaxed)) else {
                return Err(error);
            };
            tracing::debug!(attempts, %error, "the model is asked again");
            listener.tell(&Event::ModelRetried {
                turn,
                attempts,
                error: &error,
                wait,
            });
            tokio::time::sleep(wait).await;
            attempts += 1;
        }
    }

    /// Gives every call its answer: a result where it may run, an error where it may not.
    async fn answer(&mut self, asked: Vec<ModelCall>, tools: &Snapshot) {
        if asked.is_empty() {
            return;
        }
        let mut to_run = Vec::new();
        let mut refusals = Vec::with_capacity(asked.len());
        for ModelCall { call, refusal } in asked {
            let refusal = refusal.or_else(|| self.refusal(&call, to_run.len()).map(Box::new));
            if refusal.is_none() {
                to_run.push(call);
            }
            refusals.push(refusal);
        }
        let mut results = self.execute(to_run, tools).await.into_iter();
        let results: Vec<ToolResult> = refusals
            .into_iter()
            .filter_map(|refusal| refusal.map(|boxed| *boxed).or_else(|| results.next()))
            .collect();
        for result in &results {
            self.agent.listener.tell(&Event::CallFinished { result });
        }
        self.transcript
            .push(Message::tool(results.iter().map(ToolAnswer::from)));
    }

    /// Why a call is not run, although the registry would take it.
    fn refusal(&self, call: &ToolCall, running: usize) -> Option<ToolResult> {
        let most = self.agent.max_calls_per_turn;
        let error = if self.agent.cancellation.is_cancelled() {
            ToolError::cancelled()
        } else if !self.agent.budget.allows_a_turn(&self.usage) {
            not_run("The call was not run, because the budget of the run is used up")
        } else if running >= most {
            not_run(format!(
                "The call was not run, because one turn may run {most} calls at most"
            ))
            .suggest("Ask for it again in the next turn.")
        } else {
            return None;
        };
        Some(ToolResult::refused(&call.id, &call.name, error))
    }

    async fn execute(&mut self, calls: Vec<ToolCall>, tools: &Snapshot) -> Vec<ToolResult> {
        let agent = self.agent;
        for call in &calls {
            let tool = tools.get(&call.name);
            let risk = tool.map(|tool| tool.definition().risk());
            agent.listener.tell(&Event::CallStarted { call, risk });
        }
        self.usage.calls += calls.len() as u64;
        let mut options = CallOptions::default().with_cancellation(agent.cancellation.child());
        options.progress = agent.listener.progress_sink();
        tools.execute_many(calls, &options).await
    }
}

fn not_run(sentence: impl Into<String>) -> ToolError {
    ToolError::new(ErrorCode::Other("budget_exceeded".into()), sentence)
}
