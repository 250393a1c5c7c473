//! Fuzz tests of the parser and its repairs, with a fixed number of cases so that its time is bounded on a busy machine.
//! `.ci/full` runs the fuzz targets for longer.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::{Value, json};
use tool_json::{ParseErrorKind, Tape, parse, repair};

const CASES: u32 = 3000;

/// Runs `CASES` cases of `strategy`, in the 2 MiB stack of a test thread.
///
/// # Errors
/// Returns the smallest failing case.
fn fuzz<S: Strategy>(
    strategy: S,
    property: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), TestError<S::Value>> {
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(&strategy, property)
}

/// Checks that the value of `tape` is read back without repairs.
fn is_stable(tape: &Tape<'_>) -> Result<(), TestCaseError> {
    let text = tape.to_value().to_string();
    let again = parse(&text);
    prop_assert_eq!(again.map(|again| again.to_value()), Ok(tape.to_value()));
    Ok(())
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|float: f64| json!(float + 0.5)),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "5",
            "5.0",
            "true",
            "False",
            "",
            "[1]",
            "{\"a\": 1}",
            "null"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-e]{1,2}", inner, 0..4)
                .prop_map(|members| json!(members)),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-e]{1,2}", any_value(), 0..4).prop_map(|members| json!(members))
}

/// Inserts fragments into `text` and removes characters.
fn with_mistakes(text: &str, mistakes: &[(prop::sample::Index, &str, bool)]) -> String {
    mistakes
        .iter()
        .fold(text.to_owned(), |text, (at, fragment, removes)| {
            let at = text.floor_char_boundary(at.index(text.len() + 1));
            let (before, after) = text.split_at(at);
            let skipped = after
                .chars()
                .next()
                .filter(|_| *removes)
                .map_or(0, char::len_utf8);
            format!("{before}{fragment}{}", &after[skipped..])
        })
}

fn any_mistakes() -> impl Strategy<Value = Vec<(prop::sample::Index, &'static str, bool)>> {
    let fragments = vec![
        "",
        "",
        ",",
        "}",
        "{",
        "]",
        "\"",
        "'",
        "\\",
        "\\u",
        "\\ud800",
        "// x\n",
        "/*",
        "```",
        "```json\n",
        "None",
        "True",
        "NaN",
        "1e999",
        "-",
        "0",
        "\u{feff}",
        "\u{0}",
        "\n",
        "ä",
        "a:",
        "[[[[[[",
    ];
    prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            prop::sample::select(fragments),
            any::<bool>(),
        ),
        0..4,
    )
}

#[test]
fn accepts_same_documents_as_serde_json() {
    let texts = (any_object(), any_mistakes())
        .prop_map(|(value, mistakes)| with_mistakes(&value.to_string(), &mistakes));

    fuzz(texts, |text| {
        let by_serde = serde_json::from_str::<Value>(&text);
        match parse(&text) {
            Ok(tape) => {
                let value = by_serde.as_ref().ok();
                prop_assert_eq!(value.map(with_integers), Some(tape.to_value()), "{}", text);
                is_stable(&tape)?;
            }
            Err(error) => {
                let is_ours = matches!(
                    error.kind,
                    ParseErrorKind::DuplicateKey(_) | ParseErrorKind::WideNumber
                );
                prop_assert!(is_ours || by_serde.is_err(), "{}: {}", text, error);
            }
        }
        Ok(())
    })
    .unwrap();
}

/// Replaces whole floats by integers, as the parser does.
fn with_integers(value: &Value) -> Value {
    Tape::from(value).to_value()
}

#[test]
fn repairs_are_stable_and_never_complete_truncated_text() {
    let texts = (any_object(), any_mistakes(), any::<prop::sample::Index>());

    fuzz(texts, |(value, mistakes, end)| {
        let complete = value.to_string();
        let end = complete.floor_char_boundary(end.index(complete.len()));
        let truncated = repair(complete.get(..end).unwrap_or_default());
        prop_assert!(truncated.is_err(), "{}", complete);

        let text = with_mistakes(&complete, &mistakes);
        if let Ok((tape, repairs)) = repair(&text) {
            let valid = parse(&text);
            let is_valid = valid.is_ok_and(|valid| valid.root().as_str().is_none());
            // A string is returned unchanged if it contains no JSON object.
            if tape.root().as_str().is_none() {
                prop_assert_eq!(repairs.is_empty(), is_valid, "{}", text);
            }
            is_stable(&tape)?;
        }
        Ok(())
    })
    .unwrap();
}
