//! Agent loop with a model, tools and limits.

use std::fmt;
use std::sync::{Arc, Mutex};

use tool_core::{CancellationToken, Registry};

use crate::budget::Budget;
use crate::event::Listener;
use crate::run_file::Recorder;
use crate::turn::TurnHook;
use crate::{
    ApprovalWait, CheckpointSink, Compaction, EventSink, JsonReply, Model, ModelRetry, PriceTable,
    StopWhen, Turn, TurnChanges,
};

const MAX_TURNS: u32 = 20;
const MAX_CALLS_PER_TURN: usize = 64;
/// Number of identical failing calls in a row.
const STUCK_AFTER: u32 = 5;

/// Agent loop with a model, tools and limits. One loop may serve many runs, also concurrently.
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
pub struct AgentLoop {
    pub(crate) registry: Registry,
    pub(crate) name: Option<String>,
    pub(crate) records_content: bool,
    pub(crate) model: Box<dyn Model>,
    pub(crate) budget: Budget,
    pub(crate) prices: Option<PriceTable>,
    pub(crate) max_calls_per_turn: usize,
    pub(crate) cancellation: CancellationToken,
    pub(crate) listener: Listener,
    pub(crate) retry: ModelRetry,
    pub(crate) json_reply: Option<JsonReply>,
    pub(crate) system: Option<String>,
    pub(crate) last_reply: bool,
    pub(crate) checkpoint: Option<Box<dyn CheckpointSink>>,
    pub(crate) on_turn: Option<Box<TurnHook>>,
    pub(crate) stop_when: Vec<StopWhen>,
    pub(crate) stuck_after: u32,
    pub(crate) approval_wait: ApprovalWait,
    pub(crate) compaction: Option<(u64, Box<dyn Compaction>)>,
    /// Models after the first.
    pub(crate) fallbacks: Vec<Box<dyn Model>>,
    pub(crate) recorder: Option<Arc<Recorder>>,
}

impl AgentLoop {
    /// Creates a loop with at most 20 turns and no token limit.
    #[must_use]
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
            cancellation: CancellationToken::new(),
            listener: Listener::default(),
            retry: ModelRetry::default(),
            json_reply: None,
            system: None,
            last_reply: false,
            checkpoint: None,
            on_turn: None,
            stop_when: Vec::new(),
            stuck_after: STUCK_AFTER,
            approval_wait: ApprovalWait::default(),
            compaction: None,
            fallbacks: Vec::new(),
            recorder: None,
        }
    }

    /// Adds a model for the rest of a run after an error that retries did not resolve. The
    /// transcript is converted for it; reasoning of another provider is omitted.
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
    #[must_use]
    pub fn fallback(mut self, model: impl Model + 'static) -> Self {
        self.fallbacks.push(Box::new(model));
        self
    }

    /// Sets the name of the agent, which spans contain. [`as_tool`](Self::as_tool) uses the name of
    /// the tool if there is none.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets whether the spans of requests contain the messages (`gen_ai.input.messages` and
    /// `gen_ai.output.messages`), without the secrets of the registry's redactor. The default is `false`. Each field
    /// has at most 64 KiB; older messages are omitted.
    #[must_use]
    pub fn span_content(mut self, is_recorded: bool) -> Self {
        self.records_content = is_recorded;
        self
    }

    /// Sets the system message of new conversations.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Sets the maximum number of turns per run. The default is 20.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.budget.turns = turns;
        self
    }

    /// Sets the maximum number of tokens per run, input and output together. Unlimited by default.
    ///
    /// The limit is checked before each turn; a running turn is not stopped.
    #[must_use]
    pub fn max_total_tokens(mut self, tokens: u64) -> Self {
        self.budget.total_tokens = Some(tokens);
        self
    }

    /// Sets whether a run without budget requests one last answer without calls. The default is
    /// `false`.
    ///
    /// The additional turn may exceed the limits. The status remains
    /// [`Status::BudgetExceeded`](crate::Status::BudgetExceeded).
    #[must_use]
    pub fn last_reply(mut self, requests: bool) -> Self {
        self.last_reply = requests;
        self
    }

    /// Sets the maximum number of calls per turn. The default is 64; further calls return an error.
    #[must_use]
    pub fn max_calls_per_turn(mut self, calls: usize) -> Self {
        self.max_calls_per_turn = calls;
        self
    }

    /// Sets the retry policy for model requests. The default is [`ModelRetry::default`].
    #[must_use]
    pub fn retry(mut self, retry: ModelRetry) -> Self {
        self.retry = retry;
        self
    }

    /// Requires a final answer in JSON. By default, any text is accepted.
    #[must_use]
    pub fn json_reply(mut self, requirements: JsonReply) -> Self {
        self.json_reply = Some(requirements);
        self
    }

    /// Sets the sink for the events of all runs, including tool progress and partial output.
    #[must_use]
    pub fn on_event(mut self, sink: impl EventSink + 'static) -> Self {
        self.listener = Listener::new(sink);
        self
    }

    /// Sets the token that cancels the runs, unless a run has its own
    /// ([`RunBuilder::cancellation`](crate::RunBuilder::cancellation)).
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets a function that is called before each turn and changes its tools, model, instructions
    /// or options. Calls of concurrent runs are sequential.
    #[must_use]
    pub fn on_turn(mut self, hook: impl FnMut(&Turn<'_>) -> TurnChanges + Send + 'static) -> Self {
        self.on_turn = Some(Box::new(Mutex::new(hook)));
        self
    }

    /// Adds a stop condition, which is checked after the results of each turn.
    #[must_use]
    pub fn stop_when(mut self, condition: StopWhen) -> Self {
        self.stop_when.push(condition);
        self
    }

    /// Sets the number of identical failing calls in a row that fail the run as stuck. The default
    /// is 5; 0 disables the check.
    #[must_use]
    pub fn stuck_after(mut self, calls: u32) -> Self {
        self.stuck_after = calls;
        self
    }

    /// Sets a strategy that shortens the transcript before a turn if the conversation has over
    /// `max_tokens` (estimated at four bytes each), and once if the provider rejects it as too
    /// long. Disabled by default.
    #[must_use]
    pub fn compaction(mut self, max_tokens: u64, strategy: impl Compaction + 'static) -> Self {
        self.compaction = Some((max_tokens, Box::new(strategy)));
        self
    }

    /// Sets the prices of the models: one for all ([`Prices`](crate::Prices)), or one per model
    /// ([`PriceTable`]). Each turn is priced for the model that replied.
    #[must_use]
    pub fn prices(mut self, prices: impl Into<PriceTable>) -> Self {
        self.prices = Some(prices.into());
        self
    }

    /// Sets the maximum cost of a run at these [`prices`](Self::prices). Unlimited by default.
    ///
    /// The limit is checked before each turn; a running turn is not stopped. Runs that are tools of
    /// this run count, at their own prices if they have any.
    #[must_use]
    pub fn max_cost(mut self, cost: f64, prices: impl Into<PriceTable>) -> Self {
        self.budget.cost = Some(cost);
        self.prices(prices)
    }

    /// Sets the receiver for the record of all runs: every message, and every start of a call that
    /// is not read-only.
    #[must_use]
    pub fn checkpoint(mut self, sink: impl CheckpointSink + 'static) -> Self {
        self.checkpoint = Some(Box::new(sink));
        self
    }

    /// Sets the behavior if a call waits for approval. The default is [`ApprovalWait::Continue`].
    #[must_use]
    pub fn wait_for_approvals(mut self, wait: ApprovalWait) -> Self {
        self.approval_wait = wait;
        self
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
