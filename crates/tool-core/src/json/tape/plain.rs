//! Reading JSON that is surely right, which is nearly all of it.
//!
//! What is not, by any rule or limit, is left to the parser: it says what is wrong and where.

use std::mem;

use super::builder::{MOST_SEARCHED, sieve_bit};
use super::slot::{Extent, Slot, Tape};
use super::spare::make_room;
use crate::json::parse::{
    Number, ParseLimits, plain_length, read_number, read_string, short_integer,
};

/// Reads the whole of `text`; `None` where it is not JSON, or is more than `limits` take.
#[inline]
pub(crate) fn read_plain<'t>(text: &'t str, limits: &ParseLimits) -> Option<Tape<'t>> {
    let mut tape = Tape::default();
    let is_read = read_plain_with(text, limits, &mut tape, |reader, start| {
        reader.value(start, limits.max_depth)
    });
    is_read.then_some(tape)
}

/// The same into an empty tape, where `value` reads the value that begins at a place, and gives its end.
#[inline]
pub(crate) fn read_plain_with<'t>(
    text: &'t str,
    limits: &ParseLimits,
    tape: &mut Tape<'t>,
    value: impl FnOnce(&mut PlainReader<'_, 't>, Start) -> Option<usize>,
) -> bool {
    if text.len() > limits.max_bytes {
        return false;
    }
    make_room(&mut tape.slots, text.len() / 8 + 6);
    let mut reader = PlainReader {
        text,
        bytes: text.as_bytes(),
        slots: &mut tape.slots,
    };
    let start = reader.next(0);
    let end = start.and_then(|start| value(&mut reader, start));
    let is_whole = end.is_some_and(|end| reader.next(end).is_none());
    // Keys are slots too, so that this is early for objects, for which the parser then decides.
    let is_read = is_whole && tape.values() <= limits.max_values;
    if !is_read {
        mem::take(tape).give_back();
    }
    is_read
}

/// Where a value begins, and its first byte.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    pub(crate) first: u8,
    at: usize,
}

/// Reads values one after the other. Whatever it reads gives its end, and `None` where that is not surely right.
pub(crate) struct PlainReader<'r, 't> {
    text: &'t str,
    /// The same.
    bytes: &'t [u8],
    slots: &'r mut Vec<Slot<'t>>,
}

