//! Agent loop with a model, tools and limits.

use std::sync::{Arc, Mutex};

use tool_core::Registry;

use crate::budget::Budget;
use crate::event::Listener;
use crate::run_file::Recorder;
use crate::turn::{StopCondition, TurnHook};
use crate::{
    ApprovalWait, CheckpointSink, Compaction, EventSink, JsonReply, Model, ModelRetry, PriceTable,
    Turn, TurnChanges,
};

const MAX_TURNS: u32 = 20;
const MAX_CALLS_PER_TURN: usize = 64;
/// Number of identical failing calls in a row.
const STUCK_AFTER: u32 = 5;
/// Number of repetitions of a cycle of turns.
const REPEATING_AFTER: u32 = 8;

/// Agent loop with a model, tools and limits. One loop can serve many runs at the same time.
///
/// Each turn takes a snapshot of the tools, sends the transcript to the model and executes the
/// calls of its reply concurrently. The run completes when the model replies without calls, and
/// stops early at a limit. If no further turn is allowed, calls are not executed but receive an
/// error result, so that the transcript stays valid and can be resumed.
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
#[must_use]
pub struct AgentLoop {
    pub(crate) registry: Registry,
    pub(crate) name: Option<String>,
    pub(crate) records_content: bool,
    pub(crate) model: Box<dyn Model>,
    pub(crate) budget: Budget,
    pub(crate) prices: Option<PriceTable>,
    pub(crate) max_calls_per_turn: usize,
    pub(crate) listener: Listener,
    pub(crate) retry: ModelRetry,
    pub(crate) json_reply: Option<JsonReply>,
    pub(crate) system: Option<String>,
    pub(crate) last_reply: bool,
    pub(crate) checkpoint: Option<Arc<dyn CheckpointSink>>,
    pub(crate) on_turn: Option<Box<TurnHook>>,
    pub(crate) stop_when: Vec<StopCondition>,
    pub(crate) stuck_after: u32,
    pub(crate) repeating_after: u32,
    pub(crate) approval_wait: ApprovalWait,
    pub(crate) compaction: Option<(u64, Box<dyn Compaction>)>,
    /// Models after the first.
    pub(crate) fallbacks: Vec<Box<dyn Model>>,
    pub(crate) recorder: Option<Arc<Recorder>>,
}

impl AgentLoop {
    /// Creates a loop with at most 20 turns and no token limit.
    pub fn new(registry: Registry, model: impl Model + 'static) -> Self {
        Self {
            registry,
            name: None,
            records_content: false,
            model: Box::new(model),
            budget: Budget {
                turns: MAX_TURNS,
                total_tokens: None,
                cost: None,
            },
            prices: None,
            max_calls_per_turn: MAX_CALLS_PER_TURN,
            listener: Listener::default(),
            retry: ModelRetry::default(),
            json_reply: None,
            system: None,
            last_reply: false,
            checkpoint: None,
            on_turn: None,
            stop_when: Vec::new(),
            stuck_after: STUCK_AFTER,
            repeating_after: REPEATING_AFTER,
            approval_wait: ApprovalWait::default(),
            compaction: None,
            fallbacks: Vec::new(),
            recorder: None,
        }
    }

    /// Adds a model that takes over if the one before it keeps failing after all retries. It stays for the rest of the run.
    /// The transcript is converted for it, without the reasoning of another provider.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
    /// use tool_core::Registry;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let (broken, spare) = (ScriptedModel::new([]), ScriptedModel::new([ModelReply::text("Hello.")]));
    /// let outcome = AgentLoop::new(Registry::new(), broken).fallback(spare).run("Greet me.").await;
    /// assert_eq!(outcome.reply.as_deref(), Some("Hello."));
    /// # }
    /// ```
    pub fn fallback(mut self, model: impl Model + 'static) -> Self {
        self.fallbacks.push(Box::new(model));
        self
    }

    /// Sets the name of the agent, by which you find its runs in spans. Without one, [`as_tool`](Self::as_tool) uses the
    /// name of the tool.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets whether the spans of requests contain the messages (`gen_ai.input.messages` and `gen_ai.output.messages`). The
    /// default is `false`, because conversations are often confidential. Secrets that the registry's redactor knows are
    /// removed. Each field has at most 64 KiB; the oldest messages are omitted.
    pub fn span_content(mut self, is_recorded: bool) -> Self {
        self.records_content = is_recorded;
        self
    }

