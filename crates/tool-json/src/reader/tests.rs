use proptest::prelude::*;

use super::*;
use crate::error::ParseErrorKind;
use crate::parse::tests::{any_nearly_json, any_value};
use crate::parse_with;

fn limits(max_bytes: usize, max_depth: usize, max_values: usize) -> ParseLimits {
    ParseLimits {
        max_bytes,
        max_depth,
        max_values,
    }
}

fn read<'t>(text: &'t str, limits: &ParseLimits) -> Option<Tape<'t>> {
    let mut tape = Tape::default();
    let is_read = read_with(text, limits, &mut tape, |reader, start| {
        value(reader, start, limits.max_depth)
    });
    is_read.then_some(tape)
}

/// Reads a value with all methods of the reader.
fn value(reader: &mut Reader<'_, '_>, start: Start, levels: usize) -> Option<usize> {
    match start.first {
        b'"' => reader.string(start),
        b'-' | b'0'..=b'9' => match reader.short_integer(start) {
            Some((_, end)) => Some(end),
            None => reader.value(start, levels),
        },
        b'{' if levels > 0 => reader.members(start, |reader, start| {
            let end = (start.first == b'"').then(|| reader.string(start))??;
            let start = reader.after_colon(end)?;
            value(reader, start, levels - 1)
        }),
        b'[' if levels > 0 => reader.array(start, |reader, start| value(reader, start, levels - 1)),
        _ => reader.value(start, levels),
    }
}

/// Compares reader and parser; `None` if they agree or the reader leaves the text to the parser.
fn differs(text: &str, limits: &ParseLimits) -> Option<String> {
    let fast = read(text, limits)?;
    let parsed = parse_with(text, limits);
    let is_same = match &parsed {
        Ok(tape) => format!("{tape:?}") == format!("{fast:?}"),
        // The caller notices these.
        Err(error) => matches!(error.kind, ParseErrorKind::DuplicateKey(_)),
    };
    (!is_same).then(|| format!("{text:?}: {fast:?} and {parsed:?}"))
}

#[test]
fn reads_valid_text() {
    for text in [
        r#"{"a": 2, "b": 40}"#,
        " [ ] ",
        r#"{"":{},"x":[[],{"y":null}]}"#,
        r#""\u00e4\n""#,
        "-0.5e3",
        "12345678901234567890",
        "[true,false,null]",
        "\"ä\"",
    ] {
        let limits = ParseLimits::default();

        assert!(read(text, &limits).is_some(), "{text}");
        assert_eq!(differs(text, &limits), None);
    }
}

#[test]
fn leaves_invalid_text_to_parser() {
    for text in [
        "",
        " ",
        "{",
        "[1",
        "[1,]",
        "{\"a\"}",
        "{\"a\":1,}",
        "tru",
        "nul",
        "[1 2]",
        "{} {}",
        "\"a",
        "\"\n\"",
        "\"\\x\"",
        "01",
        "1.",
        "- 1",
        "1e999",
        "'a'",
        "{a:1}",
        "\u{feff}{}",
        "//\n{}",
        "NaN",
    ] {
        assert!(read(text, &ParseLimits::default()).is_none(), "{text}");
    }
}

#[test]
fn leaves_exceeded_limits_to_parser() {
    assert!(read("[[1]]", &limits(5, 2, 3)).is_some());
    assert!(read("[[1]]", &limits(4, 2, 3)).is_none());
    assert!(read("[[1]]", &limits(5, 1, 3)).is_none());
    assert!(read("[[1]]", &limits(5, 2, 2)).is_none());
}

proptest! {
    #[test]
    fn reader_and_parser_return_equal_tapes(text in any_nearly_json(), value in any_value(), depth in 0_usize..4) {
        for text in [&text, &value.to_string(), &format!("{value:#}")] {
            prop_assert_eq!(differs(text, &ParseLimits::default()), None);
            prop_assert_eq!(differs(text, &limits(40, depth, 6)), None);
        }
    }

    #[test]
    fn reads_any_value(value in any_value()) {
        prop_assert!(read(&value.to_string(), &ParseLimits::default()).is_some());
    }
}
