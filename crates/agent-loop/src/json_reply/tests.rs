use serde_json::json;

use super::*;

fn found(wanted: &JsonReply, answer: &str) -> Result<String, String> {
    wanted.find(answer).map(|found| found.text().to_owned())
}

fn totals() -> JsonReply {
    let schema = json!({
        "type": "object",
        "properties": {"total": {"type": "integer"}},
        "required": ["total"],
        "additionalProperties": false,
    });
    JsonReply::new().matching(CompiledSchema::compile(schema).unwrap())
}

#[test]
fn selects_matching_value() {
    let answer = r#"From {"items": ["a", "b", "c"]} I count {"total": 3}."#;

    assert_eq!(found(&totals(), answer), Ok(r#"{"total": 3}"#.to_owned()));
}

#[test]
fn rejection_explains_errors_to_model() {
    let scalar = CompiledSchema::compile(json!({"type": "array"})).unwrap();
    let check = |_: &Value| Err("`total` must be even.".to_owned());
    let wrong = "The JSON in the response does not match the requirements.";
    let again = "Return only the complete, corrected JSON.";
    for (wanted, answer, reason) in [
        (
            totals(),
            "Three.",
            "The response contains no JSON object or array. Return only the JSON.".to_owned(),
        ),
        (
            totals(),
            r#"{"total": "three", "x": 1}"#,
            format!("{wrong} Errors: `total` must be an integer, not the string \"three\"; `x` is not allowed. {again}"),
        ),
        (
            totals(),
            r#"{"other": {"#,
            "The response is truncated: it ends inside a JSON value. Return the complete value again, and shorten it if it is long.".to_owned(),
        ),
        (
            JsonReply::new().matching(scalar),
            "{}",
            format!("{wrong} Errors: the value must be an array, not an object. {again}"),
        ),
        (
            totals().check(check),
            r#"{"total": 3}"#,
            format!("{wrong} `total` must be even. {again}"),
        ),
    ] {
        assert_eq!(found(&wanted, answer), Err(reason), "{answer}");
    }
}

#[test]
fn limits_number_of_listed_errors() {
    let schema = CompiledSchema::compile(json!({"items": {"type": "string"}})).unwrap();
    let answer = json!(vec![1; 30]).to_string();

    let reason = found(&JsonReply::new().matching(schema), &answer).unwrap_err();

    assert!(reason.contains("; and 20 more."), "{reason}");
}
