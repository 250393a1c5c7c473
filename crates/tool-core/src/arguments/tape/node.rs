//! One value on a tape, lent.

use std::iter;

use serde_json::{Map, Value};

use super::slot::Slot;
use crate::arguments::parse::Number;

/// One value on a tape, lent; copying is free.
///
/// It is the rest of the tape from its own slot on, so that a node needs no index and its address is its identity.
#[derive(Debug, Clone, Copy)]
pub(in crate::arguments) struct Node<'t>(pub(super) &'t [Slot<'t>]);

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
    pub(in crate::arguments) fn is_null(self) -> bool {
        matches!(self.slot(), Slot::Null)
    }

    /// The boolean, for one.
    #[inline]
    pub(in crate::arguments) fn as_bool(self) -> Option<bool> {
        match self.slot() {
            Slot::Boolean(boolean) => Some(*boolean),
            _ => None,
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
    pub(in crate::arguments) fn as_i64(self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The integer, for one that fits.
    pub(in crate::arguments) fn as_u64(self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// The number, for any.
    pub(in crate::arguments) fn as_f64(self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// The text, for a string.
    #[inline]
    pub(in crate::arguments) fn as_str(self) -> Option<&'t str> {
        self.slot().as_str()
    }

    /// The member `key`, for an object that has it.
    #[inline]
    pub(in crate::arguments) fn get(self, key: &str) -> Option<Self> {
        self.members()
            .find_map(|(name, value)| (name == key).then_some(value))
    }

    /// The members, for an object, in the order of the text.
    #[inline]
    pub(in crate::arguments) fn members(self) -> Members<'t> {
        let left = match self.slot() {
            Slot::Object(extent) => extent.length,
            _ => 0,
        };
        Members {
            rest: self.inside(),
            left,
        }
    }

    /// The items, for an array.
    #[inline]
    pub(in crate::arguments) fn items(self) -> Items<'t> {
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
    pub(in crate::arguments) fn to_value(self) -> Value {
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
pub(in crate::arguments) struct Members<'t> {
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
pub(in crate::arguments) struct Items<'t> {
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
