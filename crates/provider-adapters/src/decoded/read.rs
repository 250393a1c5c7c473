//! Access to fields of a response, which may have any type.

use serde_json::Value;

use super::{Choice, RawArguments, ReceivedCall, StreamError};
use crate::{Finish, Object};

/// Returns the text of a field, or an empty string.
pub(crate) fn text<'v>(object: &'v Object, key: &str) -> &'v str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text of a field.
pub(crate) fn optional_text(object: &Object, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Returns a field with an object.
pub(crate) fn object<'v>(object: &'v Object, key: &str) -> Option<&'v Object> {
    object.get(key).and_then(Value::as_object)
}

/// Returns a field with a non-negative integer.
pub(crate) fn number(object: &Object, key: &str) -> Option<u64> {
    object.get(key).and_then(Value::as_u64)
}

impl ReceivedCall {
    /// Reads a call whose id and arguments have these keys.
    pub(crate) fn read(object: &Object, id: &str, arguments: &str) -> Self {
        Self {
            id: optional_text(object, id),
            name: text(object, "name").to_owned(),
            arguments: RawArguments::from_field(object.get(arguments)),
            provider_data: None,
        }
    }
}

/// Returns the objects of an array field.
pub(crate) fn objects<'v>(object: &'v Object, key: &str) -> impl Iterator<Item = &'v Object> {
    let items = object.get(key).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_object)
}

/// Returns the objects of an array field in order of their `index`, which defaults to the position.
pub(crate) fn by_index<'v>(object: &'v Object, key: &str) -> Vec<&'v Object> {
    let mut numbered: Vec<(u64, &Object)> = (0..)
        .zip(objects(object, key))
        .map(|(position, item)| (number(item, "index").unwrap_or(position), item))
        .collect();
    numbered.sort_by_key(|(index, _)| *index);
    numbered.into_iter().map(|(_, item)| item).collect()
}

/// Returns the error of a response that has an `error` member.
pub(crate) fn error(response: &Object) -> Option<StreamError> {
    match response.get("error")? {
        Value::Null => None,
        Value::Object(error) => {
            // Providers disagree about the name. Gateways send numbers where providers send words.
            let code = ["code", "type", "status"]
                .iter()
                .find_map(|key| match error.get(*key) {
                    Some(Value::String(text)) => Some(text.clone()),
                    Some(Value::Number(number)) => Some(number.to_string()),
                    _ => None,
                });
            let code = code.unwrap_or_else(|| "error".to_owned());
            Some(StreamError::new(code, text(error, "message")))
        }
        Value::String(message) => Some(StreamError::new("error", message)),
        other => Some(StreamError::new("error", other.to_string())),
    }
}

/// Creates a choice that contains only an error.
pub(crate) fn failed(error: StreamError) -> Choice {
    Choice {
        finish: Finish::Error,
        error: Some(error),
        ..Choice::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Provider, Usage, decode};

    fn usage_of(provider: Provider, response: &Value) -> Usage {
        let decoded = decode(provider, response, None).unwrap();
        decoded.usage.unwrap()
    }

    #[test]
    fn sorts_choices_by_index() {
        let chat = |index: u64, text: &str| json!({"index": index, "message": {"content": text}, "finish_reason": "stop"});
        let candidate = |index: u64, text: &str| json!({"index": index, "content": {"parts": [{"text": text}]}, "finishReason": "STOP"});
        for (provider, response) in [
            (
                Provider::OpenAi,
                json!({"choices": [chat(1, "B"), chat(0, "A")]}),
            ),
            (
                Provider::Gemini,
                json!({"candidates": [candidate(1, "B"), candidate(0, "A")]}),
            ),
            (
                Provider::Mistral,
                json!({"choices": [chat(1, "B"), chat(0, "A")]}),
            ),
        ] {
            let decoded = decode(provider, &response, None).unwrap();

            assert_eq!(
                (decoded.text.as_str(), decoded.choices[0].text.as_str()),
                ("A", "B"),
                "{provider}"
            );
        }
    }

    #[test]
    fn counts_every_token_once() {
        let expected = Usage {
            input_tokens: 100,
            output_tokens: 30,
            cached_tokens: 40,
            cache_write_tokens: 0,
            reasoning_tokens: 20,
        };
        let chat =
            |usage: Value| json!({"choices": [{"message": {"content": "a"}}], "usage": usage});
        for (provider, response) in [
            (
                Provider::OpenAi,
                chat(
                    json!({"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
                    "prompt_tokens_details": {"cached_tokens": 40}, "completion_tokens_details": {"reasoning_tokens": 20}}),
                ),
            ),
            (
                // xAI does not include reasoning in the completion tokens.
                Provider::Xai,
                chat(
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 130,
                    "prompt_tokens_details": {"cached_tokens": 40}, "completion_tokens_details": {"reasoning_tokens": 20}}),
                ),
            ),
            (
                Provider::DeepSeek,
                chat(
                    json!({"prompt_tokens": 100, "completion_tokens": 30, "prompt_cache_hit_tokens": 40,
                    "completion_tokens_details": {"reasoning_tokens": 20}}),
                ),
            ),
            (
                Provider::OpenAiResponses,
                json!({"status": "completed", "output": [], "usage": {"input_tokens": 100, "output_tokens": 30,
                    "input_tokens_details": {"cached_tokens": 40}, "output_tokens_details": {"reasoning_tokens": 20}}}),
            ),
            (
                Provider::Gemini,
                json!({"candidates": [], "usageMetadata": {"promptTokenCount": 90, "toolUsePromptTokenCount": 10,
                    "candidatesTokenCount": 10, "thoughtsTokenCount": 20, "cachedContentTokenCount": 40, "totalTokenCount": 130}}),
            ),
        ] {
            assert_eq!(usage_of(provider, &response), expected, "{provider}");
        }
    }

    #[test]
    fn counts_cached_tokens_as_input() {
        let expected = Usage {
            input_tokens: 100,
            output_tokens: 30,
            cached_tokens: 40,
            cache_write_tokens: 10,
            reasoning_tokens: 0,
        };
        for (provider, response) in [
            (
                Provider::Anthropic,
                json!({"content": [], "stop_reason": "end_turn", "usage": {"input_tokens": 50, "output_tokens": 30,
                    "cache_read_input_tokens": 40, "cache_creation_input_tokens": 10}}),
            ),
            (
                Provider::Bedrock,
                json!({"output": {"message": {"content": []}}, "stopReason": "end_turn", "usage": {"inputTokens": 50,
                    "outputTokens": 30, "cacheReadInputTokens": 40, "cacheWriteInputTokens": 10, "totalTokens": 130}}),
            ),
        ] {
            assert_eq!(usage_of(provider, &response), expected, "{provider}");
        }
    }

    #[test]
    fn ignores_invalid_counts_and_saturates() {
        let chat =
            |usage: Value| json!({"choices": [{"message": {"content": "a"}}], "usage": usage});
        for (reported, expected) in [
            (json!({}), None),
            (json!([1, 2]), None),
            (json!({"prompt_tokens": -1, "completion_tokens": "7"}), None),
            (json!({"total_tokens": 9}), None),
            (
                json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX, "total_tokens": 1}),
                Some((u64::MAX, u64::MAX)),
            ),
        ] {
            let decoded = decode(Provider::OpenAi, &chat(reported), None).unwrap();

            let counts = decoded
                .usage
                .map(|usage| (usage.input_tokens, usage.output_tokens));
            assert_eq!(counts, expected);
        }
    }
}
