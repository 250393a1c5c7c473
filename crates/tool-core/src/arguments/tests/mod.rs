//! Texts as models and attackers send them, and what becomes of each.

mod hostile;
mod mended;
mod refused;

use serde_json::Value;

use crate::ChangeKind;
use crate::json::parse::{ParseError, ParseErrorKind, ParseLimits};
use crate::json::repair::read;
use mended::MENDED;
use refused::{BROKEN, CUT_OFF};

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
    (r#"{"a":12345678901234567890123}"#, r#"{"a":1.2345678901234568e22}"#),
    (r#"{"__proto__":{"x":1}}"#, r#"{"__proto__":{"x":1}}"#),
    (r#"{"a":"True"}"#, r#"{"a":"True"}"#),
    (r#"{"A":1,"a":2}"#, r#"{"A":1,"a":2}"#),
];

fn outcome(text: &str) -> Result<(Value, Vec<ChangeKind>), ParseError> {
    let (value, changes) = read(text, &ParseLimits::default())?;
    Ok((value, changes.iter().map(|change| change.kind).collect()))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn json_is_read_as_it_is() {
    for (text, value) in VALID {
        assert_eq!(outcome(text), Ok((json(value), Vec::new())), "{text}");
    }
}

#[test]
fn slips_are_mended_and_named() {
    for (text, value, kinds) in MENDED {
        assert_eq!(outcome(text), Ok((json(value), kinds.to_vec())), "{text}");
    }
}

#[test]
fn a_text_that_ends_too_early_is_cut_off() {
    for text in CUT_OFF {
        let error = outcome(text).unwrap_err();

        assert_eq!(error.kind, ParseErrorKind::Truncated, "{text}");
    }
}

#[test]
fn no_beginning_of_a_text_with_slips_is_completed() {
    let whole = MENDED
        .iter()
        .filter(|(text, _, kinds)| text.ends_with('}') && !kinds.contains(&ChangeKind::ExtraBrace));
    for (text, _, _) in whole {
        for (end, _) in text.char_indices() {
            let beginning = &text[..end];

            let outcome = outcome(beginning);

            assert!(!matches!(outcome, Ok((Value::Object(_), _))), "{beginning}");
        }
    }
}

#[test]
fn nothing_but_blanks_is_empty() {
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
fn what_would_have_to_be_guessed_is_refused_with_its_place() {
    for (text, offset, pointer, expected) in BROKEN {
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
fn a_change_says_where_it_was_made_and_of_what() {
    let text = "{'a': [{\"b\": True,}], \"c\": \"x\ny\"}";

    let (_, changes) = read(text, &ParseLimits::default()).unwrap();

    let told: Vec<_> = changes
        .iter()
        .map(|change| {
            let from = change.from.as_str().unwrap();
            (
                change.pointer.as_str(),
                change.kind,
                from,
                change.to.as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("", ChangeKind::SingleQuotes, "'a'", "\"a\""),
            ("/a/0/b", ChangeKind::PythonLiteral, "True", "true"),
            ("/a/0", ChangeKind::TrailingComma, ",", ""),
            ("/c", ChangeKind::ControlCharacter, "U+000A", "\\u000a"),
        ]
    );
}
