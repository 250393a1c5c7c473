//! Character references such as `&amp;` and `&#x41;`, and the removal of invisible characters.

use std::borrow::Cow;

use tool_json::text::{VisibleFilter, is_unusual_space};
use web_atoms::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// Maximum length of a reference's name in bytes.
const MAX_NAME: usize = 32;

/// Decodes the character reference at the start of `text`, which is the text after a `&`.
///
/// Returns the character, a second one for the few references to two characters, and how many bytes
/// of `text` belong to the reference. Returns `None` if the `&` stands for itself.
///
/// Set `in_attribute` for the value of an attribute: there, `&copy=` is not a reference, so that
/// URLs such as `?a=1&copy=2` keep their meaning.
///
/// # Examples
/// ```
/// assert_eq!(html_text::reference("lt;b", false), Some(('<', None, 3)));
/// assert_eq!(html_text::reference(" lt;", false), None);
/// ```
pub fn reference(text: &str, in_attribute: bool) -> Option<(char, Option<char>, usize)> {
    let Some(number) = text.strip_prefix('#') else {
        return named(text, in_attribute);
    };
    let (letter, length) = numeric(number)?;
    Some((letter, None, length + 1))
}

fn numeric(number: &str) -> Option<(char, usize)> {
    let (digits, radix, before) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 1),
        None => (number, 10, 0),
    };
    let length = digits
        .bytes()
        .take_while(|byte| char::from(*byte).is_digit(radix))
        .count();
    if length == 0 {
        return None;
    }
    let code = digits.get(..length)?.chars().fold(0_u32, |code, digit| {
        let digit = digit.to_digit(radix).unwrap_or_default();
        // A page may write a million digits.
        code.saturating_mul(radix).saturating_add(digit)
    });
    let closed = usize::from(digits.as_bytes().get(length) == Some(&b';'));
    Some((letter_of(code), before + length + closed))
}

/// Returns the character of a numeric reference, with the replacements of the HTML Standard.
fn letter_of(code: u32) -> char {
    let replaced = match code {
        0 => None,
        0x80..=0x9F => {
            let index = usize::try_from(code - 0x80).unwrap_or_default();
            C1_REPLACEMENTS
                .get(index)
                .copied()
                .flatten()
                .or(char::from_u32(code))
        }
        _ => char::from_u32(code),
    };
    replaced.unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn named(text: &str, in_attribute: bool) -> Option<(char, Option<char>, usize)> {
    let letters = text.bytes().take(MAX_NAME);
    let mut length = letters.take_while(u8::is_ascii_alphanumeric).count();
    if text.as_bytes().get(length) == Some(&b';') {
        length += 1;
    }
    // The longest match wins: `&notit;` is `¬it;`.
    while length > 1 {
        let name = text.get(..length)?;
        match NAMED_ENTITIES.get(name) {
            // The table also has all prefixes of the names, with 0 as their character.
            Some((first, second)) if *first != 0 => {
                let next = text.as_bytes().get(length);
                let is_query =
                    next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
                // `?a=1&copy=2` is a query and not `?a=1©=2`.
                if in_attribute && !name.ends_with(';') && is_query {
                    return None;
                }
                let second = char::from_u32(*second).filter(|second| *second != '\0');
                return Some((char::from_u32(*first)?, second, length));
            }
            _ => length -= 1,
        }
    }
    None
}

/// Decodes the character references of an attribute value.
pub(super) fn attribute(value: &str) -> Cow<'_, str> {
    decode(value, true)
}

