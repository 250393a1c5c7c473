//! The strict parse of the arguments of a call.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::Sent;

/// Why arguments cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    Invalid,
    Truncated,
}

/// The text of the arguments and the object that it holds. `cut` says that the answer ended in a limit here.
pub(crate) fn parse(sent: Sent, cut: bool) -> (String, Result<Map<String, Value>, Unusable>) {
    let (raw, value) = match sent {
        Sent::Text(text) => {
            let value = parse_text(&text);
            (text, value)
        }
        Sent::Value(Value::Null) => (String::new(), Some(Value::Null)),
        Sent::Value(value) => (value.to_string(), Some(value)),
        Sent::Unfinished(value) => return (value.to_string(), Err(Unusable::Truncated)),
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
    serde_json::from_str::<Strict>(text)
        .ok()
        .map(|strict| strict.0)
}

/// A JSON value without repeated keys.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictVisitor.deserialize(deserializer).map(Self)
    }
}

struct StrictVisitor;

impl<'de> DeserializeSeed<'de> for StrictVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value without repeated keys")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(Self)?;
            if object.insert(key, value).is_some() {
                return Err(A::Error::custom("a key is given twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_an_empty_object_and_a_non_object_is_invalid() {
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
    fn a_text_that_is_too_deep_is_invalid_and_does_not_overflow() {
        let text = format!("{{\"a\":{}", "[".repeat(100_000));

        let (_, parsed) = parse(Sent::Text(text), false);

        assert_eq!(parsed, Err(Unusable::Invalid));
    }

    #[test]
    fn an_object_keeps_its_compact_text() {
        let (raw, parsed) = parse(Sent::Value(json!({"a": 1})), true);

        assert_eq!(raw, "{\"a\":1}");
        assert_eq!(parsed.map(Value::Object), Ok(json!({"a": 1})));
    }
}
