//! JSON parsing with a depth limit and a policy for duplicate keys.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Limits and policy for parsing JSON text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonReader {
    /// Number of nested levels to parse.
    levels: usize,
    /// Whether the last value of a duplicate key applies. Otherwise, duplicate keys are an error.
    allows_duplicate_keys: bool,
}

impl JsonReader {
    /// Parses all levels that `serde_json` supports and rejects duplicate keys.
    pub(crate) const STRICT: Self = Self {
        levels: usize::MAX,
        allows_duplicate_keys: false,
    };

    /// Replaces values nested deeper than `levels` with null. The last value of a duplicate key
    /// applies.
    pub(crate) const fn shallow(levels: usize) -> Self {
        Self {
            levels,
            allows_duplicate_keys: true,
        }
    }

    /// Parses text that contains exactly one value.
    pub(crate) fn parse(self, text: &str) -> serde_json::Result<Value> {
        let mut parser = serde_json::Deserializer::from_str(text);
        let value = self.deserialize(&mut parser)?;
        parser.end()?;
        Ok(value)
    }

    fn inner(self) -> Self {
        Self {
            levels: self.levels.saturating_sub(1),
            ..self
        }
    }
}

impl<'de> DeserializeSeed<'de> for JsonReader {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.levels == 0 {
            // Ignored values are skipped without recursion.
            return deserializer
                .deserialize_ignored_any(IgnoredAny)
                .map(|_| Value::Null);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonReader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
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
        while let Some(item) = items.next_element_seed(self.inner())? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(self.inner())?;
            if object.insert(key, value).is_some() && !self.allows_duplicate_keys {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn replaces_values_below_level_limit_with_null() {
        let text = r#"{"a": [1, [2]], "b": {"c": {}}}"#;
        for (levels, expected) in [
            (1, json!({"a": null, "b": null})),
            (2, json!({"a": [null, null], "b": {"c": null}})),
            (3, json!({"a": [1, [null]], "b": {"c": {}}})),
            (4, json!({"a": [1, [2]], "b": {"c": {}}})),
        ] {
            assert_eq!(JsonReader::shallow(levels).parse(text).unwrap(), expected);
        }
    }

    #[test]
    fn duplicate_key_is_error_or_last_value_applies() {
        for (text, last) in [
            (r#"{"a": 1, "a": 2}"#, json!({"a": 2})),
            (r#"[{"a": 1, "\u0061": null}]"#, json!([{"a": null}])),
        ] {
            assert!(JsonReader::STRICT.parse(text).is_err(), "{text}");
            assert_eq!(JsonReader::shallow(9).parse(text).unwrap(), last);
        }
    }

    #[test]
    fn rejects_text_after_value() {
        assert!(JsonReader::STRICT.parse("{} {}").is_err());
        assert_eq!(JsonReader::STRICT.parse(" {} ").unwrap(), json!({}));
    }

    proptest! {
        #[test]
        fn parses_values_like_serde_json(value in crate::tests::value()) {
            let text = value.to_string();

            let read = [JsonReader::STRICT, JsonReader::shallow(126)].map(|reading| reading.parse(&text).unwrap());

            prop_assert_eq!(read, [value.clone(), value]);
        }
    }
}
