//! Reader of valid JSON for callers that check values as they are read; `tool-core` does. Not part of the stable API.
//!
//! It reports no errors: for anything invalid, unusual or over a limit it returns `None`, and the caller parses the text again.

use std::mem;

use super::error::ParseLimits;
use crate::number::{Number, short_integer};
use crate::parser::{Parser, plain_length};
use crate::tape::{Extent, JsonRef, Slot, Tape, close, open, reserve};

/// Reads a document into an empty tape. `value` reads the value at its start and returns its end.
///
/// Returns `false` and leaves the tape empty if the text is not read.
#[inline]
pub fn read_with<'t>(
    text: &'t str,
    limits: &ParseLimits,
    tape: &mut Tape<'t>,
    value: impl FnOnce(&mut Reader<'_, 't>, Start) -> Option<usize>,
) -> bool {
    if text.len() > limits.max_bytes {
        return false;
    }
    reserve(&mut tape.slots, text.len() / 8 + 6);
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        slots: &mut tape.slots,
    };
    let start = reader.next(0);
    let end = start.and_then(|start| value(&mut reader, start));
    let is_complete = end.is_some_and(|end| reader.next(end).is_none());
    // Slots include keys, so the limit applies early to objects; the parser then decides.
    let is_read = is_complete && tape.size() <= limits.max_values;
    if !is_read {
        // Without the slots that were read so far: the caller parses again from the start.
        mem::take(tape).recycle();
    }
    is_read
}

/// Start of a value.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// First byte of the value.
    pub first: u8,
    at: usize,
}

/// Reader of consecutive values. Its methods return the end of the value, or `None` if the parser must decide.
#[derive(Debug)]
pub struct Reader<'r, 't> {
    text: &'t str,
    bytes: &'t [u8],
    slots: &'r mut Vec<Slot<'t>>,
}

impl<'t> Reader<'_, 't> {
    /// Reads any value of at most `levels` levels.
    pub fn value(&mut self, start: Start, levels: usize) -> Option<usize> {
        let mut parser = Parser::inside(self.text, start.at, mem::take(self.slots), levels);
        let is_read = parser.value().is_ok();
        let (end, slots) = parser.into_parts();
        *self.slots = slots;
        is_read.then_some(end)
    }

    /// Reads an object; `member` reads each key and value, and notices a key that comes twice.
    #[inline]
    pub fn members(
        &mut self,
        start: Start,
        member: impl FnMut(&mut Self, Start) -> Option<usize>,
    ) -> Option<usize> {
        self.container(start, b'}', Slot::Object, member)
    }

    /// Reads an array; `item` reads each item.
    #[inline]
    pub fn array(
        &mut self,
        start: Start,
        item: impl FnMut(&mut Self, Start) -> Option<usize>,
    ) -> Option<usize> {
        self.container(start, b']', Slot::Array, item)
    }

    #[inline]
    fn container(
        &mut self,
        start: Start,
        last: u8,
        kind: fn(Extent) -> Slot<'t>,
        mut each: impl FnMut(&mut Self, Start) -> Option<usize>,
    ) -> Option<usize> {
        let position = open(self.slots);
        let mut length = 0;
        let mut next = self.next(start.at + 1)?;
        if next.first != last {
            loop {
                let end = each(self, next)?;
                length += 1;
                next = self.next(end)?;
                match next.first {
                    b',' => next = self.next(next.at + 1)?,
                    byte if byte == last => break,
                    _ => return None,
                }
            }
        }
        close(self.slots, position, kind, length)?;
        Some(next.at + 1)
    }

    /// Reads `key`, which the text must have at `start` without escapes. Returns the start of its value.
    #[inline]
    pub fn key(&mut self, start: Start, key: &'t str) -> Option<Start> {
        self.slots.push(Slot::Borrowed(key));
        self.after_colon(start.at + key.len() + 2)
    }

    /// Returns the text after `start`.
    #[inline]
    pub fn rest(&self, start: Start) -> &'t [u8] {
        self.bytes.get(start.at..).unwrap_or_default()
    }

    /// Returns the position of the next value, for [`Reader::get`].
    #[inline]
    pub fn position(&self) -> usize {
        self.slots.len()
    }

    /// Returns the value that was read at `position`.
    #[inline]
    pub fn get(&self, position: usize) -> JsonRef<'_> {
        JsonRef::at(self.slots.get(position..).unwrap_or_default())
    }

    #[inline]
    fn after_colon(&self, end: usize) -> Option<Start> {
        let colon = self.next(end)?;
        if colon.first != b':' {
            return None;
        }
        self.next(colon.at + 1)
    }

    /// Reads a string.
    #[inline]
    pub fn string(&mut self, start: Start) -> Option<usize> {
        let inside = start.at + 1;
        let end = inside + plain_length::<b'"'>(self.bytes.get(inside..)?);
        if self.bytes.get(end) == Some(&b'"') {
            self.slots.push(Slot::Borrowed(self.text.get(inside..end)?));
            return Some(end + 1);
        }
        self.value(start, 0)
    }

    /// Reads an integer of at most 18 digits. Returns it and its end.
    #[inline]
    pub fn short_integer(&mut self, start: Start) -> Option<(i64, usize)> {
        let (integer, length) = short_integer(self.bytes.get(start.at..)?)?;
        self.slots
            .push(Slot::of_number(Number::from_signed(integer)));
        Some((integer, start.at + length))
    }

    /// Returns the first byte after `at` that is not whitespace.
    #[inline]
    fn next(&self, at: usize) -> Option<Start> {
        let first = *self.bytes.get(at)?;
        if first > b' ' {
            return Some(Start { first, at });
        }
        // Most models write one space after a colon or comma.
        match self.bytes.get(at + 1) {
            Some(&second) if first == b' ' && second > b' ' => Some(Start {
                first: second,
                at: at + 1,
            }),
            _ => self.next_after_spaces(at),
        }
    }

    #[inline(never)]
    fn next_after_spaces(&self, at: usize) -> Option<Start> {
        let rest = self.bytes.get(at..)?;
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let at = at + rest.iter().position(|byte| !is_space(byte))?;
        let first = *self.bytes.get(at)?;
        Some(Start { first, at })
    }
}

#[cfg(test)]
mod tests;
