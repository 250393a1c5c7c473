//! Decoder of complete responses.

use serde_json::{Value, json};

use super::PLAN;
use crate::decoded::{Choice, StreamError, read};
use crate::{DecodeError, Finish, Object, Reasoning, providers::openai};

pub(super) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(response) {
        return Ok(vec![read::failed(error)]);
    }
    let message = match response.get("message") {
        Some(Value::Object(message)) => message,
        Some(Value::String(message)) => {
            return Ok(vec![read::failed(StreamError::new("error", message))]);
        }
        _ => return Err(DecodeError::NoAnswer("message")),
    };
    let finish_raw = read::optional_text(response, "finish_reason");
    let finish = finish(finish_raw.as_deref());
    let failed = || {
        let word = finish_raw.as_deref().unwrap_or("error");
        StreamError::new(word, "the provider stopped the response with an error")
    };
    Ok(vec![Choice {
        text: openai::content(message.get("content")),
        reasoning: reasoning(message),
        calls: read::objects(message, "tool_calls")
            .map(openai::call)
            .collect(),
        error: (finish == Finish::Error).then(failed),
        finish,
        finish_raw,
        ..Choice::default()
    }])
}

/// Returns the reasoning, and the plan that the model wrote before its calls.
fn reasoning(message: &Object) -> Vec<Reasoning> {
    let thoughts = read::objects(message, "content")
        .filter(|part| read::text(part, "type") == "thinking")
        .map(|part| {
            Reasoning::new(read::text(part, "thinking"))
                .with_provider_data(Some(Value::Object(part.clone())))
        });
    let plan = Some(read::text(message, PLAN)).filter(|plan| !plan.is_empty());
    let plan =
        plan.map(|plan| Reasoning::new(plan).with_provider_data(Some(json!({"type": PLAN}))));
    thoughts.chain(plan).collect()
}

pub(super) fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("COMPLETE" | "STOP_SEQUENCE") => Finish::Stop,
        Some("TOOL_CALL") => Finish::Calls,
        Some("MAX_TOKENS") => Finish::Length,
        Some("ERROR" | "TIMEOUT") => Finish::Error,
        _ => Finish::Other,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Provider, decode};

    use super::*;

    #[test]
    fn counts_all_tokens_instead_of_billed_units() {
        let response = json!({
            "message": {"role": "assistant", "content": [{"type": "text", "text": "a"}]},
            "finish_reason": "COMPLETE",
            "usage": {"billed_units": {"input_tokens": 1, "output_tokens": 1}, "tokens": {"input_tokens": 7, "output_tokens": 2}},
        });

        let usage = decode(Provider::Cohere, &response, None)
            .unwrap()
            .usage
            .unwrap();

        assert_eq!((usage.input_tokens, usage.output_tokens), (7, 2));
    }
}
