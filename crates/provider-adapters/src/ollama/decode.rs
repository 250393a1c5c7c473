//! Calls in, from a whole response.

use serde_json::{Map, Value};

use crate::decoded::{Arrival, Choice, Sent, Usage, read};
use crate::{DecodeError, Finish, Reasoning};

pub(crate) fn decode(response: &Map<String, Value>) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(response) {
        return Ok(vec![read::failed(error)]);
    }
    let message = response
        .get("message")
        .and_then(Value::as_object)
        .ok_or(DecodeError::NoAnswer("message"))?;
    let thought = Some(read::text(message, "thinking")).filter(|text| !text.is_empty());
    let finish_raw = read::optional_text(response, "done_reason");
    Ok(vec![Choice {
        text: read::text(message, "content").to_owned(),
        reasoning: thought.map(Reasoning::new).into_iter().collect(),
        calls: read::objects(message, "tool_calls").map(call).collect(),
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        error: None,
        usage: usage(response),
    }])
}

fn call(call: &Map<String, Value>) -> Arrival {
    let function = match call.get("function") {
        Some(Value::Object(function)) => function,
        _ => call,
    };
    Arrival {
        id: read::optional_text(call, "id"),
        name: read::text(function, "name").to_owned(),
        arguments: Sent::from_field(function.get("arguments")),
        provider_data: None,
    }
}

pub(super) fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        _ => Finish::Other,
    }
}

/// The counts stand beside the message.
fn usage(response: &Map<String, Value>) -> Option<Usage> {
    let counts = Value::Object(response.clone());
    read::usage(Some(&counts), "prompt_eval_count", &["eval_count"])
}
