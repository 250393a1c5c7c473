//! Budget of a run and of the runs that are its tools.

use std::sync::{Arc, Mutex, PoisonError};

use provider_adapters::Usage;

use crate::PriceTable;
use crate::budget::Budget;

/// Limits of a run, and the use of the run and of the runs that are its tools.
#[derive(Debug)]
pub(crate) struct SharedBudget {
    limits: Budget,
    prices: Option<PriceTable>,
    used: Mutex<Used>,
    parent: Option<Arc<Self>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Used {
    tokens: u64,
    cost: f64,
}

/// Budget of the calling run, for tools that are runs.
pub(crate) struct ParentBudget(pub(crate) Arc<SharedBudget>);

impl SharedBudget {
    pub(crate) fn new(
        limits: Budget,
        prices: Option<PriceTable>,
        parent: Option<Arc<Self>>,
    ) -> Self {
        Self {
            limits,
            prices,
            used: Mutex::default(),
            parent,
        }
    }

    /// Returns whether the run or a parent has a limit of tokens or cost.
    pub(crate) fn is_limited(&self) -> bool {
        self.limits.total_tokens.is_some() || self.limits.cost.is_some() || self.parent.is_some()
    }

    /// Counts resources in this run and in its parents. Without a cost, the prices of the nearest run
    /// that has any apply.
    pub(crate) fn spend(&self, usage: &Usage, cost: Option<f64>) {
        let cost = self.spend_own(usage, cost);
        if let Some(parent) = &self.parent {
            parent.spend(usage, cost);
        }
    }

    /// Counts resources in this run only, and returns their cost. The parents of a resumed run have counted them.
    pub(crate) fn spend_own(&self, usage: &Usage, cost: Option<f64>) -> Option<f64> {
        let prices = self.prices.as_ref();
        let cost = cost.or_else(|| Some(prices?.of(None).cost_of_turn(usage)));
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.tokens = used.tokens.saturating_add(tokens);
        used.cost += cost.unwrap_or_default();
        cost
    }

    /// Returns whether all parents have tokens and money left.
    pub(crate) fn parents_allow(&self) -> bool {
        self.parent
            .as_ref()
            .is_none_or(|parent| parent.allows() && parent.parents_allow())
    }

    fn allows(&self) -> bool {
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens = self
            .limits
            .total_tokens
            .is_none_or(|most| used.tokens < most);
        tokens && self.limits.cost.is_none_or(|most| used.cost < most)
    }
}
