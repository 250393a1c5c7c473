//! Escapes of `$'...'`.

/// Replaces a character that commands do not need.
pub(crate) const UNKNOWN: char = '\u{1}';

/// Decodes up to the closing quote. Returns the text and the number of bytes read, including the
/// quote.
pub(super) fn decode(text: &str) -> Option<(String, usize)> {
    let mut decoded = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\'' => return Some((decoded, at + 1)),
            '\\' => {
                let (_, kind) = letters.next()?;
                let mut rest = letters.as_str();
                let before = rest.len();
                escaped(kind, &mut rest, &mut decoded);
                for _ in 0..text_length(letters.as_str(), before - rest.len()) {
                    letters.next();
                }
            }
            other => decoded.push(other),
        }
    }
    None
}

fn text_length(text: &str, bytes: usize) -> usize {
    text.get(..bytes).map_or(0, |part| part.chars().count())
}

fn escaped(kind: char, rest: &mut &str, decoded: &mut String) {
    match kind {
        'n' => decoded.push('\n'),
        't' => decoded.push('\t'),
        '\\' | '\'' | '"' | '?' => decoded.push(kind),
        'x' => push_number(take_digits(rest, 16, 2), decoded),
        'u' => push_number(take_digits(rest, 16, 4), decoded),
        'U' => push_number(take_digits(rest, 16, 8), decoded),
        '0'..='7' => {
            let first = kind.to_digit(8).unwrap_or_default();
            let more = take_digits_after(first, rest, 8, 2);
            push_number(Some(more & 0xff), decoded);
        }
        'a' | 'b' | 'e' | 'E' | 'f' | 'v' | 'r' => decoded.push(UNKNOWN),
        // The result is a control character, or ends the output.
        'c' => {
            take_one(rest);
            decoded.push(UNKNOWN);
        }
        other => decoded.extend(['\\', other]),
    }
}

fn take_one(rest: &mut &str) {
    let length = rest.chars().next().map_or(0, char::len_utf8);
    *rest = rest.get(length..).unwrap_or_default();
}

fn take_digits(rest: &mut &str, radix: u32, most: usize) -> Option<u32> {
    let before = rest.len();
    let number = take_digits_after(0, rest, radix, most);
    (rest.len() != before).then_some(number)
}

fn take_digits_after(first: u32, rest: &mut &str, radix: u32, most: usize) -> u32 {
    let mut number = first;
    for _ in 0..most {
        let Some(digit) = rest.chars().next().and_then(|digit| digit.to_digit(radix)) else {
            break;
        };
        number = number.wrapping_mul(radix).wrapping_add(digit);
        take_one(rest);
    }
    number
}

/// Numbers above 127 may form any character, and commands need no control characters.
fn push_number(number: Option<u32>, decoded: &mut String) {
    let letter = number.and_then(char::from_u32);
    decoded.push(match letter {
        Some(letter @ ('\n' | '\t' | ' '..='~')) => letter,
        _ => UNKNOWN,
    });
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes_escapes_up_to_closing_quote() {
        for (text, decoded, read) in [
            ("ab' c", "ab", 3),
            ("' c", "", 1),
            (r"a\x41b'", "aAb", 7),
            (r"\x4g'", "\u{1}g", 5),
            (r"\x'", "\u{1}", 3),
            (r"\u0041\U00000042'", "AB", 17),
            (r"\101\60'", "A0", 8),
            (r"\n\t'", "\n\t", 5),
            (r#"\\\'\"\?'"#, r#"\'"?"#, 9),
            (
                r"\a\b\e\E\f\v\r'",
                "\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}",
                15,
            ),
            (r"\cxy'", "\u{1}y", 5),
            (r"\q'", r"\q", 3),
            (r"\u00e9'", "\u{1}", 7),
            (r"\777'", "\u{1}", 5),
            ("\\é'", "\\é", 4),
        ] {
            assert_eq!(decode(text), Some((decoded.to_owned(), read)), "{text}");
        }
    }

    #[test]
    fn unclosed_quote_returns_none() {
        for text in ["", "ab", r"ab\", r"ab\'"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
