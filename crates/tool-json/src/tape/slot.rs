//! Slots of a tape.

use std::borrow::Cow;

use crate::number::Number;

/// A scalar, a key, or the start of an array or object.
#[derive(Debug, Clone)]
pub(crate) enum Slot<'t> {
    Null,
    Boolean(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Borrowed(&'t str),
    Owned(Box<str>),
    Array(Extent),
    Object(Extent),
}

/// Size of an array or object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Number of items or members.
    pub(crate) length: u32,
    /// Number of slots of the subtree, including this one.
    pub(crate) size: u32,
}

// A document has a slot for each value and key, so one word more is a third more memory.
const _: () = assert!(size_of::<Slot<'_>>() == 24, "a slot is three words");

impl<'t> Slot<'t> {
    /// Returns the number of slots up to the next sibling.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Array(extent) | Self::Object(extent) => extent.size as usize,
            _ => 1,
        }
    }

    #[inline]
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Borrowed(text) => Some(text),
            Self::Owned(text) => Some(text),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn of_text(text: Cow<'t, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Borrowed(text),
            Cow::Owned(text) => Self::Owned(text.into()),
        }
    }

    #[inline]
    pub(crate) fn of_number(number: Number) -> Self {
        match number {
            Number::Unsigned(number) => Self::Unsigned(number),
            Number::Signed(number) => Self::Signed(number),
            Number::Float(number) => Self::Float(number),
        }
    }

    pub(super) fn into_owned(self) -> Slot<'static> {
        match self {
            Self::Null => Slot::Null,
            Self::Boolean(boolean) => Slot::Boolean(boolean),
            Self::Unsigned(number) => Slot::Unsigned(number),
            Self::Signed(number) => Slot::Signed(number),
            Self::Float(number) => Slot::Float(number),
            Self::Borrowed(text) => Slot::Owned(text.into()),
            Self::Owned(text) => Slot::Owned(text),
            Self::Array(extent) => Slot::Array(extent),
            Self::Object(extent) => Slot::Object(extent),
        }
    }
}
