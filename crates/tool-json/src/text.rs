//! Text helpers that several crates share.

use std::fmt::Write as _;

use serde_json::Value;

/// Returns `text` on one line, truncated to `max_chars` characters and `…`.
pub fn short(text: &str, max_chars: usize) -> String {
    let is_short = text.len() <= max_chars && text.is_ascii();
    // Names and keys are usually short and plain, and need no loop over characters.
    if is_short && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return text.to_owned();
    }
    let mut one_line: String = text
        .chars()
        .take(max_chars)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(max_chars).is_some() {
        one_line.push('…');
    }
    one_line
}

/// Returns `true` for characters that people do not see, or that change how other characters look: controls, format characters,
/// separators of lines and paragraphs, all of Unicode's `Default_Ignorable_Code_Point`, and the blank braille pattern.
///
/// `\n` and `\t` are controls too. Spaces other than U+0020 are [`is_unusual_space`].
pub fn is_invisible(letter: char) -> bool {
    // A test compares this list with the tables of Unicode; six hand-written lists had differed.
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns `true` for spaces that look like U+0020 but are other characters to a program.
pub fn is_unusual_space(letter: char) -> bool {
    matches!(
        letter,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Filter that removes invisible characters from text to read.
///
/// Newlines, tabs and spaces are kept. A joiner or variation selector is kept where it shapes a character: once after a character
/// that is not ASCII, as in emoji and Persian words. Runs of them could carry hidden data.
#[derive(Debug, Clone, Copy, Default)]
pub struct VisibleFilter(Before);

/// What the next character follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Before {
    /// Nothing that can be joined.
    #[default]
    Plain,
    Letter,
    Selector,
    Joiner,
}

impl VisibleFilter {
    /// Returns `true` if the next character of the text is kept.
    pub fn keeps(&mut self, letter: char) -> bool {
        let before = match letter {
            ' '..='~' | '\n' | '\t' => Before::Plain,
            '\u{200c}' | '\u{200d}' if matches!(self.0, Before::Letter | Before::Selector) => {
                Before::Joiner
            }
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' if self.0 == Before::Letter => {
                Before::Selector
            }
            // Signs such as the Arabic end of a verse are format characters, but people see them.
            '\u{600}'..='\u{605}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{110bd}'
            | '\u{110cd}' => Before::Letter,
            _ if is_invisible(letter) => return false,
            _ if letter.is_whitespace() => Before::Plain,
            _ => Before::Letter,
        };
        self.0 = before;
        true
    }
}

/// Returns the characters that a [`VisibleFilter`] keeps.
pub fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut filter = VisibleFilter::default();
    text.chars().filter(move |letter| filter.keeps(*letter))
}

/// Returns untrusted `text` on one line, with single spaces and without invisible characters. A line of more than `max_chars`
/// characters is truncated with `…`.
pub fn one_line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut is_apart = false;
    let mut filter = VisibleFilter::default();
    for letter in text.chars() {
        if letter.is_whitespace() || letter.is_control() {
            is_apart = !line.is_empty();
            // A joiner after a space joins nothing.
            filter = VisibleFilter::default();
            continue;
        }
        if !filter.keeps(letter) {
            continue;
        }
        let blank = std::mem::take(&mut is_apart).then_some(' ');
        length += 1 + usize::from(blank.is_some());
        if length > max_chars {
            line.push('…');
            break;
        }
        line.extend(blank.into_iter().chain([letter]));
    }
    line
}

/// Returns a number with thousands separators: `1,204`.
pub fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns bytes in hexadecimal, two digits each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns the name of a value's type in JSON Schema.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    #[test]
    fn invisible_characters_are_those_of_unicode() {
        let invisible =
            Regex::new(r"[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{2800}]")
                .unwrap();
        let space = Regex::new(r"[\p{Zs}--\x20]").unwrap();
        for letter in '\0'..=char::MAX {
            let text = letter.to_string();

            assert_eq!(
                is_invisible(letter),
                invisible.is_match(&text),
                "{letter:?}"
            );
            assert_eq!(
                is_unusual_space(letter),
                space.is_match(&text),
                "{letter:?}"
            );
        }
    }

    #[test]
    fn joiners_and_selectors_stay_where_they_join() {
        for (text, expected) in [
            ("a\u{200b}b\n\tc", "ab\n\tc"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
            ("葛\u{e0100}城", "葛\u{e0100}城"),
            ("\u{6dd}", "\u{6dd}"),
            ("a\u{fe0f}b\u{200d}c", "abc"),
            ("❤\u{fe0f}\u{fe0e}\u{fe0f}", "❤\u{fe0f}"),
            ("é\u{200d}\u{200c}\u{200d}", "é\u{200d}"),
            ("é \u{200d}", "é "),
        ] {
            assert_eq!(visible(text).collect::<String>(), expected, "{text:?}");
        }
    }

    #[test]
    fn returns_bounded_single_line() {
        for (text, most, line) in [
            ("  a \n\t b\r\n", 10, "a b"),
            ("a\u{202e}b\u{200b}c\u{1b}[31md\0", 20, "abc [31md"),
            ("a\u{a0}\u{3000}b\u{3164}", 20, "a b"),
            ("ääää", 4, "ääää"),
            ("äääää", 4, "ääää…"),
            ("ab cd", 3, "ab…"),
            ("", 3, ""),
        ] {
            assert_eq!(one_line(text, most), line, "{text:?}");
        }
    }

    #[test]
    fn bytes_have_two_digits() {
        assert_eq!(hexadecimal(&[0, 10, 255]), "000aff");
    }

    #[test]
    fn separates_thousands() {
        for (number, text) in [(7, "7"), (1204, "1,204"), (1_000_000, "1,000,000")] {
            assert_eq!(with_commas(number), text);
        }
    }

    proptest! {
        #[test]
        fn line_is_bounded_and_has_no_control_characters(text in ".{0,80}", most in 0_usize..40) {
            let line = one_line(&text, most);

            prop_assert!(line.chars().count() <= most + 1);
            prop_assert!(!line.contains(char::is_control));
        }
    }
}
