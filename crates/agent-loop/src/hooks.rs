//! Hooks of a loop: changes per turn, conditions, limits and records.

use std::sync::Mutex;

use crate::turn::TurnHook;
use crate::{
    AgentLoop, ApprovalWait, CheckpointSink, Compaction, PriceTable, StopWhen, Turn, TurnChanges,
};

impl AgentLoop {
    /// Sets a function that is called before each turn and changes its tools, model, instructions
    /// or options. Calls of concurrent runs are sequential.
    #[must_use]
    pub fn on_turn(mut self, hook: impl FnMut(&Turn<'_>) -> TurnChanges + Send + 'static) -> Self {
        self.on_turn = Some(TurnHook(Box::new(Mutex::new(hook))));
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
