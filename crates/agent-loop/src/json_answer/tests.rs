//! Answers against what is wanted.

use serde_json::json;

use super::*;

fn found(wanted: &JsonAnswer, answer: &str) -> Result<String, String> {
    wanted.find(answer).map(|found| found.text().to_owned())
}

fn totals() -> JsonAnswer {
    let schema = json!({
        "type": "object",
        "properties": {"total": {"type": "integer"}},
        "required": ["total"],
        "additionalProperties": false,
    });
    JsonAnswer::new().matching(CompiledSchema::compile(schema).unwrap())
}

#[test]
fn of_several_values_the_one_that_fits_is_taken() {
    let answer = r#"From {"items": ["a", "b", "c"]} I count {"total": 3}."#;

    assert_eq!(found(&totals(), answer), Ok(r#"{"total": 3}"#.to_owned()));
}

#[test]
fn what_is_wrong_is_told_in_words_for_the_model() {
    let scalar = CompiledSchema::compile(json!({"type": "array"})).unwrap();
    let check = |_: &Value| Err("`total` must be even.".to_owned());
    let wrong = "The JSON in the answer is not what was asked for.";
    let again = "Send all of it again, with nothing around it.";
    for (wanted, answer, reason) in [
        (
            totals(),
            "Three.",
            "There is no JSON object or array in the answer. Send it as JSON, with nothing around it.".to_owned(),
        ),
        (
            totals(),
            r#"{"total": "three", "x": 1}"#,
            format!("{wrong} What is wrong: `total` must be an integer, not the string \"three\"; `x` does not belong there. {again}"),
        ),
        (
            totals(),
            r#"{"other": {"#,
            "The answer was cut off: it ends inside a JSON value. Send the whole value again, shorter if it is long.".to_owned(),
        ),
        (
            JsonAnswer::new().matching(scalar),
            "{}",
            format!("{wrong} What is wrong: the value must be an array, not an object. {again}"),
        ),
        (
            totals().check(check),
            r#"{"total": 3}"#,
            format!("{wrong} `total` must be even. {again}"),
        ),
        (
            JsonAnswer::new().kind(JsonKind::Array),
            "{}",
            "The JSON in the answer is not a JSON array. Send one, with nothing around it.".to_owned(),
        ),
    ] {
        assert_eq!(found(&wanted, answer), Err(reason), "{answer}");
    }
}

#[test]
fn many_faults_are_told_in_part() {
    let schema = CompiledSchema::compile(json!({"items": {"type": "string"}})).unwrap();
    let answer = json!(vec![1; 30]).to_string();

    let reason = found(&JsonAnswer::new().matching(schema), &answer).unwrap_err();

    assert!(reason.contains("; and 20 more."), "{reason}");
}
