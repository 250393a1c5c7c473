//! Numbers.

use super::{Parsed, Parser};
use crate::number::Number;
use crate::tape::Slot;

/// Reads the number at byte `at` of `text`. Returns it and its end.
pub(crate) fn read_number(text: &str, at: usize) -> Option<(Number, usize)> {
    let mut parser = Parser::inside(text, at);
    let number = parser.finite_number(at).ok()?;
    Some((number, parser.at))
}

impl Parser<'_> {
    /// Reads a number, which starts here with a digit or a minus.
    pub(super) fn number(&mut self) -> Parsed<()> {
        let number = self.finite_number(self.at)?;
        self.slots.push(Slot::of_number(number));
        Ok(())
    }

    fn finite_number(&mut self, start: usize) -> Parsed<Number> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let is_integer = self.number_body()?;
        let digits = self.slice(start, self.at);
        match Number::read(digits, is_integer) {
            Some(number) => Ok(number),
            None => self.expected_at(start, "a finite number"),
        }
    }

    fn number_body(&mut self) -> Parsed<bool> {
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
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
