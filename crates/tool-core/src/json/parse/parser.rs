//! Values, arrays and objects.

use std::borrow::Cow;
use std::mem;

use super::error::{ParseError, ParseErrorKind, prepend};
use crate::json::tape::{Builder, Duplicate, Tape};
use crate::{Change, text};

/// A parse error inside the parser; in a box, because it is far larger than what usually comes back.
pub(crate) type Parsed<T> = Result<T, Box<ParseError>>;

/// How much text the parser takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_field_names,
    reason = "each one is the most of something"
)]
pub(crate) struct ParseLimits {
    /// The most bytes of text.
    pub(crate) max_bytes: usize,
    /// The most arrays and objects inside each other.
    pub(crate) max_depth: usize,
    /// The most values, counted at every depth.
    pub(crate) max_values: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self {
            max_bytes: 4 * 1024 * 1024,
            // What serde_json takes, so that nothing that passes here fails there.
            max_depth: 127,
            max_values: 1 << 20,
        }
    }
}

/// Reads one text to a tape.
#[derive(Debug)]
pub(crate) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) is_tolerant: bool,
    pub(super) changes: Vec<Change>,
    pub(super) builder: Builder<'t>,
    limits: ParseLimits,
    depth: usize,
    values: usize,
}

/// Reads the whole of `text` strictly.
pub(crate) fn parse_tape<'t>(text: &'t str, limits: &ParseLimits) -> Result<Tape<'t>, ParseError> {
    let mut parser = Parser::new(text, limits);
    match parser.document() {
        Ok(()) => Ok(parser.builder.finish()),
        Err(error) => Err(error.located_in(text)),
    }
}

impl<'t> Parser<'t> {
    /// A parser that takes RFC 8259 and nothing else.
    pub(crate) fn new(text: &'t str, limits: &ParseLimits) -> Self {
        // The size is checked before anything is put in; a refused text must not cost memory.
        let room = text.len().min(limits.max_bytes);
        Self::with_builder(text, limits, Builder::with_room_for(room))
    }

    fn with_builder(text: &'t str, limits: &ParseLimits, builder: Builder<'t>) -> Self {
        Self {
            text,
            at: 0,
            is_tolerant: false,
            changes: Vec::new(),
            builder,
            limits: *limits,
            depth: 0,
            values: 0,
        }
    }

    /// A strict parser for one string or number inside a text whose size was checked.
    pub(super) fn inside(text: &'t str, at: usize) -> Self {
        Self {
            at,
            ..Self::with_builder(text, &ParseLimits::default(), Builder::default())
        }
    }

    /// A parser that takes slips of the pen too, and notes each one.
    pub(crate) fn tolerant(text: &'t str, limits: &ParseLimits) -> Self {
        Self {
            is_tolerant: true,
            ..Self::new(text, limits)
        }
    }

    fn document(&mut self) -> Parsed<()> {
        self.check_size()?;
        self.blanks()?;
        if self.rest().is_empty() {
            return self.fail(ParseErrorKind::Empty);
        }
        self.value()?;
        self.blanks()?;
        if self.rest().is_empty() {
            return Ok(());
        }
        self.expected("nothing after the value")
    }

    /// Refuses a text over the limit before a byte of it is read.
    pub(crate) fn check_size(&self) -> Parsed<()> {
        if self.text.len() > self.limits.max_bytes {
            return self.fail(ParseErrorKind::TooLarge(self.limits.max_bytes));
        }
        Ok(())
    }

    /// Reads one value, which begins here.
    #[inline]
    pub(crate) fn value(&mut self) -> Parsed<()> {
        self.values += 1;
        if self.values > self.limits.max_values {
            return self.fail(ParseErrorKind::TooManyValues(self.limits.max_values));
        }
        match self.peek() {
            Some(b'"') => {
                let text = self.string::<b'"'>()?;
                self.builder.string(text);
                Ok(())
            }
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.literal(),
        }
    }

    fn object(&mut self) -> Parsed<()> {
        self.enter()?;
        self.builder.open();
        self.blanks()?;
        if self.peek() != Some(b'}') {
            self.members()?;
        }
        self.leave();
        match self.builder.close_object() {
            Ok(()) => Ok(()),
            Err(Duplicate(key)) => self.fail(ParseErrorKind::DuplicateKey(key)),
        }
    }

    fn members(&mut self) -> Parsed<()> {
        loop {
            let key_at = self.at;
            let key = self.key()?;
            if let Err(Duplicate(key)) = self.builder.key(key) {
                return Self::fail_at(key_at, ParseErrorKind::DuplicateKey(key));
            }
            let mark = self.changes.len();
            if let Err(error) = self.value() {
                return self.fail_in_member(key_at, error);
            }
            if self.changes.len() > mark {
                let key = self.key_again(key_at);
                self.place_changes(mark, &key);
            }
            if !self.goes_on_after_member(key_at)? {
                return Ok(());
            }
        }
    }

    #[cold]
    fn fail_in_member(&mut self, key_at: usize, mut error: Box<ParseError>) -> Parsed<()> {
        prepend(&mut error.pointer, &self.key_again(key_at));
        Err(error)
    }

