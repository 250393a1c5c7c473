use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tool_core::{ErrorCode, ToolContext, ToolError, TypedTool};

use super::*;

async fn validated(
    types: OutputTypes,
    name: &str,
    data: Value,
) -> Result<ValidationReport, ToolError> {
    let input = ValidateOutputInput {
        output_type: name.to_owned(),
        data,
    };
    ValidateOutput::new(types)
        .run(&ToolContext::test(), input)
        .await
}

async fn domains(data: Value) -> ValidationReport {
    validated(OutputTypes::default(), "domain_map", data)
        .await
        .unwrap()
}

fn report(errors: &[&str], warnings: &[&str]) -> ValidationReport {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    ValidationReport {
        valid: errors.is_empty(),
        errors: owned(errors),
        warnings: owned(warnings),
    }
}

fn person() -> OutputType {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "ages": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    OutputType::named("person").schema(schema).unwrap()
}

#[tokio::test]
async fn domain_map_matches_document() {
    let data = json!({"domains": [], "layout": {}, "summary": {}});

    let report = domains(data).await;

    assert_eq!(
        json!(report),
        json!({"valid": false, "errors": ["Missing 'domains' array"], "warnings": []})
    );
}

#[tokio::test]
async fn domain_map_requires_domains_and_warns_about_others() {
    let missing = "Missing 'domains' array";
    let (layout, summary) = ("Missing 'layout' object", "Missing 'summary' object");
    for (data, expected) in [
        (
            json!({"domains": [{}], "layout": {}, "summary": {}}),
            report(&[], &[]),
        ),
        (
            json!({"domains": ["auth"]}),
            report(&[], &[layout, summary]),
        ),
        (
            json!({"domains": ["auth"], "layout": [], "summary": {}}),
            report(&[], &[layout]),
        ),
        (
            json!({"layout": {}, "summary": {}}),
            report(&[missing], &[]),
        ),
        (
            json!({"domains": {}, "layout": {}, "summary": {}}),
            report(&[missing], &[]),
        ),
        (
            json!({"domains": null, "layout": {}, "summary": "x"}),
            report(&[missing], &[summary]),
        ),
        (json!([]), report(&[missing], &[layout, summary])),
        (json!(null), report(&[missing], &[layout, summary])),
        (json!("no JSON"), report(&[missing], &[layout, summary])),
    ] {
        assert_eq!(domains(data.clone()).await, expected, "{data}");
    }
}

#[tokio::test]
async fn accepts_data_as_json_string() {
    let types = OutputTypes::empty().with(person());

    let given = validated(types.clone(), "person", json!("\n {\"name\": \"Ada\"} \n")).await;
    let other = validated(types, "person", json!("Ada")).await.unwrap();

    assert_eq!(given.unwrap(), report(&[], &[]));
    let error = "the data must be an object, not the string \"Ada\"";
    assert_eq!(other, report(&[error], &[]));
}

#[tokio::test]
async fn string_type_accepts_strings() {
    let slogan = OutputType::named("slogan").schema(json!({"type": "string", "maxLength": 10}));
    let types = OutputTypes::empty().with(slogan.unwrap());

    let braces = validated(types.clone(), "slogan", json!("{\"a\": 1}"))
        .await
        .unwrap();
    let long = validated(types, "slogan", json!("far too long a text"))
        .await
        .unwrap();

    assert_eq!(braces, report(&[], &[]));
    assert_eq!(
        long.errors,
        ["the data must be at most 10 characters long, not the string \"far too long a text\""]
    );
}

#[tokio::test]
async fn schema_errors_have_pointers() {
    for (data, errors) in [
        (
            json!({"name": 7}),
            &["`/name` must be a string, not the number 7"][..],
        ),
        (
            json!({"name": "Ada", "ages": [1, -2, "x"]}),
            &[
                "`/ages/1` must be at least 0, not the number -2",
                "`/ages/2` must be an integer, not the string \"x\"",
            ],
        ),
        (
            json!({"name": "Ada", "age": 1}),
            &["`/age` is not known (did you mean `ages`?)"],
        ),
        (json!({}), &["`/name` is missing"]),
        (
            json!([]),
            &["the data must be an object, not the empty array"],
        ),
    ] {
        let types = OutputTypes::empty().with(person());

        let given = validated(types, "person", data.clone()).await.unwrap();

        assert_eq!(given, report(errors, &[]), "{data}");
    }
}

