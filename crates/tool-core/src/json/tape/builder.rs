//! Making a tape, piece by piece.

use std::borrow::Cow;

#[cfg(feature = "typed")]
use serde_json::Value;

#[cfg(feature = "typed")]
use super::lend::lend;
use super::node::Node;
use super::slot::{Extent, Open, Slot, Tape};
use super::spare::room_for;
use crate::json::parse::Number;

/// Objects up to this many members are searched for a key that may be there; larger ones are sorted once, at their end.
pub(super) const MOST_SEARCHED: u32 = 64;

/// An object has this key twice.
#[derive(Debug)]
pub(crate) struct Duplicate(pub(crate) String);

/// Takes the pieces of one JSON value in the order of its text.
#[derive(Debug, Default)]
pub(crate) struct Builder<'t> {
    slots: Vec<Slot<'t>>,
    /// What is known of the innermost container that is open.
    innermost: Open,
}

impl<'t> Builder<'t> {
    /// A builder that need not grow for a usual text of `bytes` bytes.
    pub(crate) fn with_room_for(bytes: usize) -> Self {
        Self {
            slots: room_for(bytes / 8 + 6),
            innermost: Open::NONE,
        }
    }

    /// A builder that adds to `slots`, in which no container is open.
    pub(super) fn going_on_with(slots: Vec<Slot<'t>>) -> Self {
        Self {
            slots,
            innermost: Open::NONE,
        }
    }

    #[inline]
    pub(crate) fn null(&mut self) {
        self.item(Slot::Null);
    }

    #[inline]
    pub(crate) fn boolean(&mut self, boolean: bool) {
        self.item(Slot::Boolean(boolean));
    }

    #[inline]
    pub(crate) fn number(&mut self, number: Number) {
        self.item(Slot::of_number(number));
    }

    #[inline]
    pub(crate) fn string(&mut self, text: Cow<'t, str>) {
        self.item(Slot::of_text(text));
    }

    /// The key of the member whose value comes next.
    ///
    /// # Errors
    /// The object has this key already, as far as that is known before its end.
    #[inline]
    pub(crate) fn key(&mut self, key: Cow<'t, str>) -> Result<(), Duplicate> {
        let bit = sieve_bit(&key);
        let is_suspect = self.innermost.sieve & bit != 0;
        self.innermost.sieve |= bit;
        if is_suspect && self.innermost.length < MOST_SEARCHED && self.has_key(&key) {
            return Err(Duplicate(key.into_owned()));
        }
        self.slots.push(Slot::of_text(key));
        Ok(())
    }

    #[inline]
    pub(crate) fn open(&mut self) {
        let at = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.innermost.length += 1;
        self.slots.push(Slot::Open(self.innermost));
        self.innermost = Open {
            at,
            length: 0,
            sieve: 0,
        };
    }

    #[inline]
    pub(crate) fn close_array(&mut self) {
        self.close(Slot::Array);
    }

    /// Ends the innermost object.
    ///
    /// # Errors
    /// The object has a key twice.
    #[inline]
    pub(crate) fn close_object(&mut self) -> Result<(), Duplicate> {
        if self.innermost.length > MOST_SEARCHED {
            self.check_keys()?;
        }
        self.close(Slot::Object);
        Ok(())
    }

    pub(crate) fn finish(self) -> Tape<'t> {
        Tape { slots: self.slots }
    }

    /// A whole value, whose keys are known to differ, and which is known to be no deeper than a text may be.
    #[cfg(feature = "typed")]
    pub(super) fn value(&mut self, value: &'t Value) {
        self.innermost.length += 1;
        // There are never more slots than can be counted: each takes memory.
        let _ = lend(value, usize::MAX, &mut self.slots);
    }

    /// A whole value of another tape.
    pub(super) fn copy(&mut self, node: Node<'t>) {
        self.item(node.slot().lend());
        let inside = node.subtree().get(1..).unwrap_or_default();
        self.slots.extend(inside.iter().map(Slot::lend));
    }

    /// A key that the object is known not to have yet.
    pub(super) fn known_key(&mut self, key: Slot<'t>) {
        self.slots.push(key);
    }

    /// Ends an object whose keys are known to differ.
    pub(super) fn close_known_object(&mut self) {
        self.close(Slot::Object);
    }

    /// A scalar, or the beginning of a container.
    #[inline]
    pub(super) fn item(&mut self, slot: Slot<'t>) {
        self.innermost.length += 1;
        self.slots.push(slot);
    }

    #[inline]
    fn close(&mut self, kind: fn(Extent) -> Slot<'t>) {
        let at = self.innermost.at as usize;
        let size = u32::try_from(self.slots.len().saturating_sub(at)).unwrap_or(u32::MAX);
        let length = self.innermost.length;
        if let Some(slot) = self.slots.get_mut(at)
            && let Slot::Open(around) = *slot
        {
            *slot = kind(Extent { length, size });
            self.innermost = around;
        }
    }

    fn has_key(&self, key: &str) -> bool {
        self.keys().any(|known| known == key)
    }

    fn check_keys(&self) -> Result<(), Duplicate> {
        let mut keys: Vec<&str> = self.keys().collect();
        keys.sort_unstable();
        for (key, next) in keys.iter().zip(keys.iter().skip(1)) {
            if key == next {
                return Err(Duplicate((*key).to_owned()));
            }
        }
        Ok(())
    }

    /// The keys of the innermost object so far.
    fn keys(&self) -> impl Iterator<Item = &str> {
        let mut at = (self.innermost.at as usize).saturating_add(1);
        std::iter::from_fn(move || {
            let key = self.slots.get(at)?.as_str();
            at += 1 + self.slots.get(at + 1).map_or(1, Slot::size);
            key
        })
    }
}

/// A bit that equal keys share, from what is quick to know of a key; other keys seldom share it.
#[inline]
pub(super) fn sieve_bit(key: &str) -> u64 {
    // The golden ratio in 64 bits spreads neighbouring numbers over the top six of them.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let bytes = key.as_bytes();
    let first = bytes.first().copied().unwrap_or_default();
    let last = bytes.last().copied().unwrap_or_default();
    let known = u64::from_le_bytes([first, last, 0, 0, 0, 0, 0, 0]) ^ (bytes.len() as u64) << 16;
    1 << (known.wrapping_mul(SPREAD) >> 58)
}
