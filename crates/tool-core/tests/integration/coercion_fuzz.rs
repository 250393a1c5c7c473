//! Fuzz test of coercion through the registry, with a fixed number of cases so that its time is bounded on a busy machine.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::{Value, json};
use tool_core::{
    CallArguments, DynamicTool, RegisterError, Registry, ToolDefinition, ToolOutput, Validation,
    ValidationOutcome,
};

const CASES: u32 = 3000;

fn registry(schema: Value) -> Result<Registry, RegisterError> {
    let tool = DynamicTool::new(ToolDefinition::new("f", "F.", schema), |_, _| async {
        Ok(ToolOutput::text("ran"))
    });
    Registry::of(tool)
}

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

fn validate(registry: &Registry, text: &str) -> Validation {
    registry.validate("f", &CallArguments::Text(text.to_owned()))
}

/// Checks that accepted arguments are valid without changes.
fn is_stable(registry: &Registry, validation: &Validation) -> Result<(), TestCaseError> {
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

#[test]
fn coerced_arguments_are_valid_and_errors_have_pointers() {
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

    fuzz(any_object(), move |value| {
        let validation = validate(&strict, &value.to_string());

        match validation.outcome {
            ValidationOutcome::Invalid => {
                let error = validation.error.as_ref();
                let has_pointers = error.is_some_and(|error| {
                    let is_of_a_member = |pointer: &str| {
                        let name = pointer.split('/').nth(1);
                        name.is_some_and(|name| value.get(name).is_some())
                    };
                    let mut issues = error.issues.iter();
                    !error.issues.is_empty() && issues.all(|issue| is_of_a_member(&issue.pointer))
                });
                prop_assert!(has_pointers, "{}", value);
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
        is_stable(&strict, &validation)
    })
    .unwrap();
}
