//! Limits of a run and of the runs that are its tools.

use std::io;
use std::sync::{Arc, Mutex};

use provider_adapters::{Transcript, Usage};
use serde::Serialize;
use tool_core::Registry;

use crate::locked::locked;
use crate::{ModelReply, PriceTable, TotalUsage};

/// Approximate size of one token in bytes of JSON.
const BYTES_PER_TOKEN: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Budget {
    pub(crate) turns: u32,
    pub(crate) total_tokens: Option<u64>,
    pub(crate) cost: Option<f64>,
}

impl Budget {
    pub(crate) fn allows_a_turn(&self, used: &TotalUsage) -> bool {
        let cost = used.cost.unwrap_or_default();
        used.turns < self.turns && self.allows(used.total_tokens(), cost)
    }

    fn allows(&self, tokens: u64, cost: f64) -> bool {
        self.total_tokens.is_none_or(|most| tokens < most)
            && self.cost.is_none_or(|most| cost < most)
    }
}

/// Limits of a run, and the use of the run and of the runs that are its tools. An extension for
/// these tools.
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
        // The parent does not know the models of its children, so its default prices have to do.
        let cost = cost.or_else(|| Some(prices?.of(None).cost_of_turn(usage)));
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        let mut used = locked(&self.used);
        used.tokens = used.tokens.saturating_add(tokens);
        used.cost += cost.unwrap_or_default();
        cost
    }

    /// Returns whether all parents have tokens and money left.
    pub(crate) fn parents_allow(&self) -> bool {
        let Some(parent) = &self.parent else {
            return true;
        };
        let used = *locked(&parent.used);
        // Turns are not shared: a child has its own, however often its parent calls it.
        parent.limits.allows(used.tokens, used.cost) && parent.parents_allow()
    }
}

/// Estimates the tokens of a turn whose model reports none.
pub(crate) fn estimated_usage(
    transcript: &Transcript,
    tools: &Registry,
    reply: &ModelReply,
) -> Usage {
    let definitions = tools.list();
    let sizes = definitions.iter().map(|tool| {
        size_of(&tool.name()) + size_of(&tool.description()) + size_of(tool.input_schema())
    });
    let input = size_of(transcript) + sizes.sum::<u64>();
    let calls: u64 = reply.calls.iter().map(|asked| size_of(&asked.call)).sum();
    let mut usage = Usage::default();
    usage.input_tokens = tokens(input);
    usage.output_tokens = tokens(size_of(&reply.text) + size_of(&reply.reasoning) + calls);
    usage
}

/// Returns the estimated number of tokens of a value.
pub(crate) fn estimated_tokens(value: &impl Serialize) -> u64 {
    tokens(size_of(value))
}

fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

fn size_of(value: &impl Serialize) -> u64 {
    let mut count = Count(0);
    // The writer never fails; values that cannot be serialized count as empty.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

struct Count(u64);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use provider_adapters::Message;
    use tool_core::Registry;

    use super::*;

    #[test]
    fn allows_turns_below_both_limits() {
        let used = |turns, tokens| TotalUsage {
            turns,
            input_tokens: tokens,
            ..TotalUsage::default()
        };
        for (turns, total_tokens, used, allowed) in [
            (1, None, used(0, 0), true),
            (1, None, used(1, 0), false),
            (0, None, used(0, 0), false),
            (9, Some(10), used(3, 9), true),
            (9, Some(10), used(3, 10), false),
            (9, Some(0), used(0, 0), false),
        ] {
            let budget = Budget {
                turns,
                total_tokens,
                cost: None,
            };

            assert_eq!(budget.allows_a_turn(&used), allowed, "{budget:?} {used:?}");
        }
    }

    #[test]
    fn estimates_one_token_per_four_bytes() {
        let transcript = Transcript::from(vec![Message::user("x".repeat(968))]);
        let reply = ModelReply::text("y".repeat(398));

        let tools = Registry::new().snapshot();

        let usage = estimated_usage(&transcript, &tools, &reply);

        assert_eq!((usage.input_tokens, usage.output_tokens), (250, 101));
    }
}
