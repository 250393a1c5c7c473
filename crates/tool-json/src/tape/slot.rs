//! Slots of a tape, and the buffers that hold them.

use std::borrow::Cow;
use std::cell::Cell;
use std::iter;

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

/// Adds the slot of a container, which [`close`] completes. Returns its position.
#[inline]
pub(crate) fn open(slots: &mut Vec<Slot<'_>>) -> usize {
    slots.push(Slot::Null);
    slots.len() - 1
}

/// Completes the container at `position`. Returns `None` if it has more slots than a tape can count.
#[inline]
pub(crate) fn close<'t>(
    slots: &mut [Slot<'t>],
    position: usize,
    kind: fn(Extent) -> Slot<'t>,
    length: u32,
) -> Option<()> {
    // Four bytes keep a slot at three words; a larger document exceeds the limit on values long
    // before.
    let size = u32::try_from(slots.len() - position).ok()?;
    *slots.get_mut(position)? = kind(Extent { length, size });
    Some(())
}

/// Returns the keys of the open object at `position`.
pub(crate) fn keys<'s>(slots: &'s [Slot<'_>], position: usize) -> impl Iterator<Item = &'s str> {
    let mut at = position + 1;
    iter::from_fn(move || {
        let key = slots.get(at)?.as_str()?;
        at += 1 + slots.get(at + 1).map_or(1, Slot::size);
        Some(key)
    })
}

/// Maximum capacity that a thread keeps, 24 KB.
const MAX_KEPT: usize = 1024;

thread_local! {
    static SPARE: Cell<Vec<Slot<'static>>> = const { Cell::new(Vec::new()) };
}

/// Returns an empty buffer with a capacity of at least `slots`.
#[inline]
pub(crate) fn buffer_for<'t>(slots: usize) -> Vec<Slot<'t>> {
    let mut buffer = Vec::new();
    reserve(&mut buffer, slots);
    buffer
}

/// Replaces an empty buffer in place by one with a capacity of at least `slots`.
#[inline]
pub(crate) fn reserve(buffer: &mut Vec<Slot<'_>>, slots: usize) {
    // Fails in a terminating thread, which has no buffer.
    let _ = SPARE.try_with(|spare| *buffer = spare.take());
    buffer.reserve(slots);
}

/// Keeps an unused buffer for the next tape.
#[inline]
pub(super) fn keep(mut slots: Vec<Slot<'_>>) {
    // One large document must not keep its memory in every thread.
    if slots.capacity() == 0 || slots.capacity() > MAX_KEPT {
        return;
    }
    slots.clear();
    // Collecting an empty iterator of the same type reuses its buffer and changes the lifetime.
    let buffer = slots.into_iter().map(|_| Slot::Null).collect();
    // Fails in a terminating thread.
    let _ = SPARE.try_with(|spare| spare.set(buffer));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reuses_buffer() {
        let mut first = buffer_for(500);
        first.push(Slot::Owned("text".into()));
        let (address, capacity) = (first.as_ptr().addr(), first.capacity());

        keep(first);
        let second = buffer_for(10);

        // An allocator may return the same address, but not the larger capacity.
        assert_eq!(
            (second.as_ptr().addr(), second.capacity()),
            (address, capacity)
        );
        assert!(second.is_empty());
    }

    #[test]
    fn frees_large_buffers() {
        keep(Vec::with_capacity(MAX_KEPT + 1));

        assert!(buffer_for(0).capacity() <= MAX_KEPT);
    }
}
