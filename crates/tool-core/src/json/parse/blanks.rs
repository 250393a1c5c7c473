//! What stands between the tokens, and the slips that are mended there.

use serde_json::Value;

use super::error::ParseErrorKind;
use super::parser::{Parsed, Parser};
use crate::{Change, ChangeKind, text};

/// More slips than this are not slips any more; the bound keeps what is noted of them small.
const MOST_CHANGES: usize = 1000;

impl Parser<'_> {
    /// Passes over blanks, and over comments where these are tolerated.
    #[inline]
    pub(crate) fn blanks(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(b'\0'..=b' ' | b'/') => self.some_blanks(),
            _ => Ok(()),
        }
    }

    fn some_blanks(&mut self) -> Parsed<()> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += 1;
            }
            if !self.is_tolerant || self.peek() != Some(b'/') || !self.comment()? {
                return Ok(());
            }
        }
    }

    fn comment(&mut self) -> Parsed<bool> {
        let rest = self.rest();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(body) = rest.strip_prefix("/*") {
            match body.find("*/") {
                Some(length) => length + 4,
                None => return self.fail(ParseErrorKind::Truncated),
            }
        } else {
            return Ok(false);
        };
        let comment = self.slice(self.at, self.at + length);
        self.at += length;
        self.note(ChangeKind::Comment, comment, "")?;
        Ok(true)
    }

    /// Notes what was mended here.
    pub(crate) fn note(&mut self, kind: ChangeKind, from: &str, to: &str) -> Parsed<()> {
        if self.changes.len() == MOST_CHANGES {
            return self.fail(ParseErrorKind::TooManyChanges(MOST_CHANGES));
        }
        let [from, to] = [from, to].map(|text| Value::String(text::short(text, 60)));
        self.changes.push(Change::new("", kind, from, to));
        Ok(())
    }

    pub(super) fn trailing_comma(&mut self) -> Parsed<()> {
        self.note(ChangeKind::TrailingComma, ",", "")
    }

    pub(super) fn missing_comma(&mut self) -> Parsed<bool> {
        self.note(ChangeKind::MissingComma, "", ",")?;
        Ok(true)
    }

    /// Whether a member can only be followed by another one here.
    ///
    /// Two strings that touch (`"a""b"`) may be one with a doubled quote, so they are not taken apart.
    pub(super) fn lacks_comma_before_key(&self, value_end: usize) -> bool {
        let is_apart = self.at > value_end;
        let after_string = matches!(self.byte_before(value_end), Some(b'"' | b'\''));
        self.is_tolerant && matches!(self.peek(), Some(b'"' | b'\'')) && (is_apart || !after_string)
    }

    /// Whether an item can only be followed by another one here.
    ///
    /// Only arrays and objects: `"a" "b"` is one string in Python, and `1 000` one number to a person.
    pub(super) fn lacks_comma_before_item(&self, value_end: usize) -> bool {
        self.is_tolerant
            && matches!(self.byte_before(value_end), Some(b'}' | b']'))
            && matches!(self.peek(), Some(b'{' | b'['))
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at.checked_sub(1)?).copied()
    }
}
