//! Tables of input from models and attackers.

use serde_json::Value;

use super::rejected::{AMBIGUOUS, TRUNCATED};
use super::repaired::REPAIRED;
use crate::{ParseError, ParseErrorKind, RepairKind, repair};

#[rustfmt::skip]
const VALID: &[(&str, &str)] = &[
    ("{}", "{}"),
    ("[]", "[]"),
    (" {} ", "{}"),
    ("\t\r\n{\"a\":1}\n", r#"{"a":1}"#),
    (r#"{"a":1}"#, r#"{"a":1}"#),
    (r#"{"a":{"b":[1,{"c":null}]}}"#, r#"{"a":{"b":[1,{"c":null}]}}"#),
    ("null", "null"),
    ("true", "true"),
    (r#""x""#, r#""x""#),
    (r#"{"":1}"#, r#"{"":1}"#),
    ("{\"a\":\"\\ud83d\\ude00\"}", r#"{"a":"😀"}"#),
    ("{\"a\":\"\\u0000\"}", "{\"a\":\"\\u0000\"}"),
    ("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "{\"a\":\"\\\"\\\\/\\u0008\\u000c\\n\\r\\t\"}"),
    ("{\"a\":\"\u{7f}\"}", "{\"a\":\"\u{7f}\"}"),
    ("{\"a\":\"\u{2028}\"}", "{\"a\":\"\u{2028}\"}"),
    (r#"{"a":"it's // no /* comment */"}"#, r#"{"a":"it's // no /* comment */"}"#),
    (r#"{"a":"```json"}"#, r#"{"a":"```json"}"#),
    (r#"{"a":"{'b': None,}"}"#, r#"{"a":"{'b': None,}"}"#),
    (r#"{"a":1.0}"#, r#"{"a":1}"#),
    (r#"{"a":-0}"#, r#"{"a":0}"#),
    (r#"{"a":1E+2}"#, r#"{"a":100}"#),
    (r#"{"a":0.10}"#, r#"{"a":0.1}"#),
    (r#"{"a":12345678901234568000000}"#, r#"{"a":1.2345678901234568e22}"#),
    (r#"{"__proto__":{"x":1}}"#, r#"{"__proto__":{"x":1}}"#),
    (r#"{"a":"True"}"#, r#"{"a":"True"}"#),
    (r#"{"A":1,"a":2}"#, r#"{"A":1,"a":2}"#),
];

fn outcome(text: &str) -> Result<(Value, Vec<RepairKind>), ParseError> {
    let (tape, repairs) = repair(text)?;
    let kinds = repairs.iter().map(|repair| repair.kind).collect();
    Ok((tape.to_value(), kinds))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn accepts_valid_json() {
    for (text, value) in VALID {
        assert_eq!(outcome(text), Ok((json(value), Vec::new())), "{text}");
    }
}

#[test]
fn repairs_and_lists_mistakes() {
    for (text, value, kinds) in REPAIRED {
        assert_eq!(outcome(text), Ok((json(value), kinds.to_vec())), "{text}");
    }
}

#[test]
fn rejects_truncated_text() {
    for text in TRUNCATED {
        let error = outcome(text).unwrap_err();

        assert_eq!(error.kind, ParseErrorKind::Truncated, "{text}");
    }
}

#[test]
fn never_completes_prefix_of_repairable_text() {
    // An object is complete before its repetition.
    let exempt = [RepairKind::ExtraBrace, RepairKind::Repetition];
    let complete = REPAIRED.iter().filter(|(text, _, kinds)| {
        text.ends_with('}') && !kinds.iter().any(|kind| exempt.contains(kind))
    });
    for (text, _, _) in complete {
        for (end, _) in text.char_indices() {
            let prefix = &text[..end];

            let outcome = outcome(prefix);

            assert!(!matches!(outcome, Ok((Value::Object(_), _))), "{prefix}");
        }
    }
}

#[test]
fn reports_empty_text() {
    for text in [
        "",
        " ",
        "\n\t \r\n",
        "\u{feff}",
        "// nothing",
        "/* nothing */ ",
    ] {
        let error = outcome(text).unwrap_err();

        assert_eq!(error.kind, ParseErrorKind::Empty, "{text}");
    }
}

#[test]
fn rejects_ambiguous_text_with_position() {
    for (text, offset, pointer, expected) in AMBIGUOUS {
        let error = outcome(text).unwrap_err();

        let expected = ParseErrorKind::Expected((*expected).to_owned());
        assert_eq!(
            (error.offset, error.pointer.as_str(), error.kind),
            (*offset, *pointer, expected),
            "{text}"
        );
    }
}

#[test]
fn repair_has_pointer_and_text() {
    let text = "{'a': [{\"b\": True,}], \"c\": \"x\ny\"}";

    let (_, repairs) = repair(text).unwrap();

    let listed: Vec<_> = repairs
        .iter()
        .map(|repair| {
            let (from, to) = (repair.from.as_str(), repair.to.as_str());
            (repair.pointer.as_str(), repair.kind, from, to)
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("", RepairKind::SingleQuotes, "'a'", "\"a\""),
            ("/a/0/b", RepairKind::PythonLiteral, "True", "true"),
            ("/a/0", RepairKind::TrailingComma, ",", ""),
            ("/c", RepairKind::ControlCharacter, "U+000A", "\\u000a"),
        ]
    );
}
