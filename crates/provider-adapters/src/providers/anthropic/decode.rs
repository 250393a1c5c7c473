//! Decoder of complete responses.

use serde_json::Value;

use crate::decoded::{Choice, RawArguments, ReceivedCall, read};
use crate::{DecodeError, Finish, MessagePart, Object, Reasoning};

/// Kind of a call that the provider runs itself.
pub(super) const SERVER_CALL: &str = "server_tool_use";

/// Key of a block of unknown kind.
pub(super) const BLOCK: &str = "anthropic_block";

/// Key of the citations of text.
pub(super) const CITATIONS: &str = "citations";

pub(crate) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(response) {
        return Ok(vec![read::failed(error)]);
    }
    let content = response
        .get("content")
        .ok_or(DecodeError::NoAnswer("content"))?;
    let finish_raw = read::optional_text(response, "stop_reason");
    let mut choice = Choice {
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        ..Choice::default()
    };
    match content {
        Value::String(text) => choice.text.clone_from(text),
        _ => read::objects(response, "content").for_each(|block| take(&mut choice, block)),
    }
    // The API closes the JSON of a call that was truncated, so its input parses and is still incomplete.
    if choice.finish == Finish::Length && ends_with_call(content) {
        mark_incomplete(&mut choice.calls);
    }
    Ok(vec![choice])
}

fn ends_with_call(content: &Value) -> bool {
    let last = content.as_array().and_then(|blocks| blocks.last());
    last.is_some_and(|block| block.get("type") == Some(&"tool_use".into()))
}

/// Marks the last call as possibly truncated. At the token limit, its input is valid JSON that may
/// be incomplete.
pub(crate) fn mark_incomplete(calls: &mut [ReceivedCall]) {
    let Some(last) = calls.last_mut() else {
        return;
    };
    // Streams store the input as text.
    if matches!(
        last.arguments,
        RawArguments::Value(_) | RawArguments::Text(_)
    ) {
        let input = std::mem::replace(&mut last.arguments, RawArguments::Value(Value::Null));
        last.arguments = RawArguments::Incomplete(input.into_text());
    }
}

/// Adds one block. Calls that the provider runs itself, their results and blocks of unknown kinds are sent back like
/// reasoning.
fn take(choice: &mut Choice, block: &Object) {
    let keep = |text| Reasoning::new(text).with_provider_data(Some(block.clone().into()));
    match read::text(block, "type") {
        "text" => match block.get(CITATIONS).filter(|list| is_filled(list)) {
            // The citations of a web search belong to the text, and the API requires them back.
            Some(list) => {
                let data = crate::wire::member(CITATIONS, list.clone());
                choice.push_text_part(read::text(block, "text"), Some(data.into()));
            }
            None => choice.push_text(read::text(block, "text")),
        },
        "thinking" => choice.push_reasoning(keep(read::text(block, "thinking"))),
        "tool_use" => choice.push_call(ReceivedCall::read(block, "id", "input")),
        kind if kind == "redacted_thinking" || is_of_server(kind) => {
            choice.push_reasoning(keep(""));
        }
        // Anthropic adds kinds of blocks within a version, and requires them back.
        _ => choice.push_reasoning(Reasoning::kept(BLOCK, block)),
    }
}

fn is_filled(list: &Value) -> bool {
    list.as_array().is_some_and(|items| !items.is_empty())
}

/// Returns whether a block is a call that the provider runs itself, or its result.
pub(super) fn is_of_server(kind: &str) -> bool {
    kind == SERVER_CALL || kind != "tool_result" && kind.ends_with("_tool_result")
}

/// Returns the order of a message that stores none: reasoning, the text, then the calls. A call that the provider runs
/// itself and that has no result yet comes after the text, because the provider continues a paused message there.
pub(crate) fn usual_order(reasoning: &[Reasoning], text: &str, calls: usize) -> Vec<MessagePart> {
    let is_open = |reasoning: &&Reasoning| {
        let data = reasoning.provider_data.as_ref();
        data.is_some_and(|data| data.get("type") == Some(&SERVER_CALL.into()))
    };
    let open = reasoning.iter().rev().take_while(is_open).count();
    let mut order = vec![MessagePart::Reasoning; reasoning.len() - open];
    if !text.is_empty() {
        order.push(MessagePart::Text {
            bytes: text.len(),
            provider_data: None,
        });
    }
    order.extend(vec![MessagePart::Reasoning; open]);
    order.extend(vec![MessagePart::Call; calls]);
    order
}

pub(super) fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("tool_use") => Finish::Calls,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => Finish::Filtered,
        // A long turn with tools of the provider. It continues if the message is sent back.
        Some("pause_turn") => Finish::Paused,
        _ => Finish::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::ErrorCode;

    use crate::{Provider, decode};

    #[test]
    fn truncates_last_call_at_token_limit() {
        let call = json!({"type": "tool_use", "id": "a", "name": "f", "input": {"path": "/tm"}});
        let text = json!({"type": "text", "text": "and"});
        for (content, error) in [
            (json!([call]), Some(ErrorCode::TruncatedArguments)),
            (json!([call, text]), None),
        ] {
            let response = json!({"content": content, "stop_reason": "max_tokens"});

            let decoded = decode(Provider::Anthropic, &response, None).unwrap();

            assert_eq!(decoded.calls[0].error, error);
            assert_eq!(decoded.calls[0].raw, "{\"path\":\"/tm\"}");
        }
    }
}
