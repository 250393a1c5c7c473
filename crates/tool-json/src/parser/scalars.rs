//! Values without a container: numbers, literals, and the keys and literals that only a tolerant
//! parser accepts.

use std::borrow::Cow;

use super::{Parsed, Parser};
use crate::error::{ParseErrorKind, RepairKind};
use crate::number::Number;
use crate::tape::Slot;

/// Returns `true` for a JSON number that 64 bits do not hold as it is written.
pub fn is_wide(text: &str) -> bool {
    let mut parser = Parser::inside(text, 0, Vec::new(), 0);
    matches!(parser.exact_number(), Ok(None)) && parser.at == text.len()
}

impl Parser<'_> {
    /// Reads a number, which starts here with a digit or a minus. A tolerant parser keeps a wide number as text.
    pub(super) fn number(&mut self) -> Parsed<()> {
        let start = self.at;
        let slot = match self.exact_number()? {
            Some(number) => Slot::of_number(number),
            None if self.is_tolerant => {
                let digits = self.slice(start, self.at);
                self.note(RepairKind::WideNumber, digits, &format!("\"{digits}\""))?;
                Slot::Borrowed(digits)
            }
            None => return Self::fail_at(start, ParseErrorKind::WideNumber),
        };
        self.slots.push(slot);
        Ok(())
    }

    fn exact_number(&mut self) -> Parsed<Option<Number>> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let is_integer = self.number_body()?;
        Ok(Number::read(self.slice(start, self.at), is_integer))
    }

    fn number_body(&mut self) -> Parsed<bool> {
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                // Forbidden by RFC 8259, and `010` is 8 in other languages.
                return self.expected("a number without leading zeros");
            }
        } else {
            self.digits()?;
        }
        let mut is_integer = true;
        if self.peek() == Some(b'.') {
            is_integer = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_integer = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(is_integer)
    }

    fn digits(&mut self) -> Parsed<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return self.expected("a digit");
        }
        Ok(())
    }
}

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
        // `{true: 1}` may be a slip of Python or of JavaScript, with different keys.
        if LITERALS.contains(&key) {
            return self.expected_at(start, "a key");
        }
        self.note(RepairKind::BareKey, key, &format!("\"{key}\""))?;
        Ok(Cow::Borrowed(key))
    }
}
