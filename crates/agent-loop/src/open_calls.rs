//! The calls of a conversation that wait for their answers.

use std::collections::HashMap;

use provider_adapters::{Message, Transcript};
use tool_core::ToolCall;

/// Where a conversation stands.
#[derive(Debug, PartialEq)]
pub(crate) enum Standing {
    /// The model said its last word.
    Answered(String),
    /// These calls of the model wait for their answers; without any, it is the model's turn.
    Open(Vec<ToolCall>),
    /// Nobody asked anything.
    Silent,
}

/// Says where a conversation stands: what came after the model's last words, and what did not.
pub(crate) fn standing(transcript: &Transcript) -> Standing {
    let messages = transcript.messages();
    let after_model = |message: &Message| !matches!(message, Message::Assistant { .. });
    let following: Vec<&Message> = messages
        .iter()
        .rev()
        .take_while(|message| after_model(message))
        .collect();
    let last = messages.iter().rev().nth(following.len());
    let Some(Message::Assistant { content, calls, .. }) = last else {
        let asked = following
            .iter()
            .any(|message| matches!(message, Message::User { .. }));
        return if asked {
            Standing::Open(Vec::new())
        } else {
            Standing::Silent
        };
    };
    if calls.is_empty() && following.is_empty() {
        return Standing::Answered(content.to_text());
    }
    Standing::Open(unanswered(calls, &following))
}

fn unanswered(calls: &[ToolCall], following: &[&Message]) -> Vec<ToolCall> {
    let mut answers: HashMap<&str, usize> = HashMap::new();
    for message in following {
        if let Message::Tool { results } = message {
            for answer in results {
                *answers.entry(answer.call_id.as_str()).or_default() += 1;
            }
        }
    }
    // An id that the model used twice needs two answers.
    let waits = |call: &&ToolCall| match answers.get_mut(call.id.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    calls.iter().filter(waits).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn standing_of(messages: Value) -> Standing {
        standing(&serde_json::from_value(messages).unwrap())
    }

    fn call(id: &str) -> Value {
        json!({"id": id, "name": "f", "arguments": {}})
    }

    fn open(ids: &[&str]) -> Standing {
        let calls = ids
            .iter()
            .map(|id| ToolCall::new("f", json!({})).with_id(*id));
        Standing::Open(calls.collect())
    }

    #[test]
    fn a_call_without_an_answer_is_open() {
        let asked = json!({"role": "assistant", "calls": [call("a"), call("b"), call("a")]});
        let one = json!({"role": "tool", "results": [{"call_id": "a", "name": "f"}]});

        assert_eq!(standing_of(json!([asked])), open(&["a", "b", "a"]));
        assert_eq!(standing_of(json!([asked, one])), open(&["b", "a"]));
        assert_eq!(standing_of(json!([asked, one, one])), open(&["b"]));
    }

    #[test]
    fn a_conversation_is_answered_silent_or_the_models_turn() {
        let system = json!({"role": "system", "content": "Be brief."});
        let user = json!({"role": "user", "content": "Hi"});
        let answer = json!({"role": "assistant", "content": "Hello."});

        assert_eq!(standing_of(json!([])), Standing::Silent);
        assert_eq!(standing_of(json!([system])), Standing::Silent);
        assert_eq!(standing_of(json!([system, user])), open(&[]));
        assert_eq!(
            standing_of(json!([user, answer])),
            Standing::Answered("Hello.".into())
        );
        assert_eq!(standing_of(json!([user, answer, user])), open(&[]));
    }
}
