//! Decoder of complete responses.

use serde_json::{Value, json};

use super::{FIELDS, ITEM, ITEM_ID, PHASE};
use crate::decoded::{Choice, RawArguments, ReceivedCall, StreamError, read};
use crate::{DecodeError, Finish, Object, Reasoning};

/// Fields of a call that are decoded, or created again when it is sent back.
const READ: [&str; 7] = [
    "arguments",
    "call_id",
    "id",
    "input",
    "name",
    "status",
    "type",
];

pub(super) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
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
        is_truncated: is_truncated(response),
        ..Choice::default()
    };
    read::objects(response, "output").for_each(|item| add_item(&mut choice, item));
    let message = if choice.is_truncated {
        "the response is incomplete for an unknown reason"
    } else {
        "the response failed without a message"
    };
    let failed = || StreamError::new("failed", message);
    choice.error = match finish {
        Finish::Error => error.or_else(|| Some(failed())),
        _ => error,
    };
    Ok(vec![choice])
}

/// Returns the finish reason, and the provider's name for it.
pub(super) fn finish(response: &Object) -> (Finish, Option<String>) {
    let status = read::optional_text(response, "status");
    let details = read::object(response, "incomplete_details");
    let reason = details.and_then(|details| read::optional_text(details, "reason"));
    match status.as_deref() {
        Some("completed") => (Finish::Stop, status),
        Some("failed") => (Finish::Error, status),
        Some("incomplete") => {
            let finish = match reason.as_deref() {
                Some("max_output_tokens") => Finish::Length,
                Some("content_filter") => Finish::Filtered,
                // Without a known reason, the text may be half an answer.
                _ => Finish::Error,
            };
            (finish, reason.or(status))
        }
        _ => (Finish::Other, status),
    }
}

/// Returns `true` if the response is incomplete.
fn is_truncated(response: &Object) -> bool {
    matches!(
        read::text(response, "status"),
        "incomplete" | "cancelled" | "in_progress" | "queued"
    )
}

/// Adds one item. Items other than messages and calls are kept to be sent back unchanged.
pub(super) fn add_item(choice: &mut Choice, item: &Object) {
    match read::text(item, "type") {
        "message" => add_message(choice, item),
        "function_call" => choice.push_call(ReceivedCall {
            id: read::optional_text(item, "call_id"),
            name: read::text(item, "name").to_owned(),
            arguments: arguments(item),
            provider_data: undecoded_fields(item, None),
        }),
        "custom_tool_call" => choice.push_call(ReceivedCall {
            id: read::optional_text(item, "call_id"),
            name: read::text(item, "name").to_owned(),
            // A custom call has free text. Store it under a key to make it an object.
            arguments: RawArguments::Value(json!({"input": read::text(item, "input")})),
            provider_data: undecoded_fields(item, Some("custom")),
        }),
        // Reasoning and calls of the provider's own tools must come back with the calls if the provider stores nothing.
        _ => keep(choice, item),
    }
}

fn unread_members(item: &Object) -> Option<Object> {
    let mut fields = item.clone();
    fields.retain(|key, value| !READ.contains(&key.as_str()) && !value.is_null());
    (!fields.is_empty()).then_some(fields)
}

/// Returns the arguments, marked as possibly truncated if the item is incomplete.
fn arguments(item: &Object) -> RawArguments {
    match RawArguments::from_field(item.get("arguments")) {
        RawArguments::Text(text) if read::text(item, "status") == "incomplete" => {
            RawArguments::Truncated(text)
        }
        sent => sent,
    }
}

/// Returns the fields of a call that are not decoded. The item id is kept for reference but not
/// sent back, because it is valid only if the provider stores responses.
fn undecoded_fields(item: &Object, kind: Option<&str>) -> Option<Value> {
    let mut data = Object::new();
    data.extend(kind.map(|kind| ("type".to_owned(), kind.into())));
    let id = read::text(item, "id");
    if !id.is_empty() {
        data.insert(ITEM_ID.to_owned(), id.into());
    }
    let fields = unread_members(item).map(|fields| (FIELDS.to_owned(), fields.into()));
    data.extend(fields);
    (!data.is_empty()).then_some(Value::Object(data))
}

fn add_message(choice: &mut Choice, item: &Object) {
    let mut refused = false;
    let mut text = read::text(item, "content").to_owned();
    for part in read::objects(item, "content") {
        let refusal = read::text(part, "refusal");
        refused |= !refusal.is_empty();
        text.push_str(read::text(part, "text"));
        text.push_str(refusal);
    }
    let phase = item.get(PHASE).filter(|phase| phase.is_string());
    let data = phase.map(|phase| crate::wire::member(PHASE, phase.clone()).into());
    choice.push_text_part(&text, data);
    // A response with a refusal has the status `completed`, so only the content tells.
    if refused && choice.finish == Finish::Stop {
        choice.finish = Finish::Filtered;
    }
}

/// Keeps an item with its text.
fn keep(choice: &mut Choice, item: &Object) {
    let streamed_text = read::objects(item, "summary").chain(read::objects(item, "content"));
    let streamed_text: Vec<&str> = match read::text(item, "type") {
        "reasoning" => streamed_text.map(|part| read::text(part, "text")).collect(),
        _ => Vec::new(),
    };
    let reasoning = Reasoning {
        text: streamed_text.join("\n"),
        ..Reasoning::kept(ITEM, item)
    };
    choice.push_reasoning(reasoning);
}

#[cfg(test)]
mod tests {
    use tool_core::ErrorCode;

    use crate::{Provider, decode};

    use super::*;

    #[test]
    fn reads_finish_reason_from_status_and_details() {
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
                Finish::Error,
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
    fn truncates_calls_of_incomplete_responses() {
        let cut = || Some(ErrorCode::TruncatedArguments);
        let call = |arguments: &str| json!({"type": "function_call", "call_id": "c1", "name": "f", "arguments": arguments});
        for (ended, arguments, finish, error) in [
            (
                json!({"status": "incomplete", "incomplete_details": {"reason": "x"}}),
                "{\"k\":",
                Finish::Error,
                cut(),
            ),
            (json!({"status": "incomplete"}), "{}", Finish::Error, cut()),
            (
                json!({"status": "cancelled"}),
                "{\"k\":",
                Finish::Other,
                cut(),
            ),
            (
                json!({"status": "in_progress"}),
                "{\"k\":1}",
                Finish::Other,
                None,
            ),
            (
                json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}),
                "{\"k\":",
                Finish::Filtered,
                cut(),
            ),
            (
                json!({"status": "completed"}),
                "{\"k\":1}",
                Finish::Calls,
                None,
            ),
        ] {
            let mut response = ended.clone();
            response["output"] = json!([call(arguments)]);

            let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

            assert_eq!(
                (decoded.finish, decoded.calls[0].error.clone()),
                (finish, error),
                "{ended}"
            );
        }
    }

    #[test]
    fn truncates_calls_of_incomplete_items() {
        let item = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"k\":", "status": "incomplete"});
        let response = json!({"status": "completed", "output": [item]});

        let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

        assert_eq!(decoded.calls[0].error, Some(ErrorCode::TruncatedArguments));
    }

    #[test]
    fn refusal_finishes_as_filtered() {
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
