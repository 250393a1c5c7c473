mod hostile;
mod rejected;
mod repaired;
mod texts;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::error::ParseErrorKind;

fn parsed(text: &str) -> Result<Value, ParseError> {
    parse(text).map(|tape| tape.to_value())
}

/// Uses the tolerant parser also for valid text.
fn repaired(text: &str, limits: &ParseLimits) -> Result<(Value, Vec<Repair>), ParseError> {
    let (tape, repairs) = repair_document(text, limits)?;
    Ok((tape.to_value(), repairs))
}

/// Generates values of a few levels, without whole floats, which would become integers.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let float = any::<f64>().prop_filter("not whole", |float| {
        float.is_finite() && float.fract() != 0.0
    });
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        float.prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-z\"\\\\{}\\[\\]:,'` ]{0,5}", any_value(), 0..5)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
}

/// Generates text that is nearly JSON.
pub(crate) fn any_nearly_json() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "'",
        "\\",
        "\\u",
        "d83d",
        "a",
        "\"a\":",
        "'b': ",
        "1",
        "-",
        "1e9",
        ".5",
        "true",
        "None",
        "nul",
        "//",
        "/*",
        "*/",
        "\n",
        " ",
        "```",
        "```json\n",
        "\u{feff}",
        "\u{0}",
        "ä",
        "\u{2028}",
        "Sure: ",
        "{\"a\":1}",
        "NaN",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn valid_text_parses_like_serde_json(value in any_value()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            prop_assert_eq!(parsed(&text).unwrap(), value.clone(), "{}", text);
        }
    }

    #[test]
    fn accepts_same_documents_as_serde_json(text in any_nearly_json()) {
        let theirs = serde_json::from_str::<Value>(&text);

        match parsed(&text) {
            Ok(_) => prop_assert!(theirs.is_ok(), "{}", text),
            Err(ParseError { kind: ParseErrorKind::DuplicateKey(_), .. }) => {}
            Err(error) => prop_assert!(theirs.is_err(), "{}: {}", text, error),
        }
    }

    #[test]
    fn does_not_repair_valid_text(value in any_object()) {
        let text = value.to_string();

        let outcome = repaired(&text, &ParseLimits::default()).unwrap();

        prop_assert_eq!(outcome, (value, Vec::new()));
    }

    #[test]
    fn never_panics(text in any_nearly_json(), wild: String) {
        for text in [&text, &wild] {
            let _ = repair(text);
            let _ = repaired(text, &ParseLimits::default());
        }
    }

    #[test]
    fn repaired_value_is_valid_json(text in any_nearly_json()) {
        if let Ok((value, _)) = repaired(&text, &ParseLimits::default()) {
            prop_assert_eq!(parsed(&value.to_string()).unwrap(), value);
        }
    }
}

proptest! {
    // Each case parses all prefixes of its document, so few cases suffice.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn never_completes_truncated_text(value in any_object(), pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };

        for (end, _) in text.char_indices().skip(1) {
            let cut = text.get(..end).unwrap();

            prop_assert_eq!(parsed(cut).unwrap_err().kind, ParseErrorKind::Truncated, "{}", cut);
            prop_assert_eq!(
                repaired(cut, &ParseLimits::default()).unwrap_err().kind,
                ParseErrorKind::Truncated,
                "{}",
                cut
            );
        }
    }
}

#[test]
fn numbers_are_exact_or_rejected() {
    for (text, expected) in [
        ("0", json!(0)),
        ("-0", json!(0)),
        ("-0.0", json!(0)),
        ("1.0", json!(1)),
        ("1e3", json!(1000)),
        ("1.5e1", json!(15)),
        ("-2E+2", json!(-200)),
        ("0.5", json!(0.5)),
        ("1e-999", json!(0)),
        ("9007199254740992.0", json!(9_007_199_254_740_992_u64)),
        ("1e16", json!(1e16)),
        ("18446744073709551615", json!(u64::MAX)),
        ("18446744073709552000", json!(18_446_744_073_709_551_616.0)),
        ("-9223372036854775808", json!(i64::MIN)),
    ] {
        assert_eq!(parsed(text), Ok(expected), "{text}");
    }
    for text in [
        "[1, 1e999]",
        "[1, 18446744073709551616]",
        "[1, -9223372036854775809]",
    ] {
        let error = parsed(text).unwrap_err();
        assert_eq!((error.offset, error.pointer.as_str()), (4, "/1"));
        assert_eq!(error.kind, ParseErrorKind::WideNumber);
    }
}

