//! Reading fields of a response, whatever stands there.

use serde_json::{Map, Value};

use super::{Choice, StreamError};
use crate::Finish;

/// The text of a field; empty where there is none.
pub(crate) fn text<'v>(object: &'v Map<String, Value>, key: &str) -> &'v str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text of a field, where there is one.
pub(crate) fn optional_text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// The members that hold something. A key is looked at only where something stands under it, because what stands in a
/// stream lies all over the memory.
pub(crate) fn told(object: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let told = object.iter().filter(|(_, value)| !value.is_null());
    told.map(|(key, value)| (key.as_str(), value))
}

/// The objects of an array field.
pub(crate) fn objects<'v>(
    object: &'v Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'v Map<String, Value>> {
    objects_in(object.get(key))
}

/// The objects of an array.
pub(crate) fn objects_in(array: Option<&Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let items = array.and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_object)
}

/// The objects of an array field by their `index`; one without it is where it stands.
pub(crate) fn by_index<'v>(
    object: &'v Map<String, Value>,
    key: &str,
) -> Vec<&'v Map<String, Value>> {
    let mut numbered: Vec<(u64, &Map<String, Value>)> = (0..)
        .zip(objects(object, key))
        .map(|(position, item)| {
            let index = item.get("index").and_then(Value::as_u64);
            (index.unwrap_or(position), item)
        })
        .collect();
    numbered.sort_by_key(|(index, _)| *index);
    numbered.into_iter().map(|(_, item)| item).collect()
}

/// An error that stands where an answer should.
pub(crate) fn error(response: &Map<String, Value>) -> Option<StreamError> {
    match response.get("error")? {
        Value::Null => None,
        Value::Object(error) => {
            let code = ["code", "type", "status"]
                .iter()
                .find_map(|key| match error.get(*key) {
                    Some(Value::String(text)) => Some(text.clone()),
                    Some(Value::Number(number)) => Some(number.to_string()),
                    _ => None,
                });
            let message = text(error, "message");
            Some(StreamError::new(
                code.unwrap_or_else(|| "error".to_owned()),
                message,
            ))
        }
        Value::String(message) => Some(StreamError::new("error", message)),
        other => Some(StreamError::new("error", other.to_string())),
    }
}

/// A choice that is only an error.
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
    fn choices_are_in_the_order_of_their_numbers() {
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
    fn every_token_that_was_read_or_written_is_counted_once() {
        let expected = Usage {
            input_tokens: 100,
            output_tokens: 30,
            cached_tokens: 40,
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
                // It counts reasoning beside the completion.
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
    fn what_came_from_a_cache_is_counted_where_the_provider_tells_it_apart() {
        let expected = Usage {
            input_tokens: 100,
            output_tokens: 30,
            cached_tokens: 40,
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
    fn counts_that_are_no_counts_are_passed_over_and_never_overflow() {
        let chat =
            |usage: Value| json!({"choices": [{"message": {"content": "a"}}], "usage": usage});
        for (told, expected) in [
            (json!({}), None),
            (json!([1, 2]), None),
            (json!({"prompt_tokens": -1, "completion_tokens": "7"}), None),
            (json!({"total_tokens": 9}), None),
            (
                json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX, "total_tokens": 1}),
                Some((u64::MAX, u64::MAX)),
            ),
        ] {
            let decoded = decode(Provider::OpenAi, &chat(told), None).unwrap();

            let counts = decoded
                .usage
                .map(|usage| (usage.input_tokens, usage.output_tokens));
            assert_eq!(counts, expected);
        }
    }
}
