use proptest::prelude::*;

use super::*;
use crate::parse::tests::{any_nearly_json, any_value};
use crate::parser::Parser;

fn limits(max_bytes: usize, max_depth: usize, max_values: usize) -> ParseLimits {
    ParseLimits {
        max_bytes,
        max_depth,
        max_values,
    }
}

/// Compares reader and parser; `None` if they agree or the reader leaves the text to the parser.
fn differs(text: &str, limits: &ParseLimits) -> Option<String> {
    let fast = read(text, limits)?;
    let parsed = Parser::new(text, limits).document();
    let is_same = parsed
        .as_ref()
        .is_ok_and(|tape| format!("{tape:?}") == format!("{fast:?}"));
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
        "{\"a\":1,\"a\":2}",
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

#[test]
fn leaves_possible_duplicates_of_large_objects_to_parser() {
    let object = |last: usize| {
        let keys = (0..200)
            .chain([last])
            .map(|key| format!("\"key {key}\":[{key}]"));
        format!("{{{}}}", keys.collect::<Vec<_>>().join(","))
    };

    assert!(read(&object(7), &ParseLimits::default()).is_none());
    assert_eq!(differs(&object(200), &ParseLimits::default()), None);
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
