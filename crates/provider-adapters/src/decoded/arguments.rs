//! Strict parser of call arguments.

use serde_json::{Map, Value};

use super::Sent;
use crate::read_json::Reading;

/// Reason for unusable arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    Invalid,
    Truncated,
}

/// Returns the raw text of the arguments and the parsed object. `cut` states whether the response
/// reached a limit here.
pub(crate) fn parse(sent: Sent, cut: bool) -> (String, Result<Map<String, Value>, Unusable>) {
    let cut = cut || matches!(sent, Sent::Cut(_));
    let (raw, value) = match sent {
        Sent::Text(text) | Sent::Cut(text) => {
            let value = parse_text(&text);
            (text, value)
        }
        Sent::Value(Value::Null) => (String::new(), Some(Value::Null)),
        Sent::Value(value) => (value.to_string(), Some(value)),
        Sent::Unfinished(text) => return (text, Err(Unusable::Truncated)),
        Sent::Refused(text) => return (text, Err(Unusable::Invalid)),
    };
    let object = match value {
        Some(Value::Object(object)) => Some(object),
        Some(Value::Null) => Some(Map::new()),
        _ => None,
    };
    let parsed = match object {
        Some(object) if cut && object.is_empty() => Err(Unusable::Truncated),
        Some(object) => Ok(object),
        None if cut => Err(Unusable::Truncated),
        None => Err(Unusable::Invalid),
    };
    (raw, parsed)
}

fn parse_text(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Null);
    }
    Reading::STRICT.parse(text).ok()
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
            ("[]", Err(Unusable::Invalid)),
            ("\"{}\"", Err(Unusable::Invalid)),
            ("{\"a\":1", Err(Unusable::Invalid)),
            ("{\"a\":1}}", Err(Unusable::Invalid)),
            ("{\"a\":1,\"a\":2}", Err(Unusable::Invalid)),
        ] {
            let (raw, parsed) = parse(Sent::Text(text.to_owned()), false);

            assert_eq!((raw.as_str(), parsed.map(Value::Object)), (text, expected));
        }
    }

    #[test]
    fn deep_nesting_is_invalid_without_stack_overflow() {
        let text = format!("{{\"a\":{}", "[".repeat(100_000));

        let (_, parsed) = parse(Sent::Text(text), false);

        assert_eq!(parsed, Err(Unusable::Invalid));
    }

    #[test]
    fn object_has_compact_raw_text() {
        let (raw, parsed) = parse(Sent::Value(json!({"a": 1})), true);

        assert_eq!(raw, "{\"a\":1}");
        assert_eq!(parsed.map(Value::Object), Ok(json!({"a": 1})));
    }
}
