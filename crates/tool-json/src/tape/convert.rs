//! Conversion and comparison of values.

use std::{fmt, iter};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::json_ref::JsonRef;
use super::slot::Slot;

impl JsonRef<'_> {
    /// Copies the value to a [`Value`].
    #[must_use]
    pub fn to_value(self) -> Value {
        match self.slot() {
            Slot::Null => Value::Null,
            Slot::Boolean(boolean) => Value::Bool(*boolean),
            Slot::Unsigned(number) => Value::from(*number),
            Slot::Signed(number) => Value::from(*number),
            Slot::Float(number) => Value::from(*number),
            Slot::Borrowed(text) => Value::from(*text),
            Slot::Owned(text) => Value::from(&**text),
            Slot::Array(_) => self.items().map(Self::to_value).collect(),
            Slot::Object(_) => {
                // Insert one by one, because `collect` would sort the members in a vector first.
                let mut members = Map::new();
                for (key, value) in self.members() {
                    members.insert(key.to_owned(), value.to_value());
                }
                Value::Object(members)
            }
        }
    }
}

impl PartialEq for JsonRef<'_> {
    /// Compares as JSON: the order of members is irrelevant, and `1` equals `1.0`.
    fn eq(&self, other: &Self) -> bool {
        match (self.slot(), other.slot()) {
            (Slot::Null, Slot::Null) => true,
            (Slot::Boolean(left), Slot::Boolean(right)) => left == right,
            (Slot::Array(left), Slot::Array(right)) => {
                left.length == right.length && iter::zip(self.items(), other.items()).all(same)
            }
            (Slot::Object(left), Slot::Object(right)) => {
                left.length == right.length && has_members_of(*self, *other)
            }
            _ => match (self.as_number(), other.as_number()) {
                (Some(left), Some(right)) => left == right,
                (None, None) => self.as_str().is_some() && self.as_str() == other.as_str(),
                _ => false,
            },
        }
    }
}

impl Serialize for JsonRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.slot() {
            Slot::Null => serializer.serialize_unit(),
            Slot::Boolean(boolean) => serializer.serialize_bool(*boolean),
            Slot::Unsigned(number) => serializer.serialize_u64(*number),
            Slot::Signed(number) => serializer.serialize_i64(*number),
            Slot::Float(number) => serializer.serialize_f64(*number),
            Slot::Borrowed(text) => serializer.serialize_str(text),
            Slot::Owned(text) => serializer.serialize_str(text),
            Slot::Array(_) => serializer.collect_seq(self.items()),
            Slot::Object(_) => serializer.collect_map(self.members()),
        }
    }
}

impl fmt::Debug for JsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_value(), f)
    }
}

fn same((left, right): (JsonRef<'_>, JsonRef<'_>)) -> bool {
    left == right
}

/// Compares the members of two objects of the same length. Sorts them first to avoid quadratic time.
fn has_members_of(left: JsonRef<'_>, right: JsonRef<'_>) -> bool {
    let [left, right] = [left, right].map(|object| {
        let mut members: Vec<_> = object.members().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        members
    });
    iter::zip(left, right)
        .all(|((left_key, left), (right_key, right))| left_key == right_key && left == right)
}
