//! Cost of a run.

use serde::{Deserialize, Serialize};

use crate::TotalUsage;

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
/// let prices = Prices::new(3.0, 15.0).with_cached_input(0.3);
/// assert!((prices.cost(&usage) - 3.42).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prices {
    /// Price of input tokens that are not read from a cache.
    pub input: f64,
    /// Price of input tokens that are read from a cache.
    pub cached_input: f64,
    /// Price of output tokens, including reasoning.
    pub output: f64,
}

impl Prices {
    /// Creates prices per million tokens. Cached input has the price of other input.
    #[must_use]
    pub fn new(input: f64, output: f64) -> Self {
        Self {
            input,
            cached_input: input,
            output,
        }
    }

    /// Sets the price of input tokens that are read from a cache.
    #[must_use]
    pub fn with_cached_input(mut self, price: f64) -> Self {
        self.cached_input = price;
        self
    }

    /// Returns the cost of `usage`. It is an estimate if [`TotalUsage::estimated`] is set.
    #[must_use]
    pub fn cost(&self, usage: &TotalUsage) -> f64 {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let counts = [
            (usage.input_tokens - cached, self.input),
            (cached, self.cached_input),
            (usage.output_tokens, self.output),
        ];
        counts
            .iter()
            .map(|(tokens, price)| millions(*tokens) * price)
            .sum()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts above 2^53 are not reached"
)]
fn millions(tokens: u64) -> f64 {
    tokens as f64 / 1e6
}
