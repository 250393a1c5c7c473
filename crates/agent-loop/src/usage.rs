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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Output tokens used for reasoning, if reported by the model.
    #[serde(default)]
    pub reasoning_tokens: u64,
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
        self.add_tokens(
            child.input_tokens,
            child.output_tokens,
            child.cached_tokens,
            child.reasoning_tokens,
        );
        self.estimated |= child.estimated;
    }

    pub(crate) fn add(&mut self, usage: Usage) {
        self.add_tokens(
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_tokens,
            usage.reasoning_tokens,
        );
    }

    fn add_tokens(&mut self, input: u64, output: u64, cached: u64, reasoning: u64) {
        self.input_tokens = self.input_tokens.saturating_add(input);
        self.output_tokens = self.output_tokens.saturating_add(output);
        self.cached_tokens = self.cached_tokens.saturating_add(cached);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(reasoning);
    }
}
