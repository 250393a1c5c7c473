//! Numbers: integers stay exact, whole floats become integers, nothing becomes infinite.

use super::parser::{Parsed, Parser};
use super::sink::Sink;

/// The largest float up to which every integer has a float of its own.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A number as JSON Schema sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::arguments) enum Number {
    /// An integer that is not negative.
    Unsigned(u64),
    /// An integer below zero.
    Signed(i64),
    /// Everything else; always finite.
    Float(f64),
}

impl Number {
    /// The number that `digits`, checked to be a JSON number, stands for; `None` if it is infinite.
    fn read(digits: &str, is_integer: bool) -> Option<Self> {
        if is_integer {
            if let Ok(number) = digits.parse() {
                return Some(Self::Unsigned(number));
            }
            if let Ok(number) = digits.parse::<i64>() {
                return Some(Self::from_signed(number));
            }
        }
        digits
            .parse()
            .ok()
            .filter(|float: &f64| float.is_finite())
            .map(Self::from_float)
    }

    fn from_signed(number: i64) -> Self {
        u64::try_from(number).map_or(Self::Signed(number), Self::Unsigned)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is whole and at most 2^53"
    )]
    fn from_float(float: f64) -> Self {
        if float.abs() <= LARGEST_EXACT && float.fract() == 0.0 {
            Self::from_signed(float as i64)
        } else {
            Self::Float(float)
        }
    }
}

impl<'t, S: Sink<'t>> Parser<'t, S> {
    /// Reads a number, which begins with a digit or a minus here.
    pub(super) fn number(&mut self) -> Parsed<()> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let is_integer = self.number_body()?;
        let digits = self.slice(start, self.at);
        match Number::read(digits, is_integer) {
            Some(number) => {
                self.sink.number(number);
                Ok(())
            }
            None => self.expected_at(start, "a number that is not infinite"),
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
