//! Arrays and objects.

use std::borrow::Cow;
use std::mem;

use super::{Parsed, Parser};
use crate::error::{ParseError, ParseErrorKind, RepairKind, prepend};
use crate::tape::{Extent, Slot, close, keys, open};
use crate::text::short;

/// Maximum number of members that are searched for each key; the keys of larger objects are sorted at their end.
// Searching all of them for each key would be quadratic, which a hostile document could use.
const MAX_SEARCHED: usize = 64;

impl<'t> Parser<'t> {
    pub(super) fn object(&mut self) -> Parsed<()> {
        self.enter()?;
        let position = open(&mut self.slots);
        self.spaces()?;
        let length = match self.peek() {
            Some(b'}') => 0,
            _ => self.members(position)?,
        };
        self.leave();
        if length > MAX_SEARCHED {
            self.check_keys(position)?;
        }
        self.close(position, Slot::Object, length)
    }

    /// Reads the members of the object at `position` and returns their number.
    fn members(&mut self, position: usize) -> Parsed<usize> {
        for length in 1.. {
            let key_at = self.at;
            let key = self.key()?;
            if length <= MAX_SEARCHED && keys(&self.slots, position).any(|known| known == key) {
                let kind = ParseErrorKind::DuplicateKey(key.into_owned());
                return Self::fail_at(key_at, kind);
            }
            self.slots.push(Slot::of_text(key));
            let mark = self.repairs.len();
            if let Err(error) = self.value() {
                return self.fail_in_member(key_at, error);
            }
            if self.repairs.len() > mark {
                let key = self.key_again(key_at);
                self.locate_repairs(mark, &key);
            }
            if !self.continues_after_member(key_at)? {
                return Ok(length);
            }
        }
        Ok(0)
    }

    /// Fails if an object has a key twice.
    fn check_keys(&self, position: usize) -> Parsed<()> {
        // Sorting is the cheap way for many keys.
        let mut keys: Vec<&str> = keys(&self.slots, position).collect();
        keys.sort_unstable();
        let mut pairs = keys.iter().zip(keys.iter().skip(1));
        match pairs.find(|(key, next)| key == next) {
            Some((key, _)) => self.fail(ParseErrorKind::DuplicateKey((*key).to_owned())),
            None => Ok(()),
        }
    }

    fn close(
        &mut self,
        position: usize,
        kind: fn(Extent) -> Slot<'t>,
        length: usize,
    ) -> Parsed<()> {
        let length = u32::try_from(length).ok();
        match length.and_then(|length| close(&mut self.slots, position, kind, length)) {
            Some(()) => Ok(()),
            None => self.fail(ParseErrorKind::TooManyValues(self.limits.max_values)),
        }
    }

    #[cold]
    fn fail_in_member<T>(&mut self, key_at: usize, mut error: Box<ParseError>) -> Parsed<T> {
        prepend(&mut error.pointer, &self.key_again(key_at));
        Err(error)
    }

    fn continues_after_member(&mut self, key_at: usize) -> Parsed<bool> {
        let value_end = self.at;
        if !matches!(self.peek(), Some(b',' | b'}')) {
            self.spaces()?;
        }
        match self.peek() {
            Some(b'}') => Ok(false),
            Some(b',') => self.continues_after_comma(b'}'),
            _ => self.continues_without_comma(key_at, value_end),
        }
    }

    #[cold]
    fn continues_without_comma(&mut self, key_at: usize, value_end: usize) -> Parsed<bool> {
        if self.lacks_comma_before_key(value_end) {
            return self.missing_comma();
        }
        let key = short(&self.key_again(key_at), 60);
        self.expected(&format!("`,` or `}}` after the value of `{key}`"))
    }

    pub(super) fn array(&mut self) -> Parsed<()> {
        self.enter()?;
        let position = open(&mut self.slots);
        self.spaces()?;
        let length = match self.peek() {
            Some(b']') => 0,
            _ => self.items()?,
        };
        self.leave();
        self.close(position, Slot::Array, length)
    }

    /// Reads the items of an array and returns their number.
    fn items(&mut self) -> Parsed<usize> {
        for index in 0.. {
            let mark = self.repairs.len();
            if let Err(mut error) = self.value() {
                prepend(&mut error.pointer, &index.to_string());
                return Err(error);
            }
            if self.repairs.len() > mark {
                self.locate_repairs(mark, &index.to_string());
            }
            if !self.continues_after_item(index)? {
                return Ok(index + 1);
            }
        }
        Ok(0)
    }

    fn continues_after_item(&mut self, index: usize) -> Parsed<bool> {
        let value_end = self.at;
        if !matches!(self.peek(), Some(b',' | b']')) {
            self.spaces()?;
        }
        match self.peek() {
            Some(b']') => Ok(false),
            Some(b',') => self.continues_after_comma(b']'),
            _ if self.lacks_comma_before_item(value_end) => self.missing_comma(),
            _ => self.expected(&format!("`,` or `]` after item {index}")),
        }
    }

    fn continues_after_comma(&mut self, closing: u8) -> Parsed<bool> {
        self.at += 1;
        self.spaces()?;
        if self.is_tolerant && self.peek() == Some(closing) {
            self.note(RepairKind::TrailingComma, ",", "")?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Reads a key and the colon after it.
    fn key(&mut self) -> Parsed<Cow<'t, str>> {
        let key = self.key_text()?;
        if self.peek() != Some(b':') {
            self.spaces()?;
            if self.peek() != Some(b':') {
                return self.expected_colon(&key);
            }
        }
        self.at += 1;
        self.spaces()?;
        Ok(key)
    }

    #[cold]
    fn expected_colon<T>(&self, key: &str) -> Parsed<T> {
        let key = short(key, 60);
        self.expected(&format!("`:` after the key `{key}`"))
    }

    fn key_text(&mut self) -> Parsed<Cow<'t, str>> {
        match self.peek() {
            Some(b'"') => self.string::<b'"'>(),
            Some(_) if self.is_tolerant => self.tolerated_key(),
            _ => self.expected("a key in double quotes"),
        }
    }

    /// Reads the key at `key_at` again, for a pointer. Keys are not kept, so that valid text costs nothing.
    #[cold]
    fn key_again(&mut self, key_at: usize) -> Cow<'t, str> {
        let at = mem::replace(&mut self.at, key_at);
        let repairs = mem::take(&mut self.repairs);
        let key = self.key_text().unwrap_or_default();
        self.at = at;
        self.repairs = repairs;
        key
    }

    #[cold]
    fn locate_repairs(&mut self, mark: usize, segment: &str) {
        for repair in self.repairs.iter_mut().skip(mark) {
            prepend(&mut repair.pointer, segment);
        }
    }

    fn enter(&mut self) -> Parsed<()> {
        if self.depth == self.limits.max_depth {
            return self.fail(ParseErrorKind::TooDeep(self.limits.max_depth));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }
}
