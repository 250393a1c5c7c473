//! Tapes as a representation of JSON for the crate `jsonschema`.

use std::borrow::Cow;
use std::ptr;

use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, unique};
use jsonschema::types::JsonType;
use serde_json::Value;

use crate::number::Number;
use crate::tape::{Items, JsonRef, Members, Slot};

/// Maximum length of arrays that are compared pairwise, as in `jsonschema` for `Value`.
const MAX_PAIRWISE: u32 = 15;

/// Floats of at least this magnitude are whole, and validators treat them as written integers.
const WRITTEN_AS_INTEGER: f64 = 9_223_372_036_854_775_808.0;

/// Representation of JSON with which the crate `jsonschema` validates a [`JsonRef`] directly, so that
/// arguments aren't copied to a `Value` first.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::TapeJson;
///
/// let schema = json!({"type": "object", "required": ["path"]});
/// let validator = jsonschema::options_for::<TapeJson>().build(&schema)?;
/// assert!(validator.is_valid(tool_json::parse(r#"{"path": "src"}"#)?.root()));
/// assert!(!validator.is_valid(tool_json::parse("{}")?.root()));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TapeJson;

impl Json for TapeJson {
    type Node<'a> = JsonRef<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    // A lookup is a linear search, so one pass for all names is faster for two names or more.
    const KEYS_PER_LOOKUP: usize = 16;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(JsonRef<'_>) -> T) -> T {
        f(JsonRef::at(&[Slot::Borrowed(string)]))
    }
}

impl<'a> Node<'a, TapeJson> for JsonRef<'a> {
    type Object = ObjectNode<'a>;
    type Array = ArrayNode<'a>;
    type Number = NumberNode;

    fn as_object(&self) -> Option<ObjectNode<'a>> {
        matches!(self.slot(), Slot::Object(_)).then_some(ObjectNode(*self))
    }

    fn as_array(&self) -> Option<ArrayNode<'a>> {
        matches!(self.slot(), Slot::Array(_)).then_some(ArrayNode(*self))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<NumberNode> {
        (*self).as_number().map(NumberNode)
    }

    fn as_boolean(&self) -> Option<bool> {
        self.as_bool()
    }

    fn is_null(&self) -> bool {
        (*self).is_null()
    }

    fn json_type(&self) -> JsonType {
        match self.slot() {
            Slot::Null => JsonType::Null,
            Slot::Boolean(_) => JsonType::Boolean,
            Slot::Unsigned(_) | Slot::Signed(_) | Slot::Float(_) => JsonType::Number,
            Slot::Borrowed(_) | Slot::Owned(_) => JsonType::String,
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
        // The address identifies a value only while its tape isn't changed, so don't edit one during a validation.
        Some(NodeIdentity::new(ptr::from_ref(self.slot()).addr()))
    }
}

/// An object.
#[derive(Debug)]
pub struct ObjectNode<'a>(JsonRef<'a>);

impl<'a> Object<'a, TapeJson> for ObjectNode<'a> {
    type Node = JsonRef<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        length(self.0)
    }

    fn get(&self, key: &Box<str>) -> Option<JsonRef<'a>> {
        self.0.get(key)
    }

    fn members(&self) -> Members<'a> {
        self.0.members()
    }
}

/// An array.
#[derive(Debug)]
pub struct ArrayNode<'a>(JsonRef<'a>);

impl<'a> Array<'a, TapeJson> for ArrayNode<'a> {
    type Node = JsonRef<'a>;
    type ElementsIter = Items<'a>;

    fn len(&self) -> usize {
        length(self.0)
    }

    fn elements(&self) -> Items<'a> {
        self.0.items()
    }

    fn is_unique(&self) -> bool {
        // The default of the trait would build a `Value` for every array, and comparing pairs is quadratic.
        if length(self.0) > MAX_PAIRWISE as usize {
            let values: Vec<Value> = self.0.items().map(JsonRef::to_value).collect();
            return unique::is_unique(&values);
        }
        let mut rest = self.0.items();
        while let Some(item) = rest.next() {
            if rest.clone().any(|other| other == item) {
                return false;
            }
        }
        true
    }
}

fn length(value: JsonRef<'_>) -> usize {
    match value.slot() {
        Slot::Array(extent) | Slot::Object(extent) => extent.length as usize,
        _ => 0,
    }
}

/// A number.
#[derive(Debug)]
pub struct NumberNode(Number);

impl JsonNumber for NumberNode {
    fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.0.as_f64())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_number().to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let number = match self.0 {
            Number::Unsigned(number) => Some(number.into()),
            Number::Signed(number) => Some(number.into()),
            Number::Float(number) => serde_json::Number::from_f64(number),
        };
        Cow::Owned(number.unwrap_or_else(|| 0.into()))
    }

    fn is_integer(&self) -> bool {
        match self.0 {
            Number::Unsigned(_) | Number::Signed(_) => true,
            Number::Float(number) => number.fract() == 0.0,
        }
    }

    fn is_written_as_integer(&self) -> bool {
        match self.0 {
            Number::Unsigned(_) | Number::Signed(_) => true,
            Number::Float(number) => number.abs() >= WRITTEN_AS_INTEGER,
        }
    }
}

#[cfg(test)]
mod suite;
#[cfg(test)]
mod tests;
