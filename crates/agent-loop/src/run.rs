use std::sync::atomic::{AtomicBool, Ordering};

use provider_adapters::{Content, Message, ToolAnswer, Transcript, Usage};
use tokio::time::Instant;
use tool_core::{CallOptions, ErrorCode, Registry, ToolCall, ToolError, ToolResult};

use crate::budget::estimate;
use crate::ending::{End, Ended, last_words};
use crate::open_calls::{Standing, standing};
use crate::{
    AgentLoop, Event, LoopError, ModelCall, ModelError, ModelReply, ModelRequest, ReplyPiece,
    RunOutcome, TotalUsage,
};

impl AgentLoop {
    /// Starts a conversation with `task` and runs it to the end.
    ///
    /// Dropping the future stops the model and the tools and loses the transcript. Cancel the token
    /// to keep it.
    pub async fn run(&self, task: impl Into<Content> + Send) -> RunOutcome {
        let mut transcript = Transcript::new();
        if let Some(system) = &self.system {
            transcript.push(Message::system(system.as_str()));
        }
        transcript.push(Message::user(task));
        self.resume(transcript).await
    }

    /// Resumes a conversation. Calls without a result are executed before the next turn.
    ///
    /// Turns and tokens are counted from zero. A transcript that ends with a final answer completes
    /// without a turn; append a user message to continue it. In a transcript stored during a turn,
    /// calls without a result may already have been executed.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
    /// use provider_adapters::{Content, Message, Transcript};
    /// use tool_core::Registry;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
    /// let stored = r#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]"#;
    /// let mut transcript: Transcript = serde_json::from_str(stored)?;
    /// transcript.push(Message::user("How are you?"));
    /// let agent = AgentLoop::new(Registry::new(), ScriptedModel::new([ModelReply::text("Fine.")]));
    /// assert_eq!(agent.resume(transcript).await.answer.as_deref(), Some("Fine."));
    /// # Ok(()) }
    /// ```
    pub async fn resume(&self, transcript: Transcript) -> RunOutcome {
        Run::new(self, transcript).until_end().await
    }
}

pub(crate) struct Run<'a> {
    agent: &'a AgentLoop,
    transcript: Transcript,
    usage: TotalUsage,
    /// Number of correction requests sent to the model.
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

    pub(crate) async fn until_end(mut self) -> RunOutcome {
        let Ended {
            status,
            answer,
            error,
        } = self.turns().await.into();
        let (answer, json, trimmed) = match answer {
            Some(answer) => (Some(answer.text), answer.json, answer.trimmed),
            None => (None, None, None),
        };
        tracing::debug!(%status, turns = self.usage.turns, calls = self.usage.calls, "run finished");
        self.agent.listener.tell(&Event::Finished {
            status,
            usage: &self.usage,
        });
        RunOutcome {
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
                let calls = calls.into_iter().map(ModelCall::from).collect();
                self.answer(calls, &self.agent.registry.snapshot()).await;
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

    /// Returns the end of the run, or `None` if the model must correct its answer.
    fn completed(&mut self, text: String) -> Option<End> {
        let Some(requirements) = &self.agent.json_answer else {
            return Some(End::Completed(Box::new(text.into())));
        };
        let reason = match requirements.find(&text) {
            Ok(found) => return Some(End::Completed(Box::new(found.into()))),
            Err(reason) => reason,
        };
        if !requirements.may_correct(self.corrected) {
            return Some(End::Spoilt(text, LoopError::AnswerNotJson { reason }));
        }
        self.corrected += 1;
        self.agent
            .listener
            .tell(&Event::AnswerRefused { reason: &reason });
        self.transcript.push(Message::user(reason));
        None
    }

    /// Sends the transcript to the model and appends its reply.
    async fn ask(&mut self, tools: &Registry) -> Result<ModelReply, End> {
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
        // Some servers report zero tokens, which counts as no report.
        let reported = reply.usage.filter(|usage| *usage != Usage::default());
        self.usage.estimated |= reported.is_none();
        self.usage
            .add(reported.unwrap_or_else(|| estimate(&self.transcript, tools, &reply)));
        agent.listener.tell(&Event::ModelReplied {
            turn,
            reply: &reply,
            elapsed: since.elapsed(),
        });
        self.transcript.push(reply.to_message());
        Ok(reply)
    }

    /// Asks the model until it replies, or its error is one to give up at.
    async fn respond(&self, turn: u32, tools: &Registry) -> Result<ModelReply, ModelError> {
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
            // Parts that were sent to the listener cannot be retracted.
            let Some(wait) = wait.filter(|_| !was_shown.load(Ordering::Relaxed)) else {
                return Err(error);
            };
            tracing::debug!(attempts, %error, "retrying the model request");
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

    /// Appends one result for each call: the output, or an error for a call that may not run.
    async fn answer(&mut self, calls: Vec<ModelCall>, tools: &Registry) {
        if calls.is_empty() {
            return;
        }
        let mut to_run = Vec::new();
        let mut refusals = Vec::with_capacity(calls.len());
        for ModelCall { call, refusal, .. } in calls {
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

    /// Returns the error of a call that exceeds a limit of the run.
    fn refusal(&self, call: &ToolCall, running: usize) -> Option<ToolResult> {
        let most = self.agent.max_calls_per_turn;
        let error = if self.agent.cancellation.is_cancelled() {
            ToolError::cancelled()
        } else if !self.agent.budget.allows_a_turn(&self.usage) {
            not_run("The call was not run because the budget of the run is used up")
        } else if running >= most {
            not_run(format!(
                "The call was not run because at most {most} calls are allowed per turn"
            ))
            .suggest("Repeat the call in the next turn.")
        } else {
            return None;
        };
        Some(ToolResult::refused(&call.id, &call.name, error))
    }

    async fn execute(&mut self, calls: Vec<ToolCall>, tools: &Registry) -> Vec<ToolResult> {
        let agent = self.agent;
        for call in &calls {
            let tool = tools.get(&call.name);
            let risk = tool.map(|tool| tool.definition().risk());
            agent.listener.tell(&Event::CallStarted { call, risk });
        }
        self.usage.calls += calls.len() as u64;
        let mut options = CallOptions::default().with_cancellation(agent.cancellation.child());
        options.progress = agent.listener.progress_sink();
        tools.execute_many_with(calls, &options).await
    }
}

fn not_run(message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorCode::Other("budget_exceeded".into()), message)
}
