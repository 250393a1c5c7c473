//! Messages in spans, in the format of the OpenTelemetry conventions for generative AI.

use provider_adapters::{Content, Finish, Message, ToolMessage};
use serde_json::{Value, json};
use tool_core::{CallArguments, Redactor, ToolCall};

use crate::{ModelReply, ModelRequest};

/// Maximum bytes of the messages in one field. Older messages are omitted.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the latest messages of a request as JSON, without secrets.
pub(crate) fn input(request: &ModelRequest<'_>, redactor: Option<&Redactor>) -> String {
    let mut kept = Vec::new();
    let mut bytes = 0_usize;
    // From the end, so that the limit omits the oldest messages.
    for message in request.transcript.messages().iter().rev() {
        let mut message = message_of(message);
        if let Some(redactor) = redactor {
            redactor.scrub_value(&mut message);
        }
        let text = message.to_string();
        bytes = bytes.saturating_add(text.len());
        if bytes > MAX_BYTES {
            break;
        }
        kept.push(text);
    }
    kept.reverse();
    format!("[{}]", kept.join(","))
}

/// Returns a reply as JSON without secrets, or `None` if it exceeds the limit.
pub(crate) fn output(reply: &ModelReply, redactor: Option<&Redactor>) -> Option<String> {
    let calls = reply.calls.iter().map(|call| call_part(&call.call));
    let parts: Vec<Value> = text_part(&reply.text).into_iter().chain(calls).collect();
    let reason = finish_reason(reply.finish);
    let mut messages = json!([{"role": "assistant", "parts": parts, "finish_reason": reason}]);
    if let Some(redactor) = redactor {
        redactor.scrub_value(&mut messages);
    }
    let text = messages.to_string();
    (text.len() <= MAX_BYTES).then_some(text)
}

fn message_of(message: &Message) -> Value {
    let text = |content: &Content| text_part(&content.to_text()).into_iter();
    let (role, parts): (&str, Vec<Value>) = match message {
        Message::System { content } => ("system", text(content).collect()),
        Message::User { content } => ("user", text(content).collect()),
        Message::Assistant { content, calls, .. } => {
            let calls = calls.iter().map(call_part);
            ("assistant", text(content).chain(calls).collect())
        }
        Message::Tool { results } => {
            let part = |result: &ToolMessage| {
                let response = result.content.to_text();
                json!({"type": "tool_call_response", "id": result.call_id, "response": response})
            };
            ("tool", results.iter().map(part).collect())
        }
        _ => ("user", Vec::new()),
    };
    json!({"role": role, "parts": parts})
}

fn text_part(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"type": "text", "content": text}))
}

fn call_part(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        CallArguments::Value(value) => value.clone(),
        CallArguments::Text(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
    };
    json!({"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments})
}

fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Calls => "tool_call",
        Finish::Length => "length",
        Finish::Filtered => "content_filter",
        Finish::Error => "error",
        _ => "stop",
    }
}
