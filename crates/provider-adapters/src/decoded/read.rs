//! Reading fields of a response, whatever stands there.

use serde_json::{Map, Value};

use super::{Choice, StreamError, Usage};
use crate::Finish;

/// The text of a field; empty where there is none.
pub(crate) fn text<'v>(object: &'v Map<String, Value>, key: &str) -> &'v str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text of a field, where there is one.
pub(crate) fn optional_text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// The objects of an array field.
pub(crate) fn objects<'v>(
    object: &'v Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'v Map<String, Value>> {
    let items = object.get(key).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_object)
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

/// The tokens under `usage`, by the provider's names for them.
pub(crate) fn usage(usage: Option<&Value>, input: &str, output: &[&str]) -> Option<Usage> {
    let usage = usage?.as_object()?;
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    let outputs: Vec<u64> = output.iter().filter_map(|key| count(key)).collect();
    if count(input).is_none() && outputs.is_empty() {
        return None;
    }
    Some(Usage {
        input_tokens: count(input).unwrap_or_default(),
        output_tokens: outputs.into_iter().fold(0, u64::saturating_add),
    })
}
