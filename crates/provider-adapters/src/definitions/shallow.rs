//! JSON values with a depth limit above that of valid schemas.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use crate::Object;

/// Maximum number of levels to read. Exceeds the maximum depth of a schema including the objects
/// around it, so that conversion still detects a schema that is too deep.
const MAX_DEPTH: usize = 126;

/// JSON value in which members below [`MAX_DEPTH`] are null. `serde_json` would reject the whole
/// list of definitions because of one schema that is too deep.
pub(super) struct ShallowValue(pub(super) Value);

impl<'de> Deserialize<'de> for ShallowValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Levels(MAX_DEPTH).deserialize(deserializer).map(Self)
    }
}

/// Number of nested levels to read.
#[derive(Clone, Copy)]
struct Levels(usize);

impl Levels {
    fn inner(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl<'de> DeserializeSeed<'de> for Levels {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.0 == 0 {
            // Ignored values are skipped without recursion.
            return deserializer
                .deserialize_ignored_any(IgnoredAny)
                .map(|_| Value::Null);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Levels {
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
        let mut object = Object::new();
        // The last of duplicate keys applies, as in `serde_json`.
        while let Some(key) = members.next_key::<String>()? {
            object.insert(key, members.next_value_seed(self.inner())?);
        }
        Ok(Value::Object(object))
    }
}