#[test]
fn applies_limits() {
    let limits = ParseLimits {
        max_bytes: 40,
        max_depth: 3,
        max_values: 5,
    };

    for (text, expected) in [
        ("[[[1]]]", None),
        ("[[[[1]]]]", Some(ParseErrorKind::TooDeep(3))),
        ("[1,2,3,4]", None),
        ("[1,2,3,4,5]", Some(ParseErrorKind::TooManyValues(5))),
        (
            "\"0123456789012345678901234567890123456789\"",
            Some(ParseErrorKind::TooLarge(40)),
        ),
    ] {
        let strict = parse_with(text, &limits).err().map(|error| error.kind);
        let tolerant = repaired(text, &limits).err().map(|error| error.kind);

        assert_eq!(strict, expected, "{text}");
        assert_eq!(tolerant, expected, "{text}");
    }
}

#[test]
fn depth_limit_equals_serde_json() {
    for (depth, taken) in [(127, true), (128, false)] {
        let text = "[".repeat(depth) + &"]".repeat(depth);

        assert_eq!(parsed(&text).is_ok(), taken);
        assert_eq!(serde_json::from_str::<Value>(&text).is_ok(), taken);
    }
}

#[test]
fn error_has_position_in_text_and_value() {
    let error = parsed("{\n  \"a/b\": [0, {\"ä\": 1 \"c\": 2}]}").unwrap_err();

    assert_eq!(
        error,
        ParseError {
            kind: ParseErrorKind::Expected("`,` or `}` after the value of `ä`".to_owned()),
            pointer: "/a~1b/1".to_owned(),
            offset: 24,
            line: 2,
            column: 22,
        }
    );
    assert_eq!(
        error.to_string(),
        "expected `,` or `}` after the value of `ä` (line 2, column 22)"
    );
}

#[test]
fn duplicate_key_error_names_object_and_key() {
    for (text, pointer, key) in [
        (r#"{"a": 1, "a": 2}"#, "", "a"),
        (r#"{"a": 1, "\u0061": 2}"#, "", "a"),
        (r#"{"x": [{"b": 1, "c": 2, "b": 3}]}"#, "/x/0", "b"),
        (r#"{"": 1, "": 2}"#, "", ""),
    ] {
        let error = repair(text).unwrap_err();

        assert_eq!(error.kind, ParseErrorKind::DuplicateKey(key.to_owned()));
        assert_eq!(error.pointer, pointer, "{text}");
    }
}

#[test]
fn parses_large_and_deep_text_on_small_stack() {
    let keys = (0..100_000).map(|key| format!("\"k{key}\":1,"));
    let keys = keys.collect::<Vec<_>>().concat();
    let texts = [
        ("[".repeat(1_000_000), false),
        ("{\"a\":".repeat(500_000), false),
        (format!("{{{keys}\"last\":1}}"), true),
        (format!("{{{keys}\"k7\":1}}"), false),
        (format!("\"{}\"", "\\n".repeat(1_000_000)), true),
        (format!("{{{}}}", "a:{".repeat(1000)), false),
        (format!("[{}]", "1,".repeat(1_100_000)), false),
        ("/*".repeat(1_000_000), false),
        ("'".repeat(1_000_000), false),
        (format!("{{\"{}\": 1}}", "k".repeat(1_000_000)), true),
        (" ".repeat(4_000_000), false),
        ("\"x\" ".repeat(500_000), false),
    ];
    let work = move || texts.map(|(text, is_read)| repair(&text).is_ok() == is_read);

    let outcome = std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();

    assert_eq!(outcome, [true; 12]);
}

#[test]
fn limits_number_of_repairs() {
    let text = format!("[{}1]", "True,".repeat(1001));

    let error = repaired(&text, &ParseLimits::default()).unwrap_err();

    assert_eq!(error.kind, ParseErrorKind::TooManyRepairs(1000));
}
