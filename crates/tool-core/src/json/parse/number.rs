//! Numbers: integers stay exact, whole floats become integers, nothing becomes infinite.

use super::parser::{Parsed, Parser};

/// The largest float up to which every integer has a float of its own.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Digits that fit any integer, whatever they are.
const MOST_DIGITS: usize = 18;

/// A number as JSON Schema sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
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

    /// The same as a number of `serde_json`, folded as a text would be.
    pub(crate) fn of_json(number: &serde_json::Number) -> Self {
        if let Some(number) = number.as_u64() {
            return Self::Unsigned(number);
        }
        match number.as_i64() {
            Some(number) => Self::Signed(number),
            None => Self::from_float(number.as_f64().unwrap_or_default()),
        }
    }

    /// The integer, for one that fits.
    pub(crate) fn as_i64(self) -> Option<i64> {
        match self {
            Self::Unsigned(number) => i64::try_from(number).ok(),
            Self::Signed(number) => Some(number),
            Self::Float(_) => None,
        }
    }

    /// The integer, for one that fits.
    pub(crate) fn as_u64(self) -> Option<u64> {
        match self {
            Self::Unsigned(number) => Some(number),
            _ => None,
        }
    }

    /// The number, rounded where no float is exact.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a float is asked for, and the nearest one is the answer"
    )]
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Unsigned(number) => number as f64,
            Self::Signed(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast to a wide integer stops at its bounds, which no integer here reaches"
    )]
    fn is_float(self, float: f64) -> bool {
        let wide = match self {
            Self::Unsigned(number) => i128::from(number),
            Self::Signed(number) => i128::from(number),
            Self::Float(_) => return false,
        };
        float.fract() == 0.0 && float as i128 == wide
    }

    #[inline]
    pub(crate) fn from_signed(number: i64) -> Self {
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

impl PartialEq for Number {
    /// Exact, also between an integer and a float.
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Float(left), Self::Float(right)) => left == right,
            (Self::Float(float), integer) | (integer, Self::Float(float)) => {
                integer.is_float(float)
            }
            (left, right) => left.as_u64() == right.as_u64() && left.as_i64() == right.as_i64(),
        }
    }
}

/// The number at byte `at` of `text`, and the byte after it; `None` where there is none.
pub(crate) fn read_number(text: &str, at: usize) -> Option<(Number, usize)> {
    let mut parser = Parser::inside(text, at);
    let number = parser.long_number(at).ok()?;
    Some((number, parser.at))
}

impl Parser<'_> {
    /// Reads a number, which begins with a digit or a minus here.
    #[inline]
    pub(super) fn number(&mut self) -> Parsed<()> {
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
        if let Some((integer, length)) = short_integer(bytes) {
            self.at += length;
            self.builder.number(Number::from_signed(integer));
            return Ok(());
        }
        let number = self.long_number(start)?;
        self.builder.number(number);
        Ok(())
    }

    fn long_number(&mut self, start: usize) -> Parsed<Number> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let is_integer = self.number_body()?;
        let digits = self.slice(start, self.at);
        match Number::read(digits, is_integer) {
            Some(number) => Ok(number),
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

/// The integer at the start of `text` and its length, where it has few digits; anything else takes the long way.
#[inline]
pub(crate) fn short_integer(text: &[u8]) -> Option<(i64, usize)> {
    let is_negative = text.first() == Some(&b'-');
    let digits = text.get(usize::from(is_negative)..)?;
    let mut magnitude = 0_i64;
    let mut length = 0;
    let behind = loop {
        match digits.get(length) {
            Some(digit @ b'0'..=b'9') if length < MOST_DIGITS => {
                magnitude = magnitude * 10 + i64::from(*digit - b'0');
                length += 1;
            }
            behind => break behind,
        }
    };
    let has_leading_zero = length > 1 && digits.first() == Some(&b'0');
    let goes_on = matches!(behind, Some(b'0'..=b'9' | b'.' | b'e' | b'E'));
    if length == 0 || has_leading_zero || goes_on {
        return None;
    }
    let integer = if is_negative { -magnitude } else { magnitude };
    Some((integer, length + usize::from(is_negative)))
}
