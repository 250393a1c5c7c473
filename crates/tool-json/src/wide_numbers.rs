//! Numbers that 64 bits do not hold as they are written, such as identifiers of 128 bits. They are kept as text.

use crate::error::{ParseError, ParseErrorKind, ParseLimits, RepairKind};
use crate::parse::{parse_with, repair_with};
use crate::tape::Tape;

pub use crate::parser::is_wide;

/// Minimum length of the numbers that [`quote`] finds: 2^53 has as many digits.
const MIN_LENGTH: usize = 16;

/// Like [`parse_with`](crate::parse_with), but keeps wide numbers as text.
///
/// # Errors
/// Returns [`ParseError`] like [`parse_with`](crate::parse_with).
pub fn parse_quoting<'t>(text: &'t str, limits: &ParseLimits) -> Result<Tape<'t>, ParseError> {
    let error = match parse_with(text, limits) {
        Err(error) if error.kind == ParseErrorKind::WideNumber => error,
        parsed => return parsed,
    };
    let (tape, repairs) = repair_with(text, limits)?;
    let mut repairs = repairs.iter();
    let is_json = repairs.all(|repair| repair.kind == RepairKind::WideNumber);
    is_json.then_some(tape).ok_or(error)
}

/// Returns JSON text with its wide numbers in quotes, and their number; `None` if there are none.
///
/// Other parsers round them. Programs whose integers have no limit send them.
pub fn quote(json: &[u8]) -> Option<(Vec<u8>, usize)> {
    // A long number covers one of these positions. Most texts have none there, or only in strings.
    let mut sampled = (MIN_LENGTH - 1..json.len()).step_by(MIN_LENGTH);
    if !sampled.any(|at| is_in_long_number(json, at)) {
        return None;
    }
    let (mut quoted, mut copied, mut count, mut at) = (Vec::new(), 0, 0, 0);
    while let Some(byte) = json.get(at) {
        let rest = json.get(at..).unwrap_or_default();
        let length = match byte {
            b'"' => string_length(rest),
            byte if is_of_number(*byte) => {
                rest.iter().take_while(|byte| is_of_number(**byte)).count()
            }
            _ => 1,
        };
        let number = rest.get(..length).unwrap_or_default();
        if length >= MIN_LENGTH && std::str::from_utf8(number).is_ok_and(is_wide) {
            quoted.extend_from_slice(json.get(copied..at).unwrap_or_default());
            for part in [b"\"", number, b"\""] {
                quoted.extend_from_slice(part);
            }
            (copied, count) = (at + length, count + 1);
        }
        at += length;
    }
    quoted.extend_from_slice(json.get(copied..).unwrap_or_default());
    (count > 0).then_some((quoted, count))
}

/// Returns `true` if the byte at `at` belongs to a run of [`MIN_LENGTH`] bytes that numbers consist of.
fn is_in_long_number(json: &[u8], at: usize) -> bool {
    let (before, after) = json.split_at(at);
    let of_number = |byte: &&u8| is_of_number(**byte);
    let after = after.iter().take_while(of_number).count();
    after > 0 && after + before.iter().rev().take_while(of_number).count() >= MIN_LENGTH
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Returns the length of the string at the start of `json`, with its quotes.
fn string_length(json: &[u8]) -> usize {
    let mut is_escaped = false;
    let inside = json.iter().skip(1).take_while(|byte| {
        let is_end = **byte == b'"' && !is_escaped;
        is_escaped = **byte == b'\\' && !is_escaped;
        !is_end
    });
    (inside.count() + 2).min(json.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_numbers_that_change_are_wide() {
        for (number, is_changed) in [
            ("18446744073709551615", false),
            ("18446744073709551616", true),
            ("-9223372036854775808", false),
            ("-9223372036854775809", true),
            ("100000000000000000000", false),
            ("1e30", false),
            ("1.7976931348623157e308", false),
            ("9007199254740993.0", true),
            ("9007199254740992.0", false),
            ("1.2345678901234567891e20", true),
            ("3.14159265358979323846", false),
            ("1e400", true),
            ("12345678901234567890 ", false),
            ("123456789012345678901x", false),
        ] {
            assert_eq!(is_wide(number), is_changed, "{number}");
        }
    }

    #[test]
    fn keeps_wide_numbers_as_text() {
        let text = r#"{"a":[123456789012345678901234567890,1],"b":"\\"}"#;
        let value = json!({"a": ["123456789012345678901234567890", 1], "b": "\\"});

        let tape = parse_quoting(text, &ParseLimits::default()).unwrap();
        let (quoted, count) = quote(text.as_bytes()).unwrap();

        assert_eq!(tape.to_value(), value);
        let again: serde_json::Value = serde_json::from_slice(&quoted).unwrap();
        assert_eq!((again, count), (value, 1));
        let almost = r#"{"a":123456789012345678901234567890,}"#;
        assert!(parse_quoting(almost, &ParseLimits::default()).is_err());
    }

    #[test]
    fn finds_wide_numbers_at_every_offset() {
        for (offset, number) in (0..40).zip(
            ["9007199254740993.0", "18446744073709551616"]
                .iter()
                .cycle(),
        ) {
            let text = format!("[{}\"e\",{number}]", " ".repeat(offset));

            let quoted = quote(text.as_bytes()).map(|(quoted, _)| quoted);

            let expected = text.replace(number, &format!("\"{number}\""));
            assert_eq!(quoted, Some(expected.into_bytes()), "{text}");
        }
    }

    #[test]
    fn quotes_no_digits_of_strings() {
        for text in [
            r#"{"a":"123456789012345678901234567890"}"#,
            r#"{"a":"\"123456789012345678901234567890"}"#,
            r#"{"a\\":"123456789012345678901234567890","b":1234567890123456789}"#,
            r#"["123456789012345678901234567890"#,
        ] {
            assert_eq!(quote(text.as_bytes()), None, "{text}");
        }
    }
}
