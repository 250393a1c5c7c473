//! Words without quotes: literals, Python's literals, and unquoted keys.

use std::borrow::Cow;

use super::{Parsed, Parser};
use crate::error::ParseErrorKind;
use crate::repair::RepairKind;
use crate::tape::Slot;

/// Literals of JSON and Python, which are ambiguous as unquoted keys.
const LITERALS: [&str; 6] = ["true", "false", "null", "True", "False", "None"];

impl<'t> Parser<'t> {
    /// Reads a literal, or in a tolerant parser a string in single quotes.
    pub(super) fn literal(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(b't') => self.word("true", Slot::Boolean(true)),
            Some(b'f') => self.word("false", Slot::Boolean(false)),
            Some(b'n') => self.word("null", Slot::Null),
            Some(_) if self.is_tolerant => self.tolerated_value(),
            _ => self.expected("a value"),
        }
    }

    fn word(&mut self, word: &str, slot: Slot<'t>) -> Parsed<()> {
        let rest = self.rest();
        if rest.starts_with(word) {
            self.at += word.len();
            self.slots.push(slot);
            return Ok(());
        }
        // The text stops inside the word. Truncated text is never completed, even if only one word is possible.
        if word.starts_with(rest) {
            self.at = self.text.len();
            return self.fail(ParseErrorKind::Truncated);
        }
        self.expected("a value")
    }

    fn tolerated_value(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(b'\'') => {
                let text = self.single_quoted()?;
                self.slots.push(Slot::of_text(text));
                Ok(())
            }
            Some(b'T') => self.python("True", "true", Slot::Boolean(true)),
            Some(b'F') => self.python("False", "false", Slot::Boolean(false)),
            Some(b'N') => self.python("None", "null", Slot::Null),
            _ => self.expected("a value"),
        }
    }

    /// Reads a literal of Python and notes that JSON writes it differently.
    fn python(&mut self, word: &str, json: &str, slot: Slot<'t>) -> Parsed<()> {
        self.word(word, slot)?;
        self.note(RepairKind::PythonLiteral, word, json)
    }

    /// Reads a key in single quotes or without quotes.
    pub(super) fn tolerated_key(&mut self) -> Parsed<Cow<'t, str>> {
        match self.peek() {
            Some(b'\'') => self.single_quoted(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => self.bare_key(),
            _ => self.expected("a key"),
        }
    }

    fn bare_key(&mut self) -> Parsed<Cow<'t, str>> {
        let start = self.at;
        while matches!(
            self.peek(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | b'-')
        ) {
            self.at += 1;
        }
        let key = self.slice(start, self.at);
        if LITERALS.contains(&key) {
            return self.expected_at(start, "a key");
        }
        self.note(RepairKind::BareKey, key, &format!("\"{key}\""))?;
        Ok(Cow::Borrowed(key))
    }
}