/// Decodes all character references in `value`.
pub(super) fn decode(value: &str, in_attribute: bool) -> Cow<'_, str> {
    if !value.contains('&') {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once('&') {
        text.push_str(before);
        rest = if let Some((letter, second, length)) = reference(behind, in_attribute) {
            text.push(letter);
            text.extend(second);
            behind.get(length..).unwrap_or_default()
        } else {
            text.push('&');
            behind
        };
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Removes invisible characters.
///
/// These are control characters and characters that change the direction, shape or visibility of
/// others, because they can hide content from people that a program reads. Joiners and variation
/// selectors are kept after a non-ASCII character.
#[derive(Debug, Default)]
pub(super) struct CharFilter {
    text: String,
    filter: VisibleFilter,
}

impl CharFilter {
    /// Returns the visible text. Unicode spaces become U+0020. Character references
    /// are decoded unless the text is literal.
    pub(super) fn visible<'a>(&'a mut self, written: &'a str, is_literal: bool) -> &'a str {
        let is_plain =
            |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n') && (byte != b'&' || is_literal);
        // Most text is plain ASCII and needs no copy.
        if written.bytes().all(is_plain) {
            self.filter = VisibleFilter::default();
            return written;
        }
        self.text.clear();
        let mut rest = written;
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            if letter == '&'
                && !is_literal
                && let Some((first, second, length)) = reference(rest, false)
            {
                rest = rest.get(length..).unwrap_or_default();
                self.push(first);
                if let Some(second) = second {
                    self.push(second);
                }
                continue;
            }
            // Normalize CRLF and CR to LF.
            let is_return = letter == '\r' && rest.starts_with('\n');
            if !is_return {
                self.push(if letter == '\r' { '\n' } else { letter });
            }
        }
        &self.text
    }

    /// Returns the visible text on one line.
    pub(super) fn one_line(&mut self, written: &str) -> String {
        let words: Vec<&str> = self
            .visible(written, false)
            .split_ascii_whitespace()
            .collect();
        words.join(" ")
    }

    fn push(&mut self, letter: char) {
        let shown = match letter {
            // The blank braille pattern looks like a space, but Unicode counts it as a letter.
            '\u{c}' | '\u{2800}' => ' ',
            '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            _ if is_unusual_space(letter) => ' ',
            _ => letter,
        };
        if self.filter.keeps(shown) {
            self.text.push(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_references_as_html_standard() {
        for (written, text) in [
            ("a &amp; b", "a & b"),
            ("&lt;&gt;&quot;&apos;", "<>\"'"),
            ("&eacute;&Eacute;", "éÉ"),
            ("&copy 2020", "© 2020"),
            ("&notit;", "&notit;"),
            ("&not it", "¬ it"),
            ("?a=1&copy=2", "?a=1&copy=2"),
            ("&acE;", "∾\u{333}"),
            ("&#65;&#x42;&#X43", "ABC"),
            ("&#128;&#x92;", "€’"),
            (
                "&#0;&#xD800;&#99999999999999999999;",
                "\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("& &; &# &#x; &nonsense;", "& &; &# &#x; &nonsense;"),
            ("&CounterClockwiseContourIntegral;", "∳"),
            ("&", "&"),
        ] {
            assert_eq!(attribute(written), text, "{written}");
        }
    }

    #[test]
    fn removes_invisible_characters() {
        for (written, text) in [
            ("plain text", "plain text"),
            ("a &amp; b &lt;", "a & b <"),
            ("a\u{a0}b\u{2003}c&nbsp;d", "a b c d"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("soft\u{ad}hyphen&shy;s", "softhyphens"),
            ("a\0b\u{7}c\u{9b}d\u{1b}[31m", "abcd[31m"),
            ("zero\u{200b}width\u{feff}", "zerowidth"),
            ("\u{202e}evil\u{202c} \u{2066}x\u{2069}\u{200f}", "evil x"),
            ("tag\u{e0041}\u{e0042}s", "tags"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a\u{200c}b\u{200d}c", "abc"),
            ("क्\u{200d}\u{200d}\u{200c}ष", "क्\u{200d}ष"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
            ("a\u{fe0f}", "a"),
            ("line\u{2028}end", "line\nend"),
            ("&#8238;x&ZeroWidthSpace;y", "xy"),
            ("&#133;", "…"),
        ] {
            assert_eq!(
                CharFilter::default().visible(written, false),
                text,
                "{written:?}"
            );
        }
        assert_eq!(
            CharFilter::default().visible("a &amp; b", true),
            "a &amp; b"
        );
    }
}
