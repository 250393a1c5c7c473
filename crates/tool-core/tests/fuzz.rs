//! Ten seconds each of texts that nobody wrote, through the public door: the parser, what it mends, and coercion.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::{Value, json};
use tool_core::{
    CallArguments, DynamicTool, RegisterError, Registry, ToolDefinition, ToolOutput, Validation,
    ValidationOutcome,
};

/// How long each of the three goes on, and how many cases at a time.
const LONG: Duration = Duration::from_secs(10);
const CASES: u32 = 500;

fn registry(schema: Value) -> Result<Registry, RegisterError> {
    let tool = DynamicTool::new(ToolDefinition::new("f", "F.", schema), |_, _| async {
        Ok(ToolOutput::text("ran"))
    });
    Registry::of(tool)
}

/// Tries cases of `strategy` for as long as each of these tests goes on. The thread of a test has a stack of 2 MiB.
///
/// # Errors
/// The smallest case found that breaks the law.
fn go_on<S: Strategy>(
    strategy: S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), TestError<S::Value>> {
    let since = Instant::now();
    while since.elapsed() < LONG {
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            ..Config::default()
        };
        TestRunner::new(config).run(&strategy, &law)?;
    }
    Ok(())
}

fn validate(registry: &Registry, text: &str) -> Validation {
    registry.validate("f", &CallArguments::Text(text.to_owned()))
}

/// What was accepted is accepted again as it is, and whole.
fn stays_as_it_is(registry: &Registry, validation: &Validation) -> Result<(), TestCaseError> {
    if let Some(arguments) = &validation.arguments {
        let again = validate(registry, &arguments.to_string());
        prop_assert_eq!(again.outcome, ValidationOutcome::Valid, "{}", arguments);
        prop_assert_eq!(again.arguments.as_ref(), Some(arguments));
    }
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

/// The text with pieces put in and cut out at places of their own.
fn with_slips(text: &str, slips: &[(prop::sample::Index, &str, bool)]) -> String {
    slips
        .iter()
        .fold(text.to_owned(), |text, (at, piece, cuts)| {
            let at = text.floor_char_boundary(at.index(text.len() + 1));
            let (before, after) = text.split_at(at);
            let skipped = after
                .chars()
                .next()
                .filter(|_| *cuts)
                .map_or(0, char::len_utf8);
            format!("{before}{piece}{}", &after[skipped..])
        })
}

fn any_slips() -> impl Strategy<Value = Vec<(prop::sample::Index, &'static str, bool)>> {
    let pieces = vec![
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
            prop::sample::select(pieces),
            any::<bool>(),
        ),
        0..4,
    )
}

#[test]
fn what_the_parser_takes_as_it_is_serde_takes_too_and_as_the_same_value() {
    let open = registry(json!({"type": "object"})).unwrap();
    let texts = (any_object(), any_slips())
        .prop_map(|(value, slips)| with_slips(&value.to_string(), &slips));

    go_on(texts, move |text| {
        let validation = validate(&open, &text);

        let by_serde = serde_json::from_str::<Value>(&text)
            .ok()
            .filter(Value::is_object);
        if validation.outcome == ValidationOutcome::Valid && !text.trim().is_empty() {
            prop_assert!(by_serde.is_some(), "{}", text);
        }
        let has_one_of_each = |value: &Value| value.to_string().len() + 2 >= text.trim().len();
        if let Some(value) = by_serde.filter(has_one_of_each) {
            prop_assert_eq!(validation.outcome, ValidationOutcome::Valid, "{}", text);
            prop_assert_eq!(
                validation.arguments.as_ref().map(folded),
                Some(folded(&value))
            );
        }
        stays_as_it_is(&open, &validation)
    })
    .unwrap();
}

/// The text of a value with whole floats written as integers, as arguments have them.
fn folded(value: &Value) -> String {
    value
        .to_string()
        .replace(".0,", ",")
        .replace(".0}", "}")
        .replace(".0]", "]")
        .replace("-0", "0")
}

#[test]
fn what_is_mended_stays_as_it_is_and_what_is_cut_off_is_never_completed() {
    let open = registry(json!({"type": "object"})).unwrap();
    let texts = (any_object(), any_slips(), any::<prop::sample::Index>());

    go_on(texts, move |(value, slips, end)| {
        let whole = value.to_string();
        let end = whole.floor_char_boundary(end.index(whole.len()));
        let cut_off = validate(&open, whole.get(..end).unwrap_or_default());
        if end > 0 {
            prop_assert_eq!(cut_off.outcome, ValidationOutcome::Invalid, "{}", whole);
        }

        let mended = validate(&open, &with_slips(&whole, &slips));

        if mended.outcome == ValidationOutcome::Repaired {
            prop_assert!(!mended.changes.is_empty());
        }
        stays_as_it_is(&open, &mended)
    })
    .unwrap();
}

#[test]
fn what_is_coerced_fits_and_is_told_and_what_does_not_fit_says_where() {
    let strict = registry(json!({
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": -1000},
            "b": {"type": ["string", "null"]},
            "c": {"type": "array", "items": {"type": "boolean"}},
            "d": {"type": "object", "properties": {"a": {"type": "number"}}},
            "e": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]},
        },
    }))
    .unwrap();

    go_on(any_object(), move |value| {
        let validation = validate(&strict, &value.to_string());

        match validation.outcome {
            ValidationOutcome::Invalid => {
                let error = validation.error.as_ref();
                let says_where = error.is_some_and(|error| {
                    error
                        .faults
                        .iter()
                        .all(|fault| !fault.to_string().is_empty())
                });
                prop_assert!(says_where, "{}", value);
            }
            ValidationOutcome::Coerced => prop_assert!(!validation.changes.is_empty(), "{}", value),
            _ => prop_assert!(
                validation
                    .changes
                    .iter()
                    .all(|change| !change.kind.is_coercion()),
                "{}",
                value
            ),
        }
        stays_as_it_is(&strict, &validation)
    })
    .unwrap();
}
