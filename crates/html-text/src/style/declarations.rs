//! Declarations of a style, by the CSS syntax.

use std::borrow::Cow;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declaration<'s> {
    pub(super) property: &'s str,
    pub(super) value: &'s str,
    pub(super) is_important: bool,
}

/// Returns the valid declarations of a normalized style.
pub(super) fn declarations(plain: &str) -> impl Iterator<Item = Declaration<'_>> {
    plain.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let (value, is_important) = match value.rsplit_once('!') {
            Some((value, mark)) if mark.trim_ascii().eq_ignore_ascii_case("important") => {
                (value, true)
            }
            Some(_) => return None,
            None => (value, false),
        };
        Some(Declaration {
            property: property.trim_ascii(),
            value: value.trim_ascii(),
            is_important,
        })
    })
}

/// Normalizes a style: comments become spaces, strings are emptied, escapes are decoded, and `;`
/// remains only between declarations.
pub(super) fn normalize(style: &str) -> Cow<'_, str> {
    let is_special = |byte: u8| {
        matches!(
            byte,
            b'\\' | b'"' | b'\'' | b'(' | b'[' | b'{' | b'/' | b'\0'
        )
    };
    if !style.bytes().any(is_special) {
        return Cow::Borrowed(style);
    }
    let mut plain = Plain {
        text: String::with_capacity(style.len()),
        blocks: Vec::new(),
        rest: style,
    };
    while plain.step().is_some() {}
    Cow::Owned(plain.text)
}

struct Plain<'s> {
    text: String,
    /// Closing brackets of the open blocks.
    blocks: Vec<char>,
    rest: &'s str,
}

impl<'s> Plain<'s> {
    fn step(&mut self) -> Option<()> {
        let rest = self.rest;
        let letter = rest.chars().next()?;
        let behind = rest.get(letter.len_utf8()..)?;
        self.rest = behind;
        match letter {
            '/' if behind.starts_with('*') => {
                self.text.push(' ');
                let inner = behind.get(1..)?;
                self.rest = inner.split_once("*/").map_or("", |(_, behind)| behind);
            }
            '\\' => self.escape(behind),
            '"' | '\'' => {
                self.rest = after_string(behind, letter);
                self.text.push_str("\"\"");
            }
            '(' if self.is_url_start(behind) => {
                self.rest = after_url(behind);
                self.text.push_str("()");
            }
            '(' | '[' | '{' => self.open(letter),
            ')' | ']' | '}' => self.close(letter),
            ';' if !self.blocks.is_empty() => self.text.push(' '),
            letter => self.text.push(letter),
        }
        Some(())
    }

    /// An escaped character is always part of a name.
    fn escape(&mut self, behind: &'s str) {
        if behind.starts_with(['\n', '\r', '\x0c']) {
            self.text.push('\\');
            return;
        }
        let (letter, length) = escaped(behind);
        let is_name = letter.is_ascii_alphanumeric() || "-_.%#+".contains(letter);
        let letter = if is_name || !letter.is_ascii() {
            letter
        } else {
            char::REPLACEMENT_CHARACTER
        };
        self.text.push(letter);
        self.rest = behind.get(length..).unwrap_or_default();
    }

    fn open(&mut self, letter: char) {
        self.text.push(letter);
        self.blocks.push(match letter {
            '(' => ')',
            '[' => ']',
            _ => '}',
        });
    }

    fn close(&mut self, letter: char) {
        self.text.push(letter);
        if self.blocks.last() != Some(&letter) {
            return;
        }
        self.blocks.pop();
        // A closing brace ends the rule.
        if letter == '}' && self.blocks.is_empty() {
            self.text.push(';');
        }
    }

    /// Returns whether an unquoted URL starts here, in which only `)` is special.
    fn is_url_start(&self, behind: &str) -> bool {
        let text = self.text.as_bytes();
        let start = text.len().saturating_sub(3);
        let is_url = text
            .get(start..)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"url"));
        let before = start.checked_sub(1).and_then(|place| text.get(place));
        let is_longer = before.is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || !byte.is_ascii()
        });
        is_url && !is_longer && !behind.trim_ascii_start().starts_with(['"', '\''])
    }
}

/// Returns the escaped character and the length of its escape sequence.
fn escaped(behind: &str) -> (char, usize) {
    let digits = behind
        .bytes()
        .take(6)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    if digits == 0 {
        let letter = behind.chars().next();
        return letter.map_or((char::REPLACEMENT_CHARACTER, 0), |letter| {
            (letter, letter.len_utf8())
        });
    }
    let number = behind.get(..digits).unwrap_or_default();
    let letter = u32::from_str_radix(number, 16)
        .ok()
        .filter(|number| *number != 0)
        .and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER);
    let behind = behind.get(digits..).unwrap_or_default();
    let blank = if behind.starts_with("\r\n") {
        2
    } else {
        usize::from(behind.starts_with([' ', '\t', '\n', '\r', '\x0c']))
    };
    (letter, digits + blank)
}

/// Returns the text after a string, which also ends at a newline.
pub(super) fn after_string(text: &str, quote: char) -> &str {
    after(text, |letter| letter == quote || letter == '\n')
}

pub(super) fn after_url(text: &str) -> &str {
    after(text, |letter| letter == ')')
}

/// Returns the text after the first unescaped character that satisfies `is_end`.
fn after(text: &str, is_end: impl Fn(char) -> bool) -> &str {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if is_end(letter) {
            break;
        }
    }
    letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_styles_as_css() {
        for (style, text) in [
            ("color:red;a:b", "color:red;a:b"),
            ("display:/**/none", "display: none"),
            ("dis/**/play:none", "dis play:none"),
            ("/*a;b*/a:b", " a:b"),
            ("a:b/*;c:d", "a:b "),
            (r"d\69splay:none", "d\u{69}splay:none"),
            (r"n\00006fne n\6f ne n\o", "none none no"),
            (r"a\3b b\:c", "a\u{fffd}b\u{fffd}c"),
            ("a:'x;y:z';b:c", "a:\"\";b:c"),
            (r#"a:"x\"y;";b:c"#, "a:\"\";b:c"),
            ("a:'never;b:c", "a:\"\""),
            ("a:(b;c);d:e", "a:(b c);d:e"),
            ("a:([)];b:c", "a:([)] b:c"),
            ("a:url(x';);b:c", "a:url();b:c"),
            ("a:url(';);b:c", "a:url(\"\""),
            ("a:url( ';)' );b:c", "a:url( \"\" );b:c"),
            ("@x{a:b}c:d", "@x{a:b};c:d"),
            (r"a\", "a\u{fffd}"),
        ] {
            assert_eq!(normalize(style), text, "{style}");
        }
    }

    #[test]
    fn skips_invalid_declarations() {
        let style = " a : b ;;c:d ! IMPORTANT;e:f!x;g";

        let read: Vec<_> = declarations(style)
            .map(|one| (one.property, one.value, one.is_important))
            .collect();

        assert_eq!(read, [("a", "b", false), ("c", "d", true)]);
    }
}