#[tokio::test]
async fn checks_run_only_on_data_that_matches_schema() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let checked = person()
        .check(move |_, findings| {
            counted.fetch_add(1, Ordering::Relaxed);
            findings.warn("`/ages` is missing");
        })
        .check(|data, findings| {
            if data["name"] == "Nobody" {
                findings.error("`/name` is nobody's");
            }
        });
    let types = OutputTypes::empty().with(checked);

    let refused = validated(types.clone(), "person", json!({})).await.unwrap();
    let nobody = validated(types.clone(), "person", json!({"name": "Nobody"}))
        .await
        .unwrap();
    let ada = validated(types, "person", json!({"name": "Ada"}))
        .await
        .unwrap();

    assert_eq!(refused, report(&["`/name` is missing"], &[]));
    assert_eq!(
        nobody,
        report(&["`/name` is nobody's"], &["`/ages` is missing"])
    );
    assert_eq!(ada, report(&[], &["`/ages` is missing"]));
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn unknown_type_lists_known_types() {
    let types = OutputTypes::default().with(person());

    let error = validated(types, "persn", json!({})).await.unwrap_err();
    let none = validated(OutputTypes::empty(), "x", json!({}))
        .await
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::InvalidArguments);
    assert_eq!(
        error.to_string(),
        "`output_type` is an unknown output type. Use one of `domain_map`, `person`."
    );
    assert_eq!(
        none.suggestion(),
        Some("Return the output without validating it; no types are registered.")
    );
}

#[tokio::test]
async fn limits_listed_types_and_errors() {
    let types = (0..30).fold(OutputTypes::empty(), |types, number| {
        types.with(OutputType::named(format!("type_{number:02}")))
    });
    let lists = OutputType::named("list")
        .schema(json!({"items": {"type": "integer"}}))
        .unwrap();
    let texts: Value = (0..500).map(|_| json!("x")).collect();

    let error = validated(types, "x", json!({})).await.unwrap_err();
    let given = validated(OutputTypes::empty().with(lists), "list", texts)
        .await
        .unwrap();

    assert!(
        error.to_string().ends_with("`type_19` or 10 others."),
        "{error}"
    );
    assert_eq!(given.errors.len(), 51);
    assert_eq!(given.errors[50], "… and perhaps more errors");
}

#[tokio::test]
async fn panic_in_check_fails_call_without_details() {
    let broken = OutputType::named("broken").check(|_, _| panic!("secret"));

    let error = validated(OutputTypes::empty().with(broken), "broken", json!({}))
        .await
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::Failed);
    assert!(!error.to_string().contains("secret"));
}

#[tokio::test]
async fn later_type_replaces_type_of_same_name() {
    let own = OutputType::named("domain_map").check(|_, findings| findings.warn("own"));

    let given = validated(OutputTypes::default().with(own), "domain_map", json!({})).await;

    assert_eq!(given.unwrap(), report(&[], &["own"]));
}

#[test]
fn creates_type_from_rust_type() {
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Point {
        x: i32,
        y: i32,
    }
    let point = OutputType::of::<Point>("point").unwrap();

    assert!(point.validate(&json!({"x": 1, "y": 2})).is_valid());
    assert_eq!(
        point.validate(&json!({"x": 1})).errors(),
        ["`/y` is missing"]
    );
    assert_eq!(
        format!("{point:?}"),
        r#"OutputType { name: "point", has_schema: true, checks: 0, .. }"#
    );
}

#[test]
fn renders_verdict_and_lists() {
    for (given, text) in [
        (report(&[], &[]), "Valid."),
        (report(&[], &["w"]), "Valid.\nWarnings:\n- w"),
        (
            report(&["a", "b"], &["w"]),
            "Not valid.\nErrors:\n- a\n- b\nWarnings:\n- w",
        ),
    ] {
        assert_eq!(ValidateOutput::render(&given), text);
    }
}
