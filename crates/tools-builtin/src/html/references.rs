//! Character references such as `&amp;` and `&#x41;`.

use std::borrow::Cow;

use web_atoms::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// No name of a character is longer.
const LONGEST_NAME: usize = 32;

/// The letters that a reference stands for, and how many bytes of it there are behind the `&`; nothing where the `&`
/// begins no reference.
pub(crate) fn reference(behind: &str, in_attribute: bool) -> Option<(char, Option<char>, usize)> {
    let (letter, second, length) = match behind.strip_prefix('#') {
        Some(number) => {
            let (letter, length) = numeric(number)?;
            (letter, None, length + 1)
        }
        None => named(behind, in_attribute)?,
    };
    Some((letter, second, length))
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
        code.saturating_mul(radix).saturating_add(digit)
    });
    let closed = usize::from(digits.as_bytes().get(length) == Some(&b';'));
    Some((letter_of(code), before + length + closed))
}

/// The letter of a number, as the HTML Standard has it for numbers that are none.
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

fn named(behind: &str, in_attribute: bool) -> Option<(char, Option<char>, usize)> {
    let letters = behind.bytes().take(LONGEST_NAME);
    let mut length = letters.take_while(u8::is_ascii_alphanumeric).count();
    if behind.as_bytes().get(length) == Some(&b';') {
        length += 1;
    }
    // The longest name wins: `&notit;` is `¬it;`.
    while length > 1 {
        let name = behind.get(..length)?;
        match NAMED_ENTITIES.get(name) {
            Some((first, second)) if *first != 0 => {
                let next = behind.as_bytes().get(length);
                let is_query =
                    next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
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

/// The value of an attribute without its references.
pub(super) fn attribute(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once('&') {
        text.push_str(before);
        rest = if let Some((letter, second, length)) = reference(behind, true) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_the_standard_says() {
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
}
