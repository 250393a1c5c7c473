//! One value on a tape, lent.

use std::{fmt, iter};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::slot::Slot;
use crate::json::parse::Number;

/// One value inside the arguments of a call, lent; copying is free.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Arguments;
///
/// let arguments = Arguments::from_value(json!({"lines": {"first": 3}}));
/// let first = arguments.get("lines").and_then(|lines| lines.get("first"));
/// assert_eq!(first.and_then(|node| node.as_i64()), Some(3));
/// ```
// It is the rest of the tape from its own slot on, so that a node needs no index and its address is its identity.
#[derive(Clone, Copy)]
pub struct Node<'t>(pub(super) &'t [Slot<'t>]);

/// A value by its kind.
#[cfg(feature = "validate")]
#[derive(Debug, Clone, Copy)]
pub(crate) enum NodeView<'t> {
    Null,
    Boolean,
    Integer(i128),
    Float(f64),
    Text(&'t str),
    /// An array of so many items.
    Array(usize),
    Object,
}

impl<'t> Node<'t> {
    pub(super) fn at(slots: &'t [Slot<'t>]) -> Self {
        Self(slots)
    }

    #[inline]
    pub(super) fn slot(self) -> &'t Slot<'t> {
        self.0.first().unwrap_or(&Slot::Null)
    }

    /// Whether this is null.
    #[inline]
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self.slot(), Slot::Null)
    }

    /// The boolean, for one.
    #[inline]
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.slot() {
            Slot::Boolean(boolean) => Some(*boolean),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn is_object(self) -> bool {
        matches!(self.slot(), Slot::Object(_))
    }

    /// What kind of value this is, and the scalar itself.
    #[cfg(feature = "validate")]
    #[inline]
    pub(crate) fn view(self) -> NodeView<'t> {
        match self.slot() {
            Slot::Null | Slot::Open(_) => NodeView::Null,
            Slot::Boolean(_) => NodeView::Boolean,
            Slot::Unsigned(number) => NodeView::Integer(i128::from(*number)),
            Slot::Signed(number) => NodeView::Integer(i128::from(*number)),
            Slot::Float(number) => NodeView::Float(*number),
            Slot::Lent(text) => NodeView::Text(text),
            Slot::Owned(text) => NodeView::Text(text),
            Slot::Array(extent) => NodeView::Array(extent.length as usize),
            Slot::Object(_) => NodeView::Object,
        }
    }

    /// The number, for one.
    #[inline]
    pub(super) fn as_number(self) -> Option<Number> {
        match self.slot() {
            Slot::Unsigned(number) => Some(Number::Unsigned(*number)),
            Slot::Signed(number) => Some(Number::Signed(*number)),
            Slot::Float(number) => Some(Number::Float(*number)),
            _ => None,
        }
    }

    /// The integer, for one that fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The integer, for one that fits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// The number, for any.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// The text, for a string.
    #[inline]
    #[must_use]
    pub fn as_str(self) -> Option<&'t str> {
        self.slot().as_str()
    }

    /// The member `key`, for an object that has it.
    #[inline]
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        self.members()
            .find_map(|(name, value)| (name == key).then_some(value))
    }

    /// The members, for an object, in the order of the text.
    pub fn members(self) -> impl Iterator<Item = (&'t str, Self)> + use<'t> {
        self.member_nodes()
    }

    /// The items, for an array.
    pub fn items(self) -> impl Iterator<Item = Self> + use<'t> {
        self.item_nodes()
    }

    #[inline]
    pub(super) fn member_nodes(self) -> Members<'t> {
        let left = match self.slot() {
            Slot::Object(extent) => extent.length,
            _ => 0,
        };
        Members {
            rest: self.inside(),
            left,
        }
    }

    #[inline]
    pub(super) fn item_nodes(self) -> Items<'t> {
        let left = match self.slot() {
            Slot::Array(extent) => extent.length,
            _ => 0,
        };
        Items {
            rest: self.inside(),
            left,
        }
    }

    /// A copy as [`Value`].
    #[must_use]
    pub fn to_value(self) -> Value {
        match self.slot() {
            Slot::Null | Slot::Open(_) => Value::Null,
            Slot::Boolean(boolean) => Value::Bool(*boolean),
            Slot::Unsigned(number) => Value::from(*number),
            Slot::Signed(number) => Value::from(*number),
            Slot::Float(number) => Value::from(*number),
            Slot::Lent(text) => Value::from(*text),
            Slot::Owned(text) => Value::from(&**text),
            Slot::Array(_) => self.items().map(Self::to_value).collect(),
            Slot::Object(_) => {
                // One by one: collecting would sort them in a vector first.
                let mut members = Map::new();
                for (key, value) in self.members() {
                    members.insert(key.to_owned(), value.to_value());
                }
                Value::Object(members)
            }
        }
    }

    /// Items or members, for a container.
    pub(crate) fn length(self) -> usize {
        self.slot().length()
    }

    /// The slots of this value and of what is inside it.
    pub(super) fn subtree(self) -> &'t [Slot<'t>] {
        self.0.get(..self.slot().size()).unwrap_or_default()
    }

    fn inside(self) -> &'t [Slot<'t>] {
        self.0.get(1..).unwrap_or_default()
    }
}

impl PartialEq for Node<'_> {
    /// The same value as JSON has it: the order of members does not matter, `1` and `1.0` are one number.
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

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.slot() {
            Slot::Null | Slot::Open(_) => serializer.serialize_unit(),
            Slot::Boolean(boolean) => serializer.serialize_bool(*boolean),
            Slot::Unsigned(number) => serializer.serialize_u64(*number),
            Slot::Signed(number) => serializer.serialize_i64(*number),
            Slot::Float(number) => serializer.serialize_f64(*number),
            Slot::Lent(text) => serializer.serialize_str(text),
            Slot::Owned(text) => serializer.serialize_str(text),
            Slot::Array(_) => serializer.collect_seq(self.item_nodes()),
            Slot::Object(_) => serializer.collect_map(self.member_nodes()),
        }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_value(), f)
    }
}

fn same((left, right): (Node<'_>, Node<'_>)) -> bool {
    left == right
}

/// Whether `right` has the members of `left`; sorted first, so that large objects take no square of time.
fn has_members_of(left: Node<'_>, right: Node<'_>) -> bool {
    let [left, right] = [left, right].map(|node| {
        let mut members: Vec<_> = node.members().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        members
    });
    iter::zip(left, right)
        .all(|((left_key, left), (right_key, right))| left_key == right_key && left == right)
}

/// The members of an object.
#[derive(Debug, Clone)]
pub(crate) struct Members<'t> {
    rest: &'t [Slot<'t>],
    left: u32,
}

impl<'t> Iterator for Members<'t> {
    type Item = (&'t str, Node<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (key, value) = self.rest.split_first()?;
        self.rest = value.get(value.first()?.size()..)?;
        Some((key.as_str()?, Node(value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

/// The items of an array.
#[derive(Debug, Clone)]
pub(crate) struct Items<'t> {
    rest: &'t [Slot<'t>],
    left: u32,
}

impl<'t> Iterator for Items<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let item = self.rest;
        self.rest = item.get(item.first()?.size()..)?;
        Some(Node(item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}
