//! State of a conversation: answered, with open calls, or paused by the provider.

use std::collections::{HashMap, HashSet};

use provider_adapters::{Message, Reasoning, Transcript};
use tool_core::{Registry, RiskLevel, ToolCall, ToolError, ToolResult};

use crate::ModelCall;

/// State of a conversation.
#[derive(Debug, PartialEq)]
pub(crate) enum Standing {
    /// The model returned a final answer.
    Answered(String),
    /// Calls without a result; if empty, the next turn starts.
    Open(Vec<ToolCall>),
    /// There is no user message.
    Silent,
}

/// Returns the state of a conversation, based on the messages after the last reply.
pub(crate) fn standing(transcript: &Transcript) -> Standing {
    let messages = transcript.messages();
    let following: Vec<&Message> = messages
        .iter()
        .rev()
        .take_while(|message| !matches!(message, Message::Assistant { .. }))
        .collect();
    let last = messages.iter().rev().nth(following.len());
    let Some(reply @ Message::Assistant { content, calls, .. }) = last else {
        let asked = following
            .iter()
            .any(|message| matches!(message, Message::User { .. }));
        return if asked {
            Standing::Open(Vec::new())
        } else {
            Standing::Silent
        };
    };
    if calls.is_empty() && following.is_empty() && !is_paused(reply) {
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
    // A call ID that occurs twice needs two results.
    let waits = |call: &&ToolCall| match answers.get_mut(call.id.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    calls.iter().filter(waits).cloned().collect()
}

/// Returns the call, or the error `outcome_unknown` if it may have run and is not safe to repeat.
///
/// `started` contains the IDs of calls that started; `None` if unknown.
pub(crate) fn resumed(
    call: ToolCall,
    started: Option<&HashSet<String>>,
    tools: &Registry,
) -> ModelCall {
    let has_not_run = started.is_some_and(|ids| !ids.contains(&call.id));
    // Fail closed: if it's unknown whether a call has run, repeating it could double its effect.
    if has_not_run || is_repeatable(&call, tools) {
        return call.into();
    }
    let error =
        ToolError::outcome_unknown("The run stopped during this call, so its outcome is unknown")
            .suggest("Check whether the call took effect before you repeat it.");
    let refusal = ToolResult::refused(&call.id, &call.name, error);
    ModelCall::from(call).refused(refusal)
}

/// Returns whether repeating the call is harmless. Calls of unknown tools never run.
fn is_repeatable(call: &ToolCall, tools: &Registry) -> bool {
    let call = tools.inner_call(call);
    tools.get(&call.name).is_none_or(|tool| {
        let definition = tool.definition();
        definition.risk() == RiskLevel::ReadOnly || definition.hints().idempotent
    })
}

/// Returns whether the provider paused this message.
pub(crate) fn is_paused(message: &Message) -> bool {
    matches!(message, Message::Assistant { reasoning, .. } if reasoning.iter().any(Reasoning::is_pause))
}

/// Returns the text of the paused messages that the last reply continues.
pub(crate) fn paused_text(transcript: &Transcript) -> String {
    let messages = transcript.messages();
    // The text of a paused reply continues in the next one, so all of them together are the answer.
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

#[cfg(test)]
mod tests {
    use provider_adapters::Reasoning;
    use serde_json::{Value, json};
    use tool_core::search::{CALL_TOOL, SearchOptions};
    use tool_core::{DynamicTool, ToolDefinition, ToolOutput};

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
    fn finds_calls_without_result() {
        let asked = json!({"role": "assistant", "calls": [call("a"), call("b"), call("a")]});
        let one = json!({"role": "tool", "results": [{"call_id": "a", "name": "f"}]});

        assert_eq!(standing_of(json!([asked])), open(&["a", "b", "a"]));
        assert_eq!(standing_of(json!([asked, one])), open(&["b", "a"]));
        assert_eq!(standing_of(json!([asked, one, one])), open(&["b"]));
    }

    #[test]
    fn distinguishes_conversation_states() {
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
        let paused = Message::Assistant {
            content: "The".into(),
            calls: Vec::new(),
            reasoning: vec![Reasoning::pause()],
            order: Vec::new(),
        };
        assert_eq!(standing_of(json!([user, paused])), open(&[]));
    }

    #[test]
    fn started_calls_are_repeated_if_the_inner_one_may_be() {
        let tools = Registry::new();
        for (name, risk) in [("look", RiskLevel::ReadOnly), ("pay", RiskLevel::Dangerous)] {
            let definition = ToolDefinition::new(name, "Works.", json!({"type": "object"}));
            let run = |_, _| async { Ok(ToolOutput::text("done")) };
            let tool = DynamicTool::new(definition.with_risk(risk), run);
            tools.register(tool).unwrap();
        }
        let options = SearchOptions::default().with_threshold(0, 0);
        let tools = tools.searchable(options).unwrap();
        for (name, is_repeated) in [("look", true), ("pay", false), (CALL_TOOL, false)] {
            let inner = json!({"name": name, "arguments": {}});
            let call = ToolCall::new(CALL_TOOL, inner).with_id("a");
            let started = HashSet::from(["a".to_owned()]);

            let resumed = resumed(call, Some(&started), &tools);

            assert_eq!(resumed.refusal.is_none(), is_repeated, "{name}");
        }
    }
}
