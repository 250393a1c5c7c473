//! Resources of a run.

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
    #[must_use]
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
        let cost = self
            .cost
            .map(|cost| cost - earlier.cost.unwrap_or_default());
        Self {
            turns: self.turns.saturating_sub(earlier.turns),
            calls: self.calls.saturating_sub(earlier.calls),
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
            cached_tokens: self.cached_tokens.saturating_sub(earlier.cached_tokens),
            cache_write_tokens: self
                .cache_write_tokens
                .saturating_sub(earlier.cache_write_tokens),
            reasoning_tokens: self
                .reasoning_tokens
                .saturating_sub(earlier.reasoning_tokens),
            cost,
            estimated: self.estimated,
        }
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
        let counts = [
            (&mut self.input_tokens, usage.input_tokens),
            (&mut self.output_tokens, usage.output_tokens),
            (&mut self.cached_tokens, usage.cached_tokens),
            (&mut self.cache_write_tokens, usage.cache_write_tokens),
            (&mut self.reasoning_tokens, usage.reasoning_tokens),
        ];
        for (total, count) in counts {
            *total = total.saturating_add(count);
        }
    }
}
