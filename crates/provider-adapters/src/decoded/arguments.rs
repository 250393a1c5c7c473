//! Strict parser of call arguments.

use serde_json::Value;
use tool_json::ParseLimits;

use super::RawArguments;
use crate::Object;

/// Reason for unusable arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentsError {
    Invalid,
    Truncated,
}

/// Returns the raw text of the arguments and the parsed object. `truncated` states whether the response
/// reached a limit here.
pub(crate) fn parse(
    arguments: RawArguments,
    truncated: bool,
) -> (String, Result<Object, ArgumentsError>) {
    let truncated = truncated || matches!(arguments, RawArguments::Truncated(_));
    let (raw, value) = match arguments {
        RawArguments::Text(text) | RawArguments::Truncated(text) => {
            let value = parse_text(&text);
            (text, value)
        }
        RawArguments::Value(Value::Null) => (String::new(), Some(Value::Null)),
        RawArguments::Value(value) => (value.to_string(), Some(value)),
        RawArguments::Incomplete(text) => return (text, Err(ArgumentsError::Truncated)),
        RawArguments::Invalid(text) => return (text, Err(ArgumentsError::Invalid)),
    };
    let object = match value {
        Some(Value::Object(object)) => Some(object),
        Some(Value::Null) => Some(Object::new()),
        _ => None,
    };
    let parsed = match object {
        Some(object) if truncated && object.is_empty() => Err(ArgumentsError::Truncated),
        Some(object) => Ok(object),
        None if truncated => Err(ArgumentsError::Truncated),
        None => Err(ArgumentsError::Invalid),
    };
    (raw, parsed)
}

fn parse_text(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Null);
    }
    // The stream and the body of a response limit the size.
    let limits = ParseLimits {
        max_bytes: usize::MAX,
        max_values: usize::MAX,
        ..ParseLimits::default()
    };
    let tape = tool_json::parse_with(text, &limits).ok()?;
    Some(tape.to_value())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn accepts_empty_text_and_rejects_non_objects() {
        for (text, expected) in [
            ("", Ok(json!({}))),
            (" \n", Ok(json!({}))),
            ("null", Ok(json!({}))),
            (
                "{\"a\":[1,-2,0.5,\"x\",true,null]}",
                Ok(json!({"a": [1, -2, 0.5, "x", true, null]})),
            ),
            ("[]", Err(ArgumentsError::Invalid)),
            ("\"{}\"", Err(ArgumentsError::Invalid)),
            ("{\"a\":1", Err(ArgumentsError::Invalid)),
            ("{\"a\":1}}", Err(ArgumentsError::Invalid)),
            ("{\"a\":1,\"a\":2}", Err(ArgumentsError::Invalid)),
        ] {
            let (raw, parsed) = parse(RawArguments::Text(text.to_owned()), false);

            assert_eq!((raw.as_str(), parsed.map(Value::Object)), (text, expected));
        }
    }

    #[test]
    fn deep_nesting_is_invalid_without_stack_overflow() {
        let text = format!("{{\"a\":{}", "[".repeat(100_000));

        let (_, parsed) = parse(RawArguments::Text(text), false);

        assert_eq!(parsed, Err(ArgumentsError::Invalid));
    }

    #[test]
    fn object_has_compact_raw_text() {
        let (raw, parsed) = parse(RawArguments::Value(json!({"a": 1})), true);

        assert_eq!(raw, "{\"a\":1}");
        assert_eq!(parsed.map(Value::Object), Ok(json!({"a": 1})));
    }
}
