//! Whitespace, comments and commas between tokens.

use super::{Parsed, Parser};
use crate::error::ParseErrorKind;
use crate::repair::{Repair, RepairKind};
use crate::text::short;

/// Maximum number of repairs. Keeps the list small.
const MAX_REPAIRS: usize = 1000;

impl Parser<'_> {
    /// Skips whitespace, and comments in a tolerant parser.
    pub(super) fn spaces(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(b'\0'..=b' ' | b'/') => self.some_spaces(),
            _ => Ok(()),
        }
    }

    fn some_spaces(&mut self) -> Parsed<()> {
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
        self.note(RepairKind::Comment, comment, "")?;
        Ok(true)
    }

    /// Records a repair of the current value.
    pub(super) fn note(&mut self, kind: RepairKind, from: &str, to: &str) -> Parsed<()> {
        if self.repairs.len() == MAX_REPAIRS {
            return self.fail(ParseErrorKind::TooManyRepairs(MAX_REPAIRS));
        }
        self.repairs.push(Repair {
            pointer: String::new(),
            kind,
            from: short(from, 60),
            to: short(to, 60),
        });
        Ok(())
    }

    pub(super) fn missing_comma(&mut self) -> Parsed<bool> {
        self.note(RepairKind::MissingComma, "", ",")?;
        Ok(true)
    }

    /// Returns `true` if only a missing comma can explain the next token after a member.
    ///
    /// Adjacent strings (`"a""b"`) may be one string with a doubled quote, so they are not separated.
    pub(super) fn lacks_comma_before_key(&self, value_end: usize) -> bool {
        let is_apart = self.at > value_end;
        let after_string = matches!(self.byte_before(value_end), Some(b'"' | b'\''));
        self.is_tolerant && matches!(self.peek(), Some(b'"' | b'\'')) && (is_apart || !after_string)
    }

    /// Returns `true` if only a missing comma can explain the next token after an item.
    ///
    /// This holds for arrays and objects only: `"a" "b"` is one string in Python, and `1 000` may be one number.
    pub(super) fn lacks_comma_before_item(&self, value_end: usize) -> bool {
        self.is_tolerant
            && matches!(self.byte_before(value_end), Some(b'}' | b']'))
            && matches!(self.peek(), Some(b'{' | b'['))
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at.checked_sub(1)?).copied()
    }
}
