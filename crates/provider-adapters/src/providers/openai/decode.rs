//! Decoder of complete responses.

use serde_json::{Value, json};

use crate::decoded::{Choice, RawArguments, ReceivedCall, read};
use crate::{DecodeError, Finish, Object, Reasoning};

/// Fields with reasoning text in responses of compatible servers.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// Fields with reasoning data that some of these servers require back unchanged.
const REASONING_DATA: [&str; 2] = ["reasoning_details", "reasoning_opaque"];

pub(crate) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    let mut choices: Vec<Choice> = read::by_index(response, "choices")
        .into_iter()
        .map(choice)
        .collect();
    let error = read::error(response);
    match (choices.first_mut(), error) {
        (Some(first), error) => {
            first.error = first.error.take().or(error);
            Ok(choices)
        }
        (None, Some(error)) => Ok(vec![read::failed(error)]),
        (None, None) => Err(DecodeError::NoAnswer("choices")),
    }
}

fn choice(choice: &Object) -> Choice {
    let empty = Object::new();
    let message = read::object(choice, "message").unwrap_or(&empty);
    let refusal = read::text(message, "refusal");
    let content = content(message.get("content"));
    let finish_raw = read::optional_text(choice, "finish_reason");
    let refused = content.is_empty() && !refusal.is_empty();
    let mut calls: Vec<ReceivedCall> = read::objects(message, "tool_calls").map(call).collect();
    // The deprecated form of a single call. It counts only if the message has none in `tool_calls`.
    if let (true, Some(Value::Object(legacy))) = (calls.is_empty(), message.get("function_call")) {
        calls.push(function(None, legacy));
    }
    Choice {
        text: if refused { refusal.to_owned() } else { content },
        reasoning: reasoning(message).into_iter().collect(),
        finish: match finish_raw.as_deref() {
            // A refusal ends with `stop` like an answer, so only the content tells them apart.
            Some("stop") if refused && calls.is_empty() => Finish::Filtered,
            reason => finish(reason),
        },
        calls,
        finish_raw,
        error: read::error(choice),
        ..Choice::default()
    }
}

/// Returns the reasoning of a message, with the data that must be sent back to the server.
fn reasoning(message: &Object) -> Option<Reasoning> {
    let kept = |key: &&str| Some(((*key).to_owned(), message.get(*key)?.clone()));
    let data: Object = REASONING_DATA
        .iter()
        .filter_map(kept)
        .filter(|(_, value)| !value.is_null())
        .collect();
    // Servers disagree about the name, and some send the same text under two of them.
    let texts = REASONING.iter().map(|key| read::text(message, key));
    let text = match texts.into_iter().find(|text| !text.is_empty()) {
        Some(text) => text.to_owned(),
        None => read::objects(message, "reasoning_details")
            .map(|detail| [read::text(detail, "text"), read::text(detail, "summary")].concat())
            .collect(),
    };
    let data = (!data.is_empty()).then_some(Value::Object(data));
    (!text.is_empty() || data.is_some()).then(|| Reasoning::new(text).with_provider_data(data))
}

pub(super) fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("stop") => Finish::Stop,
        Some("tool_calls" | "function_call") => Finish::Calls,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Filtered,
        Some("error") => Finish::Error,
        _ => Finish::Other,
    }
}

pub(crate) fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect(),
        _ => String::new(),
    }
}

pub(crate) fn call(call: &Object) -> ReceivedCall {
    let id = read::optional_text(call, "id");
    match (call.get("custom"), call.get("function")) {
        (Some(Value::Object(custom)), _) => ReceivedCall {
            id,
            name: read::text(custom, "name").to_owned(),
            // A custom call has free text. Store it under a key to make it an object.
            arguments: RawArguments::Value(json!({"input": read::text(custom, "input")})),
            provider_data: Some(json!({"type": "custom"})),
        },
        (_, Some(Value::Object(called))) => function(id, called),
        _ => function(id, call),
    }
}

/// Returns the call of a function.
pub(crate) fn function(id: Option<String>, function: &Object) -> ReceivedCall {
    ReceivedCall {
        id,
        name: read::text(function, "name").to_owned(),
        arguments: RawArguments::from_field(function.get("arguments")),
        provider_data: None,
    }
}
