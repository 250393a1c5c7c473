//! Decoder of complete responses.

use serde_json::Value;

use crate::decoded::{Choice, StreamError, read};
use crate::{DecodeError, Finish, Object, Reasoning, providers::openai};

pub(super) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let (false, Some(Value::String(message))) =
        (response.contains_key("choices"), response.get("message"))
    {
        let code = ["code", "type"].map(|key| read::text(response, key));
        let code = code.into_iter().find(|code| !code.is_empty());
        return Ok(vec![read::failed(StreamError::new(
            code.unwrap_or("error"),
            message,
        ))]);
    }
    let mut choices = openai::decode(response)?;
    for (choice, given) in choices.iter_mut().zip(read::by_index(response, "choices")) {
        choice.finish = finish(choice.finish, choice.finish_raw.as_deref());
        if let Some(Value::Object(message)) = given.get("message") {
            choice.reasoning.extend(thoughts(message));
        }
    }
    Ok(choices)
}

/// Returns `Length` for `model_length`, which marks a conversation that exceeds the context window.
pub(super) fn finish(read: Finish, reason: Option<&str>) -> Finish {
    match reason {
        Some("model_length") => Finish::Length,
        _ => read,
    }
}

/// Returns the reasoning chunks of the content.
fn thoughts(message: &Object) -> impl Iterator<Item = Reasoning> {
    let chunks = read::objects(message, "content");
    chunks
        .filter(|chunk| read::text(chunk, "type") == "thinking")
        .map(|chunk| {
            let text: String = read::objects(chunk, "thinking")
                .map(|part| read::text(part, "text"))
                .collect();
            Reasoning::new(text).with_provider_data(Some(Value::Object(chunk.clone())))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Provider, decode};

    use super::*;

    #[test]
    fn model_length_finishes_as_length() {
        let choice = json!({"message": {"content": "a"}, "finish_reason": "model_length"});

        let decoded = decode(Provider::Mistral, &json!({"choices": [choice]}), None).unwrap();

        assert_eq!(decoded.finish, Finish::Length);
    }

    #[test]
    fn top_level_message_is_error() {
        let response = json!({"object": "error", "message": "Unauthorized", "type": "auth"});

        let decoded = decode(Provider::Mistral, &response, None).unwrap();

        assert_eq!(
            decoded.stream_error,
            Some(StreamError::new("auth", "Unauthorized"))
        );
    }
}
