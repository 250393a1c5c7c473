//! The tape as a representation that JSON Schema validators read.

use std::borrow::Cow;
use std::ptr;

use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object, unique};
use jsonschema::types::JsonType;
use serde_json::Value;

use super::node::{Items, Members, Node};
use super::slot::Slot;
use crate::json::parse::Number;

/// Arrays up to this long are compared pairwise, as the validator does with values.
const MOST_PAIRWISE: u32 = 15;

/// From here on every float is whole, and a validator takes it for an integer that was written as one.
const WRITTEN_AS_INTEGER: f64 = 9_223_372_036_854_775_808.0;

/// Names the tape among the representations of JSON.
#[derive(Debug)]
pub(crate) struct TapeJson;

impl Json for TapeJson {
    type Node<'a> = Node<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    // A lookup passes over the members, so one pass for all names is better from the second name on.
    const KEYS_PER_LOOKUP: usize = 16;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Node<'_>) -> T) -> T {
        f(Node::at(&[Slot::Lent(string)]))
    }
}

impl<'a> JsonNode<'a, TapeJson> for Node<'a> {
    type Object = ObjectNode<'a>;
    type Array = ArrayNode<'a>;
    type Number = Number;

    fn as_object(&self) -> Option<ObjectNode<'a>> {
        matches!(self.slot(), Slot::Object(_)).then_some(ObjectNode(*self))
    }

    fn as_array(&self) -> Option<ArrayNode<'a>> {
        matches!(self.slot(), Slot::Array(_)).then_some(ArrayNode(*self))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<Number> {
        (*self).as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.as_bool()
    }

    fn is_null(&self) -> bool {
        (*self).is_null()
    }

    fn json_type(&self) -> JsonType {
        match self.slot() {
            Slot::Null | Slot::Open(_) => JsonType::Null,
            Slot::Boolean(_) => JsonType::Boolean,
            Slot::Unsigned(_) | Slot::Signed(_) | Slot::Float(_) => JsonType::Number,
            Slot::Lent(_) | Slot::Owned(_) => JsonType::String,
            Slot::Array(_) => JsonType::Array,
            Slot::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match (expected, self.slot()) {
            (Value::Null, Slot::Null) => true,
            (Value::Bool(left), Slot::Boolean(right)) => left == right,
            (Value::Number(expected), _) => (*self).as_number() == Some(Number::of_json(expected)),
            (Value::String(expected), _) => self.as_str() == Some(expected),
            (Value::Array(expected), Slot::Array(extent)) => {
                expected.len() == extent.length as usize
                    && expected
                        .iter()
                        .zip(self.items())
                        .all(|(expected, item)| item.equals_value(expected))
            }
            (Value::Object(expected), Slot::Object(extent)) => {
                expected.len() == extent.length as usize
                    && self.members().all(|(key, member)| {
                        expected
                            .get(key)
                            .is_some_and(|expected| member.equals_value(expected))
                    })
            }
            _ => false,
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned((*self).to_value())
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(ptr::from_ref(self.slot()).addr()))
    }
}

/// An object, with its members at hand.
#[derive(Debug)]
pub(crate) struct ObjectNode<'a>(Node<'a>);

impl<'a> Object<'a, TapeJson> for ObjectNode<'a> {
    type Node = Node<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        self.0.slot().length()
    }

    fn get(&self, key: &Box<str>) -> Option<Node<'a>> {
        self.0.get(key)
    }

    fn members(&self) -> Members<'a> {
        self.0.member_nodes()
    }
}

/// An array, with its items at hand.
#[derive(Debug)]
pub(crate) struct ArrayNode<'a>(Node<'a>);

impl<'a> Array<'a, TapeJson> for ArrayNode<'a> {
    type Node = Node<'a>;
    type ElementsIter = Items<'a>;

    fn len(&self) -> usize {
        self.0.slot().length()
    }

    fn elements(&self) -> Items<'a> {
        self.0.item_nodes()
    }

    fn is_unique(&self) -> bool {
        if self.0.slot().length() > MOST_PAIRWISE as usize {
            let values: Vec<Value> = self.0.item_nodes().map(Node::to_value).collect();
            return unique::is_unique(&values);
        }
        let mut rest = self.0.item_nodes();
        while let Some(item) = rest.next() {
            if rest.clone().any(|other| other == item) {
                return false;
            }
        }
        true
    }
}

impl JsonNumber for Number {
    fn as_u64(&self) -> Option<u64> {
        (*self).as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        (*self).as_i64()
    }

    fn as_f64(&self) -> Option<f64> {
        Some((*self).as_f64())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_number().to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let number = match self {
            Self::Unsigned(number) => Some((*number).into()),
            Self::Signed(number) => Some((*number).into()),
            Self::Float(number) => serde_json::Number::from_f64(*number),
        };
        Cow::Owned(number.unwrap_or_else(|| 0.into()))
    }

    fn is_integer(&self) -> bool {
        match self {
            Self::Unsigned(_) | Self::Signed(_) => true,
            Self::Float(number) => number.fract() == 0.0,
        }
    }

    fn is_written_as_integer(&self) -> bool {
        match self {
            Self::Unsigned(_) | Self::Signed(_) => true,
            Self::Float(number) => number.abs() >= WRITTEN_AS_INTEGER,
        }
    }
}

#[cfg(test)]
mod suite;
#[cfg(test)]
mod tests;
