//! Decoder of complete responses.

use serde_json::{Value, json};

use crate::decoded::{Choice, RawArguments, ReceivedCall, read};
use crate::{DecodeError, Finish, Object, Reasoning};

/// Fields with reasoning text in responses of compatible servers.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// Key of the name of the field that contained the text of the reasoning. Servers that send the field require it back.
pub(super) const REASONING_FIELD: &str = "reasoning_field";

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

fn choice(given: &Object) -> Choice {
    let empty = Object::new();
    let message = read::object(given, "message").unwrap_or(&empty);
    let finish_raw = read::optional_text(given, "finish_reason");
    let mut choice = Choice {
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        error: read::error(given),
        ..Choice::default()
    };
    if let Some(reasoning) = reasoning(message) {
        choice.push_reasoning(reasoning);
    }
    take_content(&mut choice, message);
    let refusal = read::text(message, "refusal");
    let is_refused = choice.text.is_empty() && !refusal.is_empty();
    if is_refused {
        choice.push_text(refusal);
    }
    read::objects(message, "tool_calls").for_each(|given| choice.push_call(call(given)));
    // The deprecated form of a single call. It counts only if the message has none in `tool_calls`.
    if let (true, Some(legacy)) = (
        choice.calls.is_empty(),
        read::object(message, "function_call"),
    ) {
        choice.push_call(function(None, legacy));
    }
    // A refusal ends with `stop` like an answer, so only the content tells them apart.
    if is_refused && choice.calls.is_empty() && choice.finish == Finish::Stop {
        choice.finish = Finish::Filtered;
    }
    choice
}

/// Key of a chunk that is sent back unchanged.
pub(crate) const CHUNK: &str = "mistral_chunk";

/// Adds the content of a message, which has chunks at Mistral: text, reasoning, references and kinds that are added later.
fn take_content(choice: &mut Choice, message: &Object) {
    choice.push_text(read::text(message, "content"));
    for chunk in read::objects(message, "content") {
        match read::text(chunk, "type") {
            "thinking" => {
                let words = read::objects(chunk, "thinking").map(|part| read::text(part, "text"));
                let thought = Reasoning::new(words.collect::<String>());
                choice.push_reasoning(thought.with_provider_data(Some(chunk.clone().into())));
            }
            _ if chunk.contains_key("text") => choice.push_text(read::text(chunk, "text")),
            _ => choice.push_reasoning(Reasoning::kept(CHUNK, chunk)),
        }
    }
}

/// Returns the reasoning of a message, with the data that must be sent back to the server.
fn reasoning(message: &Object) -> Option<Reasoning> {
    let kept = |key: &&str| Some(((*key).to_owned(), message.get(*key)?.clone()));
    let mut data: Object = REASONING_DATA
        .iter()
        .filter_map(kept)
        .filter(|(_, value)| !value.is_null())
        .collect();
    // Servers disagree about the name, and some send the same text under two of them. An empty text counts only if no
    // field has more, and is kept, because a server may require it back.
    let sent = |key: &&&str| message.get(**key).is_some_and(Value::is_string);
    let filled = |key: &&&str| !read::text(message, key).is_empty();
    let field = REASONING
        .iter()
        .find(filled)
        .or(REASONING.iter().find(sent));
    let text = match field.map(|key| read::text(message, key)) {
        Some(text) if !text.is_empty() => text.to_owned(),
        _ => read::objects(message, "reasoning_details")
            .map(|detail| [read::text(detail, "text"), read::text(detail, "summary")].concat())
            .collect(),
    };
    data.extend(field.map(|key| (REASONING_FIELD.to_owned(), (*key).into())));
    (!data.is_empty()).then(|| Reasoning::new(text).with_provider_data(Some(data.into())))
}

/// Returns the meaning of a reason. Gateways pass on the words of the server behind them, in either case.
pub(super) fn finish(reason: Option<&str>) -> Finish {
    let Some(reason) = reason else {
        return Finish::Other;
    };
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "eos" | "eos_token" | "stop_sequence" | "end_turn" | "complete" => Finish::Stop,
        "tool_calls" | "tool_call" | "tool_use" | "function_call" => Finish::Calls,
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => Finish::Length,
        "content_filter" | "content_filtered" | "refusal" | "safety" => Finish::Filtered,
        "error" => Finish::Error,
        _ => Finish::Other,
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
