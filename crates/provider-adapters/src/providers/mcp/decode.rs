//! Decoder of a client's request or the result of sampling.

use serde_json::Value;

use crate::decoded::{Choice, RawArguments, ReceivedCall, read};
use crate::{DecodeError, Finish, Object};

pub(super) fn decode(message: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(message) {
        return Ok(vec![read::failed(error)]);
    }
    let inner = ["params", "result"]
        .into_iter()
        .find_map(|key| read::object(message, key));
    let body = inner.unwrap_or(message);
    if let (None, Some(Value::String(name))) = (body.get("content"), body.get("name")) {
        return Ok(vec![request(message, name, body.get("arguments"))]);
    }
    let content = body
        .get("content")
        .ok_or(DecodeError::NoAnswer("content"))?;
    Ok(vec![sampled(body, content)])
}

/// Returns the call of a `tools/call` request, with the id of the request.
fn request(message: &Object, name: &str, arguments: Option<&Value>) -> Choice {
    let id = match message.get("id") {
        Some(Value::String(id)) => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    Choice {
        calls: vec![ReceivedCall {
            id,
            name: name.to_owned(),
            arguments: RawArguments::from_field(arguments),
            provider_data: None,
        }],
        finish: Finish::Calls,
        finish_raw: read::optional_text(message, "method"),
        ..Choice::default()
    }
}

fn sampled(result: &Object, content: &Value) -> Choice {
    let finish_raw = read::optional_text(result, "stopReason");
    let mut choice = Choice {
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        ..Choice::default()
    };
    match content {
        Value::Object(block) => take(&mut choice, block),
        _ => read::objects(result, "content").for_each(|block| take(&mut choice, block)),
    }
    choice
}

fn take(choice: &mut Choice, block: &Object) {
    match read::text(block, "type") {
        "text" => choice.push_text(read::text(block, "text")),
        "tool_use" => choice.push_call(ReceivedCall::read(block, "id", "input")),
        _ => {}
    }
}

fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("endTurn" | "stopSequence") => Finish::Stop,
        Some("toolUse") => Finish::Calls,
        Some("maxTokens") => Finish::Length,
        _ => Finish::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Provider, decode};

    use super::*;

    #[test]
    fn request_is_one_call_with_request_id() {
        let params = json!({"name": "f", "arguments": {"k": 1}});
        for (message, id) in [
            (
                json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}),
                "7",
            ),
            (
                json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}),
                "a",
            ),
            (params.clone(), "local_0"),
        ] {
            let decoded = decode(Provider::Mcp, &message, None).unwrap();

            assert_eq!(decoded.finish, Finish::Calls);
            assert_eq!(decoded.calls[0].id, id);
            assert_eq!(decoded.calls[0].arguments, Some(json!({"k": 1})));
        }
    }

    #[test]
    fn arguments_are_optional() {
        let decoded = decode(Provider::Mcp, &json!({"params": {"name": "f"}}), None).unwrap();

        assert_eq!(decoded.calls[0].arguments, Some(json!({})));
    }
}
