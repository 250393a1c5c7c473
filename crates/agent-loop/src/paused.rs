//! Replies that the provider paused.

use provider_adapters::{Message, Reasoning, Transcript};

/// Returns whether the provider paused this message.
pub(crate) fn is_paused(message: &Message) -> bool {
    matches!(message, Message::Assistant { reasoning, .. } if reasoning.iter().any(Reasoning::is_pause))
}

/// Returns the text of the paused messages that the last reply continues.
pub(crate) fn paused_text(transcript: &Transcript) -> String {
    let messages = transcript.messages();
    let is_final = messages.last().is_some_and(|last| !is_paused(last));
    let before = messages.iter().rev().skip(usize::from(is_final));
    let mut parts: Vec<String> = before
        .take_while(|message| is_paused(message))
        .map(|message| match message {
            Message::Assistant { content, .. } => content.to_text(),
            _ => String::new(),
        })
        .collect();
    parts.reverse();
    parts.concat()
}
