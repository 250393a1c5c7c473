//! Decoder of complete responses.

use serde_json::Value;

use crate::decoded::{Choice, ReceivedCall, StreamError, read};
use crate::providers::anthropic::mark_incomplete;
use crate::{DecodeError, Finish, Object, Reasoning};

pub(super) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    let message = response
        .get("output")
        .and_then(|output| output.get("message"))
        .and_then(Value::as_object);
    let Some(message) = message else {
        let error = read::error(response).or_else(|| exception(response));
        let error = error.ok_or(DecodeError::NoAnswer("output"))?;
        return Ok(vec![read::failed(error)]);
    };
    let finish_raw = read::optional_text(response, "stopReason");
    let mut choice = Choice {
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        ..Choice::default()
    };
    if choice.finish == Finish::Error {
        let word = choice.finish_raw.as_deref().unwrap_or("error");
        let message = "the model's output was malformed; retry the request";
        choice.error = Some(StreamError::new(word, message));
    }
    read::objects(message, "content").for_each(|block| take(&mut choice, block));
    // As for Anthropic, the service closes the JSON of a call that was truncated.
    if choice.finish == Finish::Length && ends_with_call(message) {
        mark_incomplete(&mut choice.calls);
    }
    Ok(vec![choice])
}

/// Returns an exception: under its name as in event streams, or as a body with a message.
pub(super) fn exception(response: &Object) -> Option<StreamError> {
    let named = response
        .iter()
        .find(|(name, value)| name.ends_with("Exception") && value.is_object());
    let (name, body) = match named {
        Some((name, Value::Object(body))) => (name.as_str(), body),
        _ => (read::text(response, "__type"), response),
    };
    let message = ["message", "Message"]
        .into_iter()
        .find_map(|key| body.get(key).and_then(Value::as_str));
    // The type of an AWS error may have a namespace, as in `com.amazon.coral.service#ThrottlingException`.
    let code = match name.rsplit('#').next() {
        Some(name) if !name.is_empty() => name,
        _ => "error",
    };
    match (message, named) {
        (None, None) => None,
        (message, _) => Some(StreamError::new(code, message.unwrap_or_default())),
    }
}

fn ends_with_call(message: &Object) -> bool {
    let last = read::objects(message, "content").last();
    let call = last.and_then(|block| read::object(block, "toolUse"));
    call.is_some_and(|call| !is_of_server(call))
}

/// Key of a block that is sent back unchanged.
pub(super) const BLOCK: &str = "bedrock_block";

/// Key of reasoning.
pub(super) const REASONING: &str = "reasoningContent";

/// Key of a text with citations.
pub(super) const CITED: &str = "citationsContent";

/// Adds one block, which has exactly one member. Calls that the service runs itself, their results and blocks of
/// unknown kinds are sent back like reasoning.
fn take(choice: &mut Choice, block: &Object) {
    let of_kind = |key: &str| read::object(block, key);
    if let Some(call) = of_kind("toolUse").filter(|call| !is_of_server(call)) {
        choice.push_call(ReceivedCall::read(call, "toolUseId", "input"));
    } else if let Some(content) = of_kind(REASONING) {
        let words = read::object(content, "reasoningText");
        let words = words.map_or("", |words| read::text(words, "text"));
        let data = Value::Object(block.clone());
        let reasoning = Reasoning::new(words).with_provider_data(Some(data));
        choice.push_reasoning(reasoning);
    } else if let Some(cited) = of_kind(CITED) {
        let text: String = read::objects(cited, "content")
            .map(|part| read::text(part, "text"))
            .collect();
        choice.push_text_part(&text, Some(block.clone().into()));
    } else if block.contains_key("text") {
        choice.push_text(read::text(block, "text"));
    } else if !block.is_empty() {
        choice.push_reasoning(Reasoning::kept(BLOCK, block));
    }
}

/// Returns whether the service runs the call itself.
pub(super) fn is_of_server(call: &Object) -> bool {
    read::text(call, "type") == "server_tool_use"
}

pub(super) fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("tool_use") => Finish::Calls,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("guardrail_intervened" | "content_filtered") => Finish::Filtered,
        Some("malformed_model_output" | "malformed_tool_use") => Finish::Error,
        _ => Finish::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::ErrorCode;

    use crate::{Provider, decode};

    use super::*;

    #[test]
    fn decodes_exceptions_in_all_formats() {
        for (response, code, message) in [
            (
                json!({"throttlingException": {"message": "slow down"}}),
                "throttlingException",
                "slow down",
            ),
            (
                json!({"__type": "com.amazon#ValidationException", "message": "no"}),
                "ValidationException",
                "no",
            ),
            (json!({"Message": "gone"}), "error", "gone"),
            (
                json!({"modelStreamErrorException": {}}),
                "modelStreamErrorException",
                "",
            ),
        ] {
            let decoded = decode(Provider::Bedrock, &response, None).unwrap();

            assert_eq!(decoded.stream_error, Some(StreamError::new(code, message)));
        }
        assert_eq!(
            decode(Provider::Bedrock, &json!({"choices": []}), None),
            Err(DecodeError::NoAnswer("output"))
        );
    }

    #[test]
    fn truncates_last_call_at_token_limit() {
        let content =
            json!([{"toolUse": {"toolUseId": "a", "name": "f", "input": {"path": "/tm"}}}]);
        let response =
            json!({"output": {"message": {"content": content}}, "stopReason": "max_tokens"});

        let decoded = decode(Provider::Bedrock, &response, None).unwrap();

        assert_eq!(decoded.calls[0].error, Some(ErrorCode::TruncatedArguments));
    }
}
