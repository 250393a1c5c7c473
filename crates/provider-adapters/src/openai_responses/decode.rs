//! Calls in, from a whole response.

use serde_json::{Map, Value, json};

use super::{AFTER, FIELDS, ITEM};
use crate::decoded::{Arrival, Choice, Sent, StreamError, TokenPlaces, read};
use crate::{DecodeError, Finish, Reasoning};

/// The fields of a call that are read, or made anew when it goes back.
const READ: [&str; 7] = [
    "arguments",
    "call_id",
    "id",
    "input",
    "name",
    "status",
    "type",
];

/// Where the provider tells its tokens.
const TOKENS: TokenPlaces = TokenPlaces {
    input: &["/input_tokens"],
    output: &["/output_tokens"],
    total: &[],
    cached: &["/input_tokens_details/cached_tokens"],
    reasoning: &["/output_tokens_details/reasoning_tokens"],
};

pub(super) fn decode(response: &Map<String, Value>) -> Result<Vec<Choice>, DecodeError> {
    let error = read::error(response);
    if !response.contains_key("output") {
        return match error {
            Some(error) => Ok(vec![read::failed(error)]),
            None => Err(DecodeError::NoAnswer("output")),
        };
    }
    let (finish, finish_raw) = finish(response);
    let mut choice = Choice {
        finish,
        finish_raw,
        usage: read::usage(response.get("usage"), &TOKENS),
        ..Choice::default()
    };
    read::objects(response, "output").for_each(|item| take_item(&mut choice, item));
    let failed = || StreamError::new("failed", "the response failed without a message");
    choice.error = match finish {
        Finish::Error => error.or_else(|| Some(failed())),
        _ => error,
    };
    Ok(vec![choice])
}

/// Why the model stopped, and the word for it.
pub(super) fn finish(response: &Map<String, Value>) -> (Finish, Option<String>) {
    let status = read::optional_text(response, "status");
    let details = response
        .get("incomplete_details")
        .and_then(Value::as_object);
    let reason = details.and_then(|details| read::optional_text(details, "reason"));
    match status.as_deref() {
        Some("completed") => (Finish::Stop, status),
        Some("failed") => (Finish::Error, status),
        Some("incomplete") => {
            let finish = match reason.as_deref() {
                Some("max_output_tokens") => Finish::Length,
                Some("content_filter") => Finish::Filtered,
                _ => Finish::Other,
            };
            (finish, reason.or(status))
        }
        _ => (Finish::Other, status),
    }
}

/// Takes one item. What is neither words nor a call goes back as it is.
pub(super) fn take_item(choice: &mut Choice, item: &Map<String, Value>) {
    match read::text(item, "type") {
        "message" => take_message(choice, item),
        "function_call" => choice.calls.push(Arrival {
            id: read::optional_text(item, "call_id"),
            name: read::text(item, "name").to_owned(),
            arguments: Sent::from_field(item.get("arguments")),
            provider_data: unread(item).map(|fields| json!({FIELDS: fields})),
        }),
        "custom_tool_call" => choice.calls.push(Arrival {
            id: read::optional_text(item, "call_id"),
            name: read::text(item, "name").to_owned(),
            // A custom call has free text; under one key it is an object like any other.
            arguments: Sent::Value(json!({"input": read::text(item, "input")})),
            provider_data: Some(custom(unread(item))),
        }),
        _ => keep(choice, item),
    }
}

fn unread(item: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut fields = item.clone();
    fields.retain(|key, value| !READ.contains(&key.as_str()) && !value.is_null());
    (!fields.is_empty()).then_some(fields)
}

fn custom(fields: Option<Map<String, Value>>) -> Value {
    match fields {
        Some(fields) => json!({"type": "custom", FIELDS: fields}),
        None => json!({"type": "custom"}),
    }
}

fn take_message(choice: &mut Choice, item: &Map<String, Value>) {
    let mut refused = false;
    for part in read::objects(item, "content") {
        let refusal = read::text(part, "refusal");
        refused |= !refusal.is_empty();
        choice.text.push_str(read::text(part, "text"));
        choice.text.push_str(refusal);
    }
    if let Some(Value::String(text)) = item.get("content") {
        choice.text.push_str(text);
    }
    if refused && choice.finish == Finish::Stop {
        choice.finish = Finish::Filtered;
    }
}

/// Keeps an item with the words in it, and its place among the calls.
fn keep(choice: &mut Choice, item: &Map<String, Value>) {
    let words = read::objects(item, "summary").chain(read::objects(item, "content"));
    let words: Vec<&str> = match read::text(item, "type") {
        "reasoning" => words.map(|part| read::text(part, "text")).collect(),
        _ => Vec::new(),
    };
    let mut data = json!({ITEM: item});
    if let (Value::Object(data), after @ 1..) = (&mut data, choice.calls.len()) {
        data.insert(AFTER.to_owned(), after.into());
    }
    let reasoning = Reasoning::new(words.join("\n"));
    choice
        .reasoning
        .push(reasoning.with_provider_data(Some(data)));
}

#[cfg(test)]
mod tests {
    use crate::{Provider, decode};

    use super::*;

    #[test]
    fn why_a_response_ended_is_read_from_its_status_and_the_details() {
        for (ended, finish, raw) in [
            (
                json!({"status": "completed"}),
                Finish::Stop,
                Some("completed"),
            ),
            (json!({"status": "failed"}), Finish::Error, Some("failed")),
            (
                json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
                Finish::Length,
                Some("max_output_tokens"),
            ),
            (
                json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}),
                Finish::Filtered,
                Some("content_filter"),
            ),
            (
                json!({"status": "incomplete", "incomplete_details": null}),
                Finish::Other,
                Some("incomplete"),
            ),
            (json!({}), Finish::Other, None),
        ] {
            let mut response = ended.clone();
            response["output"] = json!([]);

            let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

            assert_eq!(
                (decoded.finish, decoded.finish_raw.as_deref()),
                (finish, raw),
                "{ended}"
            );
        }
    }

    #[test]
    fn a_refusal_is_no_stop() {
        let part = json!({"type": "refusal", "refusal": "I cannot."});
        let response =
            json!({"status": "completed", "output": [{"type": "message", "content": [part]}]});

        let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

        assert_eq!(
            (decoded.text.as_str(), decoded.finish),
            ("I cannot.", Finish::Filtered)
        );
    }
}
