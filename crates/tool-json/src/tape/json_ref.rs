//! References to one value of a tape: access, comparison and conversion.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::slot::Slot;
use crate::number::Number;

/// A reference to one value of a [`Tape`](crate::Tape), which is cheap to copy.
///
/// # Examples
/// ```
/// let tape = tool_json::parse(r#"{"lines": {"first": 3}}"#)?;
/// let first = tape.root().get("lines").and_then(|lines| lines.get("first"));
/// assert_eq!(first.and_then(|first| first.as_i64()), Some(3));
/// # Ok::<_, tool_json::ParseError>(())
/// ```
// The slice starts at the slot of the value, so no index is needed and its address identifies the value.
#[derive(Clone, Copy)]
pub struct JsonRef<'t>(&'t [Slot<'t>]);

/// The kind of a value with its content, or with the length of an array or object, to `match` on.
///
/// # Examples
/// ```
/// use tool_json::JsonView;
///
/// let tape = tool_json::parse("[1, 2.5]")?;
/// assert_eq!(tape.root().view(), JsonView::Array(2));
/// assert_eq!(tape.root().items().map(|item| item.view()).last(), Some(JsonView::Float(2.5)));
/// # Ok::<_, tool_json::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JsonView<'t> {
    /// Null.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i128),
    /// A number that is not an integer or is too large for `i64` and `u64`.
    Float(f64),
    /// A string.
    String(&'t str),
    /// Number of items of an array.
    Array(usize),
    /// Number of members of an object.
    Object(usize),
}

impl<'t> JsonRef<'t> {
    #[inline]
    pub(crate) fn at(slots: &'t [Slot<'t>]) -> Self {
        Self(slots)
    }

    #[inline]
    pub(crate) fn slot(self) -> &'t Slot<'t> {
        // An empty tape, such as the default one, is null.
        self.0.first().unwrap_or(&Slot::Null)
    }

    /// Returns the slots from this value to the end of the tape.
    #[inline]
    pub(super) fn rest(self) -> &'t [Slot<'t>] {
        self.0
    }

    /// Returns `true` for null.
    #[inline]
    pub fn is_null(self) -> bool {
        matches!(self.slot(), Slot::Null)
    }

    /// Returns `true` for an object.
    #[inline]
    pub fn is_object(self) -> bool {
        matches!(self.slot(), Slot::Object(_))
    }

    /// Returns the kind of the value, with scalars and lengths.
    #[inline]
    pub fn view(self) -> JsonView<'t> {
        match self.slot() {
            Slot::Null => JsonView::Null,
            Slot::Boolean(boolean) => JsonView::Boolean(*boolean),
            // `i128` holds every `i64` and `u64`, so callers need one case for integers.
            Slot::Unsigned(number) => JsonView::Integer(i128::from(*number)),
            Slot::Signed(number) => JsonView::Integer(i128::from(*number)),
            Slot::Float(number) => JsonView::Float(*number),
            Slot::Borrowed(text) => JsonView::String(text),
            Slot::Owned(text) => JsonView::String(text),
            Slot::Array(extent) => JsonView::Array(extent.length as usize),
            Slot::Object(extent) => JsonView::Object(extent.length as usize),
        }
    }

    /// Returns the value of a boolean.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.slot() {
            Slot::Boolean(boolean) => Some(*boolean),
            _ => None,
        }
    }

    /// Returns the value of a number.
    #[inline]
    pub(crate) fn as_number(self) -> Option<Number> {
        match self.slot() {
            Slot::Unsigned(number) => Some(Number::Unsigned(*number)),
            Slot::Signed(number) => Some(Number::Signed(*number)),
            Slot::Float(number) => Some(Number::Float(*number)),
            _ => None,
        }
    }

    /// Returns the value of an integer that fits `i64`.
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// Returns the value of an integer that fits `u64`.
    #[inline]
    pub fn as_u64(self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// Returns the value of a number as the nearest float.
    #[inline]
    pub fn as_f64(self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// Returns the text of a string.
    #[inline]
    pub fn as_str(self) -> Option<&'t str> {
        self.slot().as_str()
    }

    /// Returns the member `key` of an object. Takes time linear in the number of members, which is
    /// faster than a hash map for the few members of usual arguments.
    #[inline]
    pub fn get(self, key: &str) -> Option<Self> {
        self.members()
            .find_map(|(name, value)| (name == key).then_some(value))
    }

    /// Returns the members of an object in the order of the text; none for other values.
    #[inline]
    pub fn members(self) -> Members<'t> {
        let left = match self.slot() {
            Slot::Object(extent) => extent.length,
            _ => 0,
        };
        Members {
            rest: self.inside(),
            left,
        }
    }

    /// Returns the items of an array; none for other values.
    #[inline]
    pub fn items(self) -> Items<'t> {
        let left = match self.slot() {
            Slot::Array(extent) => extent.length,
            _ => 0,
        };
        Items {
            rest: self.inside(),
            left,
        }
    }

    #[inline]
    fn inside(self) -> &'t [Slot<'t>] {
        self.0.get(1..).unwrap_or_default()
    }
}

/// Iterator over the members of an object.
#[derive(Debug, Clone)]
pub struct Members<'t> {
    rest: &'t [Slot<'t>],
    left: u32,
}

impl<'t> Iterator for Members<'t> {
    type Item = (&'t str, JsonRef<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (key, value) = self.rest.split_first()?;
        self.rest = value.get(value.first()?.size()..)?;
        Some((key.as_str()?, JsonRef(value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

/// Iterator over the items of an array.
#[derive(Debug, Clone)]
pub struct Items<'t> {
    rest: &'t [Slot<'t>],
    left: u32,
}

impl<'t> Iterator for Items<'t> {
    type Item = JsonRef<'t>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let item = self.rest;
        self.rest = item.get(item.first()?.size()..)?;
        Some(JsonRef(item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl JsonRef<'_> {
    /// Copies the value to a [`Value`].
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
        // Whole floats are integers already.
        self.to_value() == other.to_value()
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