    /// Sets the system message of new conversations.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Sets the maximum number of turns per run. The default is 20, enough for most tasks and cheap if a model loops.
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.budget.turns = turns;
        self
    }

    /// Sets the maximum number of tokens per run, input and output together. Unlimited by default.
    ///
    /// The limit is checked before each turn. A turn that has started is not stopped, so a run may exceed it by one turn.
    pub fn max_total_tokens(mut self, tokens: u64) -> Self {
        self.budget.total_tokens = Some(tokens);
        self
    }

    /// Sets whether a run that has used up its budget asks the model for one final answer, without tool calls, so that the
    /// work so far isn't lost. The default is `false`.
    ///
    /// The additional turn may exceed the limits. The status remains
    /// [`Status::BudgetExceeded`](crate::Status::BudgetExceeded).
    pub fn last_reply(mut self, requests: bool) -> Self {
        self.last_reply = requests;
        self
    }

    /// Sets the maximum number of calls per turn. The default is 64. Further calls don't run; they return an error that
    /// asks the model to repeat them in the next turn.
    pub fn max_calls_per_turn(mut self, calls: usize) -> Self {
        self.max_calls_per_turn = calls;
        self
    }

    /// Sets the retry policy for model requests. The default is [`ModelRetry::default`].
    pub fn retry(mut self, retry: ModelRetry) -> Self {
        self.retry = retry;
        self
    }

    /// Requires a final answer in JSON, so that your program can read it. By default, any text is accepted.
    pub fn json_reply(mut self, requirements: JsonReply) -> Self {
        self.json_reply = Some(requirements);
        self
    }

    /// Sets the sink for the events of all runs, including tool progress and partial output, for example to show them.
    pub fn on_event(mut self, sink: impl EventSink + 'static) -> Self {
        self.listener = Listener::new(sink);
        self
    }

    /// Sets a function that is called before each turn and can change its tools, model, instructions or options. It is
    /// never called twice at the same time, even if runs are concurrent.
    pub fn on_turn(mut self, hook: impl FnMut(&Turn<'_>) -> TurnChanges + Send + 'static) -> Self {
        self.on_turn = Some(Box::new(Mutex::new(hook)));
        self
    }

    /// Adds a stop condition, which is checked after the results of each turn. The status is then
    /// [`Status::Stopped`](crate::Status::Stopped).
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, ScriptedModel, Status};
    /// use serde_json::json;
    /// use tool_core::{Registry, ToolCall};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let model = ScriptedModel::from_fn(|_| ModelReply::calls([ToolCall::new("submit", json!({}))]));
    /// let agent = AgentLoop::new(Registry::new(), model)
    ///     .stop_when(|turn| turn.calls().iter().any(|call| call.name == "submit"));
    /// let outcome = agent.run("Water the tulips.").await;
    /// assert_eq!((outcome.status, outcome.usage.turns), (Status::Stopped, 1));
    /// # }
    /// ```
    pub fn stop_when(
        mut self,
        condition: impl Fn(&Turn<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.stop_when.push(Box::new(condition));
        self
    }

    /// Sets after how many identical failing calls in a row the run fails with [`LoopError::Stuck`](crate::LoopError::Stuck),
    /// because one more would hardly help. The default is 5; 0 disables the check.
    pub fn stuck_after(mut self, calls: u32) -> Self {
        self.stuck_after = calls;
        self
    }

    /// Sets after how many repetitions of the same turns the run fails with
    /// [`LoopError::Repeating`](crate::LoopError::Repeating): one turn, or up to four that alternate, whose calls,
    /// arguments and results are all equal. The default is 8; 0 disables the check. A tool that is polled should return
    /// something that changes, such as the elapsed time.
    pub fn repeating_after(mut self, times: u32) -> Self {
        self.repeating_after = times;
        self
    }

    /// Sets a strategy that shortens the transcript. It runs before a turn if the conversation has over `max_tokens`
    /// (estimated at four bytes each), and once if the provider rejects the conversation as too long. By default, nothing
    /// is shortened, and such a run fails.
    pub fn compaction(mut self, max_tokens: u64, strategy: impl Compaction + 'static) -> Self {
        self.compaction = Some((max_tokens, Box::new(strategy)));
        self
    }

    /// Sets the prices of the models: one for all ([`Prices`](crate::Prices)), or one per model
    /// ([`PriceTable`]). Each turn is priced for the model that replied.
    pub fn prices(mut self, prices: impl Into<PriceTable>) -> Self {
        self.prices = Some(prices.into());
        self
    }

    /// Sets the maximum cost of a run at these [`prices`](Self::prices). Unlimited by default.
    ///
    /// The limit is checked before each turn. A turn that has started is not stopped, so a run may exceed it by one turn.
    /// Runs that are tools of this run count, at their own prices if they have any.
    pub fn max_cost(mut self, cost: f64, prices: impl Into<PriceTable>) -> Self {
        self.budget.cost = Some(cost);
        self.prices(prices)
    }

    /// Sets the receiver for the record of all runs, from which they can be resumed after a crash: every message, and
    /// every start of a call that is not read-only. A call that waits for approval has not started.
    pub fn checkpoint(mut self, sink: impl CheckpointSink + 'static) -> Self {
        self.checkpoint = Some(Arc::new(sink));
        self
    }

    /// Sets what a run does while a call waits for approval. The default is [`ApprovalWait::Continue`].
    pub fn wait_for_approvals(mut self, wait: ApprovalWait) -> Self {
        self.approval_wait = wait;
        self
    }
}

tool_core::debug_fields!(AgentLoop, this => registry: this.registry, budget: this.budget, listener: this.listener);

#[cfg(test)]
mod tests;