    #[inline]
    fn goes_on_after_member(&mut self, key_at: usize) -> Parsed<bool> {
        let value_end = self.at;
        if !matches!(self.peek(), Some(b',' | b'}')) {
            self.blanks()?;
        }
        match self.peek() {
            Some(b'}') => Ok(false),
            Some(b',') => self.goes_on_after_comma(b'}'),
            _ => self.goes_on_without_comma(key_at, value_end),
        }
    }

    #[cold]
    fn goes_on_without_comma(&mut self, key_at: usize, value_end: usize) -> Parsed<bool> {
        if self.lacks_comma_before_key(value_end) {
            return self.missing_comma();
        }
        let key = text::short(&self.key_again(key_at), 60);
        self.expected(&format!("`,` or `}}` after the value of `{key}`"))
    }

    fn array(&mut self) -> Parsed<()> {
        self.enter()?;
        self.builder.open();
        self.blanks()?;
        if self.peek() != Some(b']') {
            self.items()?;
        }
        self.leave();
        self.builder.close_array();
        Ok(())
    }

    fn items(&mut self) -> Parsed<()> {
        for index in 0.. {
            let mark = self.changes.len();
            if let Err(mut error) = self.value() {
                prepend(&mut error.pointer, &index.to_string());
                return Err(error);
            }
            if self.changes.len() > mark {
                self.place_changes(mark, &index.to_string());
            }
            if !self.goes_on_after_item(index)? {
                break;
            }
        }
        Ok(())
    }

    #[inline]
    fn goes_on_after_item(&mut self, index: usize) -> Parsed<bool> {
        let value_end = self.at;
        if !matches!(self.peek(), Some(b',' | b']')) {
            self.blanks()?;
        }
        match self.peek() {
            Some(b']') => Ok(false),
            Some(b',') => self.goes_on_after_comma(b']'),
            _ if self.lacks_comma_before_item(value_end) => self.missing_comma(),
            _ => self.expected(&format!("`,` or `]` after item {index}")),
        }
    }

    fn goes_on_after_comma(&mut self, closing: u8) -> Parsed<bool> {
        self.at += 1;
        self.blanks()?;
        if self.is_tolerant && self.peek() == Some(closing) {
            self.trailing_comma()?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Reads a key and the colon after it.
    #[inline]
    fn key(&mut self) -> Parsed<Cow<'t, str>> {
        let key = self.key_text()?;
        if self.peek() != Some(b':') {
            self.blanks()?;
            if self.peek() != Some(b':') {
                return self.expected_colon(&key);
            }
        }
        self.at += 1;
        self.blanks()?;
        Ok(key)
    }

    #[cold]
    fn expected_colon<T>(&self, key: &str) -> Parsed<T> {
        let key = text::short(key, 60);
        self.expected(&format!("`:` after the key `{key}`"))
    }

    #[inline]
    fn key_text(&mut self) -> Parsed<Cow<'t, str>> {
        match self.peek() {
            Some(b'"') => self.string::<b'"'>(),
            Some(_) if self.is_tolerant => self.tolerated_key(),
            _ => self.expected("a key in double quotes"),
        }
    }

    /// The key at `key_at`, which was read before; for places only, so that plain calls pay nothing.
    #[cold]
    fn key_again(&mut self, key_at: usize) -> Cow<'t, str> {
        let at = mem::replace(&mut self.at, key_at);
        let changes = mem::take(&mut self.changes);
        let key = self.key_text().unwrap_or_default();
        self.at = at;
        self.changes = changes;
        key
    }

    #[cold]
    fn place_changes(&mut self, mark: usize, segment: &str) {
        for change in self.changes.iter_mut().skip(mark) {
            prepend(&mut change.pointer, segment);
        }
    }

    #[inline]
    fn enter(&mut self) -> Parsed<()> {
        if self.depth == self.limits.max_depth {
            return self.fail(ParseErrorKind::TooDeep(self.limits.max_depth));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// The next byte.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// What was not read yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'t str {
        self.slice(self.at, self.text.len())
    }

    /// Passes over `bytes` bytes, which are known to end with a character.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// What was read, and what was mended.
    pub(crate) fn into_parts(self) -> (Tape<'t>, Vec<Change>) {
        (self.builder.finish(), self.changes)
    }

    #[inline]
    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The error for anything but `what` here; at the end of the text it is that the text was cut off.
    pub(crate) fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.expected_at(self.at, what)
    }

    #[cold]
    pub(super) fn expected_at<T>(&self, at: usize, what: &str) -> Parsed<T> {
        let kind = if at >= self.text.len() {
            ParseErrorKind::Truncated
        } else {
            ParseErrorKind::Expected(what.to_owned())
        };
        Self::fail_at(at, kind)
    }

    /// The error `kind` here.
    pub(crate) fn fail<T>(&self, kind: ParseErrorKind) -> Parsed<T> {
        Self::fail_at(self.at, kind)
    }

    #[cold]
    fn fail_at<T>(at: usize, kind: ParseErrorKind) -> Parsed<T> {
        Err(Box::new(ParseError::at(at, kind)))
    }
}
