//! Strings: borrowed from the text, or copied if they contain escapes.

use std::borrow::Cow;

use super::{Parsed, Parser};
use crate::error::{ParseErrorKind, RepairKind};

impl<'t> Parser<'t> {
    /// Reads a string that starts here with `QUOTE`.
    #[inline]
    pub(super) fn string<const QUOTE: u8>(&mut self) -> Parsed<Cow<'t, str>> {
        match self.plain_string::<QUOTE>() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.copied_string::<QUOTE>().map(Cow::Owned),
        }
    }

    /// Reads a string without escapes. Returns `None` and stays at its start if it has any.
    fn plain_string<const QUOTE: u8>(&mut self) -> Option<&'t str> {
        let start = self.at + 1;
        let bytes = self.text.as_bytes().get(start..)?;
        let length = plain_length::<QUOTE>(bytes);
        if bytes.get(length) != Some(&QUOTE) {
            return None;
        }
        let end = start + length;
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// Reads a string in single quotes and records the repair.
    pub(super) fn single_quoted(&mut self) -> Parsed<Cow<'t, str>> {
        let start = self.at;
        let text = self.string::<b'\''>()?;
        let inside = self.slice(start + 1, self.at - 1);
        self.note(
            RepairKind::SingleQuotes,
            &format!("'{}'", clip(inside)),
            &format!("\"{}\"", clip(inside)),
        )?;
        Ok(text)
    }

    /// Skips characters without escapes and returns them.
    fn plain<const QUOTE: u8>(&mut self) -> &'t str {
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
        self.at += plain_length::<QUOTE>(bytes);
        self.slice(start, self.at)
    }

    #[cold]
    fn copied_string<const QUOTE: u8>(&mut self) -> Parsed<String> {
        self.at += 1;
        let mut copy = self.plain::<QUOTE>().to_owned();
        let mut raw_control = None;
        loop {
            match self.peek() {
                Some(byte) if byte == QUOTE => break,
                Some(b'\\') => copy.push(self.escape(QUOTE)?),
                // Models write raw newlines in code, and their meaning is clear. RFC 8259 forbids them: a repair.
                Some(control) if self.is_tolerant => {
                    raw_control = raw_control.or(Some(control));
                    copy.push(char::from(control));
                    self.at += 1;
                }
                _ => {
                    return self.expected("an escape such as `\\n` instead of a control character");
                }
            }
            copy.push_str(self.plain::<QUOTE>());
        }
        self.at += 1;
        if let Some(control) = raw_control {
            let (from, to) = (format!("U+{control:04X}"), format!("\\u{control:04x}"));
            self.note(RepairKind::ControlCharacter, &from, &to)?;
        }
        Ok(copy)
    }

    fn escape(&mut self, quote: u8) -> Parsed<char> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            // JSON has no such escape, but in single quotes it's the only way to write the character.
            Some(b'\'') if quote == b'\'' => '\'',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            None => return self.fail(ParseErrorKind::Truncated),
            Some(_) => return self.expected_at(start, "a valid escape"),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self, start: usize) -> Parsed<char> {
        let first = self.hexadecimal()?;
        let code = if (0xD800..0xDC00).contains(&first) {
            self.low_surrogate(start, first)?
        } else {
            first
        };
        match char::from_u32(code) {
            Some(character) => Ok(character),
            None => self.expected_at(start, "a surrogate pair"),
        }
    }

    fn low_surrogate(&mut self, start: usize, high: u32) -> Parsed<u32> {
        for byte in *b"\\u" {
            if self.peek() != Some(byte) {
                return match self.peek() {
                    None => self.fail(ParseErrorKind::Truncated),
                    Some(_) => self.expected_at(start, "a surrogate pair"),
                };
            }
            self.at += 1;
        }
        let low = self.hexadecimal()?;
        if !(0xDC00..0xE000).contains(&low) {
            return self.expected_at(start, "a surrogate pair");
        }
        Ok(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    }

    fn hexadecimal(&mut self) -> Parsed<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return self.expected("four hexadecimal digits");
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// Returns the number of bytes before the first quote, backslash or control character; compares eight bytes at a time.
#[inline]
pub(crate) fn plain_length<const QUOTE: u8>(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        let ends = ends_in::<QUOTE>(u64::from_le_bytes(*word));
        if ends != 0 {
            return bytes.len() - rest.len() + ends.trailing_zeros() as usize / 8;
        }
        rest = tail;
    }
    let is_end = |byte: &u8| *byte == QUOTE || *byte == b'\\' || *byte < 0x20;
    bytes.len() - rest.len() + rest.iter().position(is_end).unwrap_or(rest.len())
}

/// Sets the top bit of each byte of `word` that is a quote, backslash or control character; exact up to the lowest one.
#[inline]
fn ends_in<const QUOTE: u8>(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    let equals = |byte: u8| {
        let difference = word ^ (ONES * u64::from(byte));
        difference.wrapping_sub(ONES) & !difference
    };
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (equals(QUOTE) | equals(b'\\') | control) & TOPS
}

/// Returns the first 256 bytes, because a repair shows only 60 characters.
fn clip(text: &str) -> &str {
    text.get(..text.floor_char_boundary(256))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn plain_length_equals_bytewise_search(
            bytes in prop::collection::vec(prop::sample::select(b"ab\"'\\\n\x1f\x20\x7f\x80\xff\xa2".to_vec()), 0..40),
            start in prop::collection::vec(Just(b'x'), 0..20),
        ) {
            let bytes = [start, bytes].concat();
            let lengths = [
                (b'"', plain_length::<b'"'>(&bytes)),
                (b'\'', plain_length::<b'\''>(&bytes)),
            ];

            for (quote, length) in lengths {
                let expected = bytes.iter().position(|byte| [quote, b'\\'].contains(byte) || *byte < 0x20);
                prop_assert_eq!(length, expected.unwrap_or(bytes.len()));
            }
        }
    }
}
