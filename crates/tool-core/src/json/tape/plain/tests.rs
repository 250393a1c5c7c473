use proptest::prelude::*;

use super::*;
use crate::json::parse::parse_tape;
use crate::json::parse::tests::{any_nearly_json, any_value};

fn limits(max_bytes: usize, max_depth: usize, max_values: usize) -> ParseLimits {
    ParseLimits {
        max_bytes,
        max_depth,
        max_values,
    }
}

/// What both readers make of `text`, and nothing where the quick one leaves it to the other.
fn differs(text: &str, limits: &ParseLimits) -> Option<String> {
    let quick = read_plain(text, limits)?;
    let parsed = parse_tape(text, limits);
    let is_same = parsed
        .as_ref()
        .is_ok_and(|tape| format!("{tape:?}") == format!("{quick:?}"));
    (!is_same).then(|| format!("{text:?}: {quick:?} and {parsed:?}"))
}

#[test]
fn what_is_right_is_read_at_once() {
    for text in [
        r#"{"a": 2, "b": 40}"#,
        " [ ] ",
        r#"{"":{},"x":[[],{"y":null}]}"#,
        r#""\u00e4\n""#,
        "-0.5e3",
        "123456789012345678901234567890",
        "[true,false,null]",
        "\"ä\"",
    ] {
        let limits = ParseLimits::default();

        assert!(read_plain(text, &limits).is_some(), "{text}");
        assert_eq!(differs(text, &limits), None);
    }
}

#[test]
fn what_is_wrong_is_left_to_the_parser() {
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
        assert!(
            read_plain(text, &ParseLimits::default()).is_none(),
            "{text}"
        );
    }
}

#[test]
fn more_than_the_limits_take_is_left_to_the_parser() {
    assert!(read_plain("[[1]]", &limits(5, 2, 3)).is_some());
    assert!(read_plain("[[1]]", &limits(4, 2, 3)).is_none());
    assert!(read_plain("[[1]]", &limits(5, 1, 3)).is_none());
    assert!(read_plain("[[1]]", &limits(5, 2, 2)).is_none());
}

#[test]
fn keys_of_large_objects_are_left_to_the_parser_where_they_may_be_equal() {
    let object = |last: usize| {
        let keys = (0..200)
            .chain([last])
            .map(|key| format!("\"key {key}\":[{key}]"));
        format!("{{{}}}", keys.collect::<Vec<_>>().join(","))
    };

    assert!(read_plain(&object(7), &ParseLimits::default()).is_none());
    assert_eq!(differs(&object(200), &ParseLimits::default()), None);
}

proptest! {
    #[test]
    fn both_readers_give_the_same_tape(text in any_nearly_json(), value in any_value(), depth in 0_usize..4) {
        for text in [&text, &value.to_string(), &format!("{value:#}")] {
            prop_assert_eq!(differs(text, &ParseLimits::default()), None);
            prop_assert_eq!(differs(text, &limits(40, depth, 6)), None);
        }
    }

    #[test]
    fn any_value_is_read_at_once(value in any_value()) {
        prop_assert!(read_plain(&value.to_string(), &ParseLimits::default()).is_some());
    }
}
