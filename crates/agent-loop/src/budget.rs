//! Turn and token limits.

use std::io;

use provider_adapters::{Transcript, Usage};
use serde::Serialize;
use tool_core::Registry;

use crate::{ModelReply, TotalUsage};

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
        let tokens_left = self
            .total_tokens
            .is_none_or(|most| used.total_tokens() < most);
        let money_left = self
            .cost
            .is_none_or(|most| used.cost.unwrap_or_default() < most);
        used.turns < self.turns && tokens_left && money_left
    }
}

/// Size of a growing transcript. Each message is measured once.
#[derive(Debug, Default)]
pub(crate) struct TranscriptSize {
    messages: usize,
    bytes: u64,
}

impl TranscriptSize {
    /// Returns the estimated number of tokens. The messages that were measured before must be
    /// unchanged.
    pub(crate) fn tokens(&mut self, transcript: &Transcript) -> u64 {
        tokens(self.bytes(transcript))
    }

    fn bytes(&mut self, transcript: &Transcript) -> u64 {
        let messages = transcript.messages();
        let new = messages.get(self.messages..).unwrap_or_default();
        // Each message has a separator.
        let added: u64 = new.iter().map(|message| size_of(message) + 1).sum();
        self.bytes = self.bytes.saturating_add(added);
        self.messages = messages.len();
        self.bytes
    }

    /// Estimates the tokens of a turn whose model reports none.
    pub(crate) fn usage(
        &mut self,
        transcript: &Transcript,
        tools: &Registry,
        reply: &ModelReply,
    ) -> Usage {
        estimate(self.bytes(transcript), tools, reply)
    }
}

fn estimate(transcript: u64, tools: &Registry, reply: &ModelReply) -> Usage {
    let definitions: u64 = tools
        .list()
        .iter()
        .map(|tool| {
            size_of(&tool.name()) + size_of(&tool.description()) + size_of(tool.input_schema())
        })
        .sum();
    let calls: u64 = reply.calls.iter().map(|asked| size_of(&asked.call)).sum();
    let mut usage = Usage::default();
    usage.input_tokens = tokens(transcript + definitions);
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

        let usage = TranscriptSize::default().usage(&transcript, &tools, &reply);

        assert_eq!((usage.input_tokens, usage.output_tokens), (250, 101));
    }

    #[test]
    fn size_of_growing_transcript_is_the_size_of_all_messages() {
        let mut size = TranscriptSize::default();
        let mut transcript = Transcript::new();
        for length in [0, 398, 398] {
            transcript.push(Message::user("x".repeat(length)));
            let whole = TranscriptSize::default().tokens(&transcript);

            assert_eq!(size.tokens(&transcript), whole);
            assert!(whole.abs_diff(estimated_tokens(&transcript)) <= 1);
        }
    }
}
