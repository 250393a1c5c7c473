//! Recursive-descent parser, strict or tolerant, that builds a tape.
//!
//! One parser serves both modes, so repaired input has the value of the same input without its mistakes. It does not depend on
//! features of `serde_json`, which an application may enable.

mod containers;
mod document;
mod scalars;
mod string;

use super::error::{ParseError, ParseErrorKind, ParseLimits, Repair};
use crate::tape::{Slot, buffer_for};

pub(crate) use document::repair_document;
pub use scalars::is_wide;
pub(crate) use string::plain_length;

/// A result with a boxed error, which keeps the usual result small.
pub(crate) type Parsed<T> = Result<T, Box<ParseError>>;

/// Parser of one document.
#[derive(Debug)]
pub(crate) struct Parser<'t> {
    text: &'t str,
    at: usize,
    is_tolerant: bool,
    repairs: Vec<Repair>,
    slots: Vec<Slot<'t>>,
    limits: ParseLimits,
    depth: usize,
    values: usize,
}

impl<'t> Parser<'t> {
    /// Creates a strict parser.
    pub(crate) fn new(text: &'t str, limits: &ParseLimits) -> Self {
        // The size is checked later, so do not allocate for larger input.
        let bytes = text.len().min(limits.max_bytes);
        // With this guess, the buffer doesn't grow for usual arguments, and the parser needs one allocation.
        Self::with_slots(text, limits, buffer_for(bytes / 8 + 6))
    }

    fn with_slots(text: &'t str, limits: &ParseLimits, slots: Vec<Slot<'t>>) -> Self {
        Self {
            text,
            at: 0,
            is_tolerant: false,
            repairs: Vec::new(),
            slots,
            limits: *limits,
            depth: 0,
            values: 0,
        }
    }

    /// Creates a strict parser for the value at byte `at` of a document whose size was checked.
    pub(crate) fn inside(text: &'t str, at: usize, slots: Vec<Slot<'t>>, levels: usize) -> Self {
        let limits = ParseLimits {
            max_depth: levels,
            ..ParseLimits::default()
        };
        Self {
            at,
            ..Self::with_slots(text, &limits, slots)
        }
    }

    /// Returns the end of what was read, and the slots.
    pub(crate) fn into_parts(self) -> (usize, Vec<Slot<'t>>) {
        (self.at, self.slots)
    }

    /// Reads the value that starts here.
    pub(crate) fn value(&mut self) -> Parsed<()> {
        self.values += 1;
        if self.values > self.limits.max_values {
            return self.fail(ParseErrorKind::TooManyValues(self.limits.max_values));
        }
        match self.peek() {
            Some(b'"') => {
                let text = self.string::<b'"'>()?;
                self.slots.push(Slot::of_text(text));
                Ok(())
            }
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.literal(),
        }
    }

    /// Returns the next byte.
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Returns the unread text.
    fn rest(&self) -> &'t str {
        self.slice(self.at, self.text.len())
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Fails because `what` is missing here, or because the text is truncated.
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.expected_at(self.at, what)
    }

    #[cold]
    fn expected_at<T>(&self, at: usize, what: &str) -> Parsed<T> {
        let kind = if at >= self.text.len() {
            ParseErrorKind::Truncated
        } else {
            ParseErrorKind::Expected(what.to_owned())
        };
        Self::fail_at(at, kind)
    }

    /// Fails with `kind` here.
    fn fail<T>(&self, kind: ParseErrorKind) -> Parsed<T> {
        Self::fail_at(self.at, kind)
    }

    #[cold]
    fn fail_at<T>(at: usize, kind: ParseErrorKind) -> Parsed<T> {
        Err(Box::new(ParseError::at(at, kind)))
    }
}
