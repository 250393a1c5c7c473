//! Decoder of complete responses.

use serde_json::Value;

use crate::decoded::{Choice, ReceivedCall, read};
use crate::providers::openai;
use crate::{DecodeError, Finish, Object, Reasoning};

pub(crate) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(response) {
        return Ok(vec![read::failed(error)]);
    }
    let message = read::object(response, "message").ok_or(DecodeError::NoAnswer("message"))?;
    let thought = Some(read::text(message, "thinking")).filter(|text| !text.is_empty());
    let finish_raw = read::optional_text(response, "done_reason");
    Ok(vec![Choice {
        text: read::text(message, "content").to_owned(),
        reasoning: thought.map(Reasoning::new).into_iter().collect(),
        calls: calls(message),
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        ..Choice::default()
    }])
}

/// Returns the calls, sorted by index if each call has one.
fn calls(message: &Object) -> Vec<ReceivedCall> {
    let mut calls: Vec<&Object> = read::objects(message, "tool_calls").collect();
    let index = |call: &&Object| read::number(function(call), "index");
    if calls.iter().all(|call| index(call).is_some()) {
        calls.sort_by_key(index);
    }
    calls.into_iter().map(call).collect()
}

pub(super) fn function(call: &Object) -> &Object {
    match call.get("function") {
        Some(Value::Object(function)) => function,
        _ => call,
    }
}

fn call(call: &Object) -> ReceivedCall {
    openai::function(read::optional_text(call, "id"), function(call))
}

pub(super) fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        _ => Finish::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Provider, decode};

    #[test]
    fn sorts_calls_by_index_if_all_have_one() {
        let call = |name: &str, index: Option<u64>| json!({"function": {"name": name, "index": index, "arguments": {}}});
        for (calls, names) in [
            ([call("b", Some(1)), call("a", Some(0))], ["a", "b"]),
            ([call("b", Some(1)), call("a", None)], ["b", "a"]),
        ] {
            let response = json!({"message": {"tool_calls": calls}, "done_reason": "stop"});

            let decoded = decode(Provider::Ollama, &response, None).unwrap();

            let reported: Vec<&str> = decoded
                .calls
                .iter()
                .map(|call| call.name.as_str())
                .collect();
            assert_eq!(reported, names);
        }
    }
}
