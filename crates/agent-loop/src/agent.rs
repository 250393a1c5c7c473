//! The loop: a model, its tools and its limits.

use std::fmt;

use provider_adapters::{Content, Message, Transcript};
use tool_core::{CancellationToken, Registry};

use crate::budget::Budget;
use crate::event::Listener;
use crate::run::Run;
use crate::{EventSink, JsonAnswer, Model, Outcome, Retry};

/// Turns of a run unless said otherwise.
const MAX_TURNS: u32 = 20;
/// Calls of one turn unless said otherwise.
const MAX_CALLS_PER_TURN: usize = 64;

/// A model, its tools and its limits. One loop may serve many runs, also at once.
///
/// Each turn pins the tools, asks the model, runs the calls of its reply side by side and gives back the results,
/// until the model answers without calls, or a limit is reached. When no further turn may follow, calls are not
/// run: they are answered with an error, so that the conversation stays legal and can be resumed.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, ScriptedModel, Status};
/// use serde_json::json;
/// use tool_core::{Registry, ToolCall};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let endless = ScriptedModel::from_fn(|_| ModelReply::calls([ToolCall::new("nope", json!({}))]));
/// let agent = AgentLoop::new(Registry::new(), endless)
///     .system("You look after a small garden.")
///     .max_turns(3)
///     .max_total_tokens(10_000);
/// let outcome = agent.run("Water the tulips.").await;
/// assert_eq!((outcome.status, outcome.usage.turns), (Status::BudgetExceeded, 3));
/// # }
/// ```
pub struct AgentLoop {
    pub(crate) registry: Registry,
    pub(crate) model: Box<dyn Model>,
    pub(crate) budget: Budget,
    pub(crate) max_calls_per_turn: usize,
    pub(crate) cancellation: CancellationToken,
    pub(crate) listener: Listener,
    pub(crate) retry: Retry,
    pub(crate) json_answer: Option<JsonAnswer>,
    system: Option<String>,
}

impl AgentLoop {
    /// Creates a loop of 20 turns at most, without a limit on tokens.
    #[must_use]
    pub fn new(registry: Registry, model: impl Model + 'static) -> Self {
        Self {
            registry,
            model: Box::new(model),
            budget: Budget {
                max_turns: MAX_TURNS,
                max_total_tokens: None,
            },
            max_calls_per_turn: MAX_CALLS_PER_TURN,
            cancellation: CancellationToken::new(),
            listener: Listener::default(),
            retry: Retry::default(),
            json_answer: None,
            system: None,
        }
    }

    /// Sets what the application tells the model before anything else.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Sets how often a run may ask the model; 20 without this.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.budget.max_turns = turns;
        self
    }

    /// Sets how many tokens a run may use, read and written; no limit without this.
    ///
    /// A turn that is under way is not stopped: the run ends before the next one.
    #[must_use]
    pub fn max_total_tokens(mut self, tokens: u64) -> Self {
        self.budget.max_total_tokens = Some(tokens);
        self
    }

    /// Sets how many calls of one turn are run; 64 without this. What is over is answered with an error.
    #[must_use]
    pub fn max_calls_per_turn(mut self, calls: usize) -> Self {
        self.max_calls_per_turn = calls;
        self
    }

    /// Sets when a model that gave no reply is asked again; see [`Retry`] for what holds without this.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Sets that the final answer must be JSON, and which; any text is an answer without this.
    #[must_use]
    pub fn json_answer(mut self, wanted: JsonAnswer) -> Self {
        self.json_answer = Some(wanted);
        self
    }

    /// Sets who receives the events of the runs, the progress and the partial output of the tools among them.
    #[must_use]
    pub fn on_event(mut self, sink: impl EventSink + 'static) -> Self {
        self.listener = Listener::new(sink);
        self
    }

    /// Sets the token that stops the runs.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Starts a conversation with a task and goes on until it ends.
    ///
    /// Dropping the future stops the model and the tools; what was said is then lost. To keep it, cancel the token.
    pub async fn run(&self, task: impl Into<Content> + Send) -> Outcome {
        let mut transcript = Transcript::new();
        if let Some(system) = &self.system {
            transcript.push(Message::system(system.as_str()));
        }
        transcript.push(Message::user(task));
        self.resume(transcript).await
    }

    /// Goes on with a conversation: calls without an answer are run first, then the model is asked.
    ///
    /// Turns and tokens count from zero. A conversation that ends in the model's own words is completed as it is;
    /// to go on, add a message of the user. Whoever stores a conversation in the middle of a turn should know that
    /// a call without an answer may have run already.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
    /// use provider_adapters::{Message, Transcript};
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
    pub async fn resume(&self, transcript: Transcript) -> Outcome {
        Run::new(self, transcript).until_end().await
    }
}

impl fmt::Debug for AgentLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentLoop")
            .field("registry", &self.registry)
            .field("budget", &self.budget)
            .field("listener", &self.listener)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