impl<'t> PlainReader<'_, 't> {
    /// Reads a value, in which `levels` more arrays and objects may stand in each other.
    pub(crate) fn value(&mut self, start: Start, levels: usize) -> Option<usize> {
        match start.first {
            b'"' => self.string(start),
            b'{' => self.object(start, levels.checked_sub(1)?),
            b'[' => {
                let levels = levels.checked_sub(1)?;
                self.array(start, |reader, start| reader.value(start, levels))
            }
            b'-' | b'0'..=b'9' => self.number(start),
            b't' => self.word(start.at, b"true", Slot::Boolean(true)),
            b'f' => self.word(start.at, b"false", Slot::Boolean(false)),
            b'n' => self.word(start.at, b"null", Slot::Null),
            _ => None,
        }
    }

    fn object(&mut self, start: Start, levels: usize) -> Option<usize> {
        let place = self.slots.len();
        let (mut length, mut sieve) = (0, 0);
        self.members(start, |reader, start| {
            if start.first != b'"' {
                return None;
            }
            let key = reader.slots.len();
            let end = reader.string(start)?;
            let bit = sieve_bit(reader.slots.get(key)?.as_str()?);
            if sieve & bit != 0 && (length >= MOST_SEARCHED || reader.has_key_twice(place, key)) {
                return None;
            }
            sieve |= bit;
            length += 1;
            let value = reader.behind_colon(end)?;
            reader.value(value, levels)
        })
    }

    /// Reads an object whose members `member` reads, keys included.
    #[inline]
    pub(crate) fn members(
        &mut self,
        start: Start,
        member: impl FnMut(&mut Self, Start) -> Option<usize>,
    ) -> Option<usize> {
        self.inside(start, b'}', Slot::Object, member)
    }

    /// Reads an array whose items `item` reads.
    #[inline]
    pub(crate) fn array(
        &mut self,
        start: Start,
        item: impl FnMut(&mut Self, Start) -> Option<usize>,
    ) -> Option<usize> {
        self.inside(start, b']', Slot::Array, item)
    }

    #[inline]
    fn inside(
        &mut self,
        start: Start,
        last: u8,
        kind: fn(Extent) -> Slot<'t>,
        mut each: impl FnMut(&mut Self, Start) -> Option<usize>,
    ) -> Option<usize> {
        let place = self.open();
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
        self.close(place, kind, length)?;
        Some(next.at + 1)
    }

    /// Reads a key that is known to stand there as it is, without an escape, and gives its value's start.
    #[cfg(feature = "validate")]
    #[inline]
    pub(crate) fn key(&mut self, start: Start, key: &'t str) -> Option<Start> {
        self.slots.push(Slot::Lent(key));
        self.behind_colon(start.at + key.len() + 2)
    }

    /// The text from there on.
    #[cfg(feature = "validate")]
    #[inline]
    pub(crate) fn rest(&self, start: Start) -> &'t [u8] {
        self.bytes.get(start.at..).unwrap_or_default()
    }

    /// Where the value that is read next will stand among those that were read.
    #[cfg(feature = "validate")]
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.slots.len()
    }

    /// The value that stands at such a place.
    #[cfg(feature = "validate")]
    #[inline]
    pub(crate) fn node(&self, place: usize) -> crate::Node<'_> {
        crate::Node::at(self.slots.get(place..).unwrap_or_default())
    }

    #[inline]
    fn behind_colon(&self, end: usize) -> Option<Start> {
        let colon = self.next(end)?;
        if colon.first != b':' {
            return None;
        }
        self.next(colon.at + 1)
    }

    /// Makes room for a container, whose extent is known at its end.
    #[inline]
    fn open(&mut self) -> usize {
        self.slots.push(Slot::Null);
        self.slots.len() - 1
    }

    #[inline]
    fn close(&mut self, place: usize, kind: fn(Extent) -> Slot<'t>, length: u32) -> Option<()> {
        let size = u32::try_from(self.slots.len() - place).ok()?;
        *self.slots.get_mut(place)? = kind(Extent { length, size });
        Some(())
    }

    /// Whether the object at `place` has the key at `key` before that, too.
    #[cold]
    fn has_key_twice(&self, place: usize, key: usize) -> bool {
        let last = self.slots.get(key).and_then(Slot::as_str);
        let mut at = place + 1;
        while at < key {
            if self.slots.get(at).and_then(Slot::as_str) == last {
                return true;
            }
            at += 1 + self.slots.get(at + 1).map_or(1, Slot::size);
        }
        false
    }

    /// Reads the string whose quote stands there.
    #[inline]
    pub(crate) fn string(&mut self, start: Start) -> Option<usize> {
        let inside = start.at + 1;
        let end = inside + plain_length::<b'"'>(self.bytes.get(inside..)?);
        if self.bytes.get(end) == Some(&b'"') {
            self.slots.push(Slot::Lent(self.text.get(inside..end)?));
            return Some(end + 1);
        }
        let (text, end) = read_string(self.text, start.at)?;
        self.slots.push(Slot::of_text(text));
        Some(end)
    }

    #[inline]
    fn number(&mut self, start: Start) -> Option<usize> {
        if let Some((_, end)) = self.short_integer(start) {
            return Some(end);
        }
        let (number, end) = read_number(self.text, start.at)?;
        self.slots.push(Slot::of_number(number));
        Some(end)
    }

    /// Reads an integer of few digits, and gives it with its end; `None` where another number stands there.
    #[inline]
    pub(crate) fn short_integer(&mut self, start: Start) -> Option<(i64, usize)> {
        let (integer, length) = short_integer(self.bytes.get(start.at..)?)?;
        self.slots
            .push(Slot::of_number(Number::from_signed(integer)));
        Some((integer, start.at + length))
    }

    #[inline]
    fn word(&mut self, at: usize, word: &[u8], slot: Slot<'t>) -> Option<usize> {
        let end = at + word.len();
        if self.bytes.get(at..end)? != word {
            return None;
        }
        self.slots.push(slot);
        Some(end)
    }

    /// The first byte from `at` on that is not blank, and where it stands.
    #[inline]
    fn next(&self, at: usize) -> Option<Start> {
        let first = *self.bytes.get(at)?;
        if first > b' ' {
            return Some(Start { first, at });
        }
        // What most models put behind a colon or a comma.
        match self.bytes.get(at + 1) {
            Some(&second) if first == b' ' && second > b' ' => Some(Start {
                first: second,
                at: at + 1,
            }),
            _ => self.next_behind_blanks(at),
        }
    }

    #[inline(never)]
    fn next_behind_blanks(&self, at: usize) -> Option<Start> {
        let rest = self.bytes.get(at..)?;
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let blanks = rest.iter().position(|byte| !is_blank(byte))?;
        let first = *rest.get(blanks)?;
        Some(Start {
            first,
            at: at + blanks,
        })
    }
}

#[cfg(test)]
mod tests;
