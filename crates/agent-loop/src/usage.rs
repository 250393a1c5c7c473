//! Resources of a run, and their cost.

use std::collections::HashMap;

use provider_adapters::Usage;
use serde::{Deserialize, Serialize};

/// Resources used by a run.
///
/// # Examples
/// ```
/// use agent_loop::TotalUsage;
///
/// let mut usage = TotalUsage::default();
/// usage.input_tokens = 120;
/// usage.output_tokens = 30;
/// assert_eq!(usage.total_tokens(), 150);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TotalUsage {
    /// Number of model replies.
    pub turns: u32,
    /// Number of executed calls.
    pub calls: u64,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens read from a cache, if reported by the model.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Input tokens written to a cache, if reported by the model.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Output tokens used for reasoning, if reported by the model.
    #[serde(default)]
    pub reasoning_tokens: u64,
    /// Cost in the currency of the loop's prices; `None` without prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Whether the tokens of a turn were estimated because the model did not report them.
    pub estimated: bool,
}

impl TotalUsage {
    /// Returns the sum of input and output tokens.
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Adds the resources of a run that was a tool of this run, except its turns and calls.
    pub(crate) fn add_child(&mut self, child: &Self) {
        self.add(child.tokens());
        self.add_cost(child.cost);
        self.estimated |= child.estimated;
    }

    pub(crate) fn add_cost(&mut self, cost: Option<f64>) {
        if let Some(cost) = cost {
            self.cost = Some(self.cost.unwrap_or_default() + cost);
        }
    }

    /// Returns the resources used after `earlier`.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let mut since = *self;
        since.change(earlier.tokens(), u64::saturating_sub);
        since.turns = since.turns.saturating_sub(earlier.turns);
        since.calls = since.calls.saturating_sub(earlier.calls);
        since.cost = self
            .cost
            .map(|cost| cost - earlier.cost.unwrap_or_default());
        since
    }

    /// Returns the token counts.
    pub(crate) fn tokens(&self) -> Usage {
        let mut usage = Usage::default();
        usage.input_tokens = self.input_tokens;
        usage.output_tokens = self.output_tokens;
        usage.cached_tokens = self.cached_tokens;
        usage.cache_write_tokens = self.cache_write_tokens;
        usage.reasoning_tokens = self.reasoning_tokens;
        usage
    }

    pub(crate) fn add(&mut self, usage: Usage) {
        self.change(usage, u64::saturating_add);
    }

    fn change(&mut self, usage: Usage, change: fn(u64, u64) -> u64) {
        let counts = [
            (&mut self.input_tokens, usage.input_tokens),
            (&mut self.output_tokens, usage.output_tokens),
            (&mut self.cached_tokens, usage.cached_tokens),
            (&mut self.cache_write_tokens, usage.cache_write_tokens),
            (&mut self.reasoning_tokens, usage.reasoning_tokens),
        ];
        for (total, count) in counts {
            *total = change(*total, count);
        }
    }
}

/// Prices of a model per million tokens, in any currency.
///
/// # Examples
/// ```
/// use agent_loop::{Prices, TotalUsage};
///
/// let mut usage = TotalUsage::default();
/// usage.input_tokens = 1_000_000;
/// usage.cached_tokens = 400_000;
/// usage.output_tokens = 100_000;
/// let mut prices = Prices::new(3.0, 15.0);
/// prices.cached_input = 0.3;
/// assert!((prices.cost(&usage) - 3.42).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prices {
    /// Price of input tokens that are neither read from a cache nor written to one.
    pub input: f64,
    /// Price of input tokens that are read from a cache.
    pub cached_input: f64,
    /// Price of input tokens that are written to a cache.
    pub cache_write: f64,
    /// Price of output tokens, including reasoning.
    pub output: f64,
}

impl Prices {
    /// Creates prices per million tokens. Tokens read from or written to a cache have the
    /// price of other input.
    pub fn new(input: f64, output: f64) -> Self {
        Self {
            input,
            cached_input: input,
            cache_write: input,
            output,
        }
    }

    /// Returns the cost of `usage`. It is an estimate if [`TotalUsage::estimated`] is set.
    pub fn cost(&self, usage: &TotalUsage) -> f64 {
        self.cost_of_turn(&usage.tokens())
    }

    pub(crate) fn cost_of_turn(&self, usage: &Usage) -> f64 {
        // Cached tokens are part of the input. A server may report more of them than input, which must not give a negative cost.
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let other = usage.input_tokens - cached;
        let written = usage.cache_write_tokens.min(other);
        let counts = [
            (other - written, self.input),
            (cached, self.cached_input),
            (written, self.cache_write),
            (usage.output_tokens, self.output),
        ];
        counts
            .iter()
            .map(|(tokens, price)| millions(*tokens) * price)
            .sum()
    }
}

/// Prices of the models of a loop, which may differ for fallbacks and for changes per turn.
///
/// # Examples
/// ```
/// use agent_loop::{PriceTable, Prices};
///
/// let table = PriceTable::new(Prices::new(3.0, 15.0)).with_model("small-model", Prices::new(0.3, 1.2));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceTable {
    default: Prices,
    models: HashMap<String, Prices>,
}

impl PriceTable {
    /// Creates a table with the prices of all models that have no own prices.
    pub fn new(default: Prices) -> Self {
        Self {
            default,
            models: HashMap::new(),
        }
    }

    /// Sets the prices of the model with this name.
    #[must_use]
    pub fn with_model(mut self, name: impl Into<String>, prices: Prices) -> Self {
        self.models.insert(name.into(), prices);
        self
    }

    /// Returns the prices of a model; of a model without a name, the default.
    pub(crate) fn of(&self, model: Option<&str>) -> Prices {
        let own = model.and_then(|name| self.models.get(name));
        own.copied().unwrap_or(self.default)
    }
}

impl From<Prices> for PriceTable {
    fn from(prices: Prices) -> Self {
        Self::new(prices)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts above 2^53 are not reached"
)]
fn millions(tokens: u64) -> f64 {
    tokens as f64 / 1e6
}
