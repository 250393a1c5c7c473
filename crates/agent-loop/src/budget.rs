//! Turn and token limits.

use std::io;

use provider_adapters::{Transcript, Usage};
use serde::Serialize;
use tool_core::Registry;

use crate::{ModelReply, Prices, TotalUsage};

/// Approximate size of one token in bytes of JSON.
const BYTES_PER_TOKEN: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Budget {
    pub(crate) turns: u32,
    pub(crate) total_tokens: Option<u64>,
    pub(crate) cost: Option<(f64, Prices)>,
}

impl Budget {
    pub(crate) fn allows_a_turn(&self, used: &TotalUsage) -> bool {
        let tokens_left = self
            .total_tokens
            .is_none_or(|most| used.total_tokens() < most);
        let money_left = self
            .cost
            .is_none_or(|(most, prices)| prices.cost(used) < most);
        used.turns < self.turns && tokens_left && money_left
    }
}

/// About how many tokens a turn took, for a model that does not say.
pub(crate) fn estimate(transcript: &Transcript, tools: &Registry, reply: &ModelReply) -> Usage {
    let definitions: u64 = tools
        .list()
        .iter()
        .map(|tool| {
            size_of(&tool.name()) + size_of(&tool.description()) + size_of(tool.input_schema())
        })
        .sum();
    let calls: u64 = reply.calls.iter().map(|asked| size_of(&asked.call)).sum();
    let mut usage = Usage::default();
    usage.input_tokens = tokens(size_of(transcript) + definitions);
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

        let usage = estimate(&transcript, &Registry::new().snapshot(), &reply);

        assert_eq!((usage.input_tokens, usage.output_tokens), (250, 101));
    }
}
