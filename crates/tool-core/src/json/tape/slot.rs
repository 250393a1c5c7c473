//! The slots of a tape.

use std::borrow::Cow;

use serde_json::Value;

use super::lend::lend;
use super::node::Node;
use super::spare::{keep, room_for};
use crate::json::parse::{Number, ParseErrorKind, ParseLimits};

/// One JSON value, lent from its text where that is possible.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tape<'t> {
    pub(super) slots: Vec<Slot<'t>>,
}

/// One scalar or key, or the beginning of an array or object.
#[derive(Debug, Clone)]
pub(super) enum Slot<'t> {
    Null,
    Boolean(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Lent(&'t str),
    Owned(Box<str>),
    Array(Extent),
    Object(Extent),
    /// A container whose end was not reached yet, with what is known of the one around it.
    Open(Open),
}

/// How far an array or object reaches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Items or members.
    pub(super) length: u32,
    /// Slots of the whole subtree, this one included.
    pub(super) size: u32,
}

/// What is known of a container while it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// The container's slot.
    pub(super) at: u32,
    /// Items or members so far.
    pub(super) length: u32,
    /// One bit for each kind of key so far; a key whose bit is not there yet is new.
    pub(super) sieve: u64,
}

impl Default for Open {
    fn default() -> Self {
        Self::NONE
    }
}

impl Open {
    /// No container is open.
    pub(super) const NONE: Self = Self {
        at: u32::MAX,
        length: 0,
        sieve: 0,
    };
}

const _: () = assert!(size_of::<Slot<'_>>() == 24, "a slot is three words");

impl<'t> Slot<'t> {
    /// Slots from here to the next sibling.
    #[inline]
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Array(extent) | Self::Object(extent) => extent.size as usize,
            _ => 1,
        }
    }

    /// Items or members.
    #[inline]
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Array(extent) | Self::Object(extent) => extent.length as usize,
            _ => 0,
        }
    }

    #[inline]
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Lent(text) => Some(text),
            Self::Owned(text) => Some(text),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn of_text(text: Cow<'t, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Lent(text),
            Cow::Owned(text) => Self::Owned(text.into()),
        }
    }

    #[inline]
    pub(super) fn of_number(number: Number) -> Self {
        match number {
            Number::Unsigned(number) => Self::Unsigned(number),
            Number::Signed(number) => Self::Signed(number),
            Number::Float(number) => Self::Float(number),
        }
    }

    /// The same with the text lent from this one.
    pub(super) fn lend(&'t self) -> Self {
        match self {
            Self::Owned(text) => Self::Lent(text),
            other => other.clone(),
        }
    }

    fn into_owned(self) -> Slot<'static> {
        match self {
            Self::Null => Slot::Null,
            Self::Boolean(boolean) => Slot::Boolean(boolean),
            Self::Unsigned(number) => Slot::Unsigned(number),
            Self::Signed(number) => Slot::Signed(number),
            Self::Float(number) => Slot::Float(number),
            Self::Lent(text) => Slot::Owned(text.into()),
            Self::Owned(text) => Slot::Owned(text),
            Self::Array(extent) => Slot::Array(extent),
            Self::Object(extent) => Slot::Object(extent),
            Self::Open(open) => Slot::Open(open),
        }
    }
}

impl<'t> Tape<'t> {
    /// The same as `value`, from which the strings are lent; whole floats become integers here too.
    ///
    /// # Errors
    /// The value is deeper than a text may be.
    pub(crate) fn of_value(value: &'t Value, limits: &ParseLimits) -> Result<Self, ParseErrorKind> {
        Self::lending(value, limits.max_depth).ok_or(ParseErrorKind::TooDeep(limits.max_depth))
    }

    /// The same as `value`, which is known to be no deeper than a text may be.
    pub(crate) fn of_known_value(value: &'t Value) -> Self {
        Self::lending(value, usize::MAX).unwrap_or_default()
    }

    fn lending(value: &'t Value, levels: usize) -> Option<Self> {
        let mut slots = room_for(6);
        lend(value, levels, &mut slots)?;
        Some(Self { slots })
    }

    /// The object without members.
    pub(crate) fn of_no_members() -> Self {
        let extent = Extent { length: 0, size: 1 };
        Self {
            slots: vec![Slot::Object(extent)],
        }
    }

    /// Leaves the room to the next tape of this thread.
    pub(crate) fn give_back(self) {
        keep(self.slots);
    }

    /// Scalars, keys and containers, at every depth.
    pub(crate) fn values(&self) -> usize {
        self.slots.len()
    }

    /// All of them.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.slots.len()).filter_map(|at| self.slots.get(at..).map(Node::at))
    }

    /// The whole value.
    #[inline]
    pub(crate) fn root(&self) -> Node<'_> {
        Node::at(&self.slots)
    }

    /// The same with strings of its own.
    pub(crate) fn into_owned(self) -> Tape<'static> {
        Tape {
            slots: self.slots.into_iter().map(Slot::into_owned).collect(),
        }
    }
}

impl Tape<'static> {
    /// The same as `value`, which the caller keeps no deeper than its own code can walk.
    pub(crate) fn of_owned_value(value: &Value) -> Self {
        Tape::of_known_value(value).into_owned()
    }
}
