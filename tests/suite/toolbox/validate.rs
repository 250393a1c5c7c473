//! `validate`.

use serde_json::{Value, json};
use tool_test::Scratch;

use super::{Run, json_lines, run_in};

fn tools() -> Scratch {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    let tools = json!([
        {"name": "search", "description": "Searches.", "input_schema": schema},
        {"name": "broken", "inputSchema": {"type": "object", "properties": {"a": {"type": "text"}}}},
        {"name": "search", "schema": {"type": "object"}},
        {"name": "broken", "parameters": {"type": "object"}},
    ]);
    Scratch::new().file("tools.json", tools.to_string())
}

fn validate(options: &[&str], lines: &[Value]) -> Run {
    let arguments = [&["validate", "--tools", "tools.json"], options].concat();
    run_in(&tools(), &arguments, &json_lines(lines))
}

fn one(line: &Value) -> Value {
    validate(&[], std::slice::from_ref(line)).lines()[0].clone()
}

#[test]
fn returns_valid_arguments_with_defaults() {
    let answer = one(&json!({"id": 1, "tool": "search", "arguments": {"query": "a"}}));

    assert_eq!(
        answer,
        json!({
            "id": 1,
            "outcome": "valid",
            "arguments": {"query": "a", "limit": 10},
            "changes": [],
            "error": null,
        })
    );
}

#[test]
fn outcome_is_strongest_change() {
    for (text, outcome) in [
        (r#"{"query": "a", "limit": 5}"#, "valid"),
        (r#"{"query": "a", "limit": 5,}"#, "repaired"),
        (r#"{"query": "a", "limit": "5"}"#, "coerced"),
        (r#"{"query": "a", "limit": "5",}"#, "coerced"),
        (r#"{"query": "a", "limit": "five"}"#, "invalid"),
    ] {
        let answer = one(&json!({"id": 1, "tool": "search", "text": text}));

        assert_eq!(answer["outcome"], outcome, "{text}");
        assert_eq!(
            answer["arguments"].is_null(),
            outcome == "invalid",
            "{text}"
        );
    }
}

#[test]
fn change_has_pointer_and_both_values() {
    let answer =
        one(&json!({"id": 1, "tool": "search", "arguments": {"query": "a", "limit": "5"}}));

    assert_eq!(
        answer["changes"],
        json!([{"pointer": "/limit", "kind": "text_to_number", "from": "5", "to": 5}])
    );
}

#[test]
fn reports_every_issue_with_pointer() {
    let answer = one(&json!({"id": 1, "tool": "search", "arguments": {"limt": 5}}));

    let error = answer["error"].as_object().unwrap();
    let keys: Vec<&str> = error.keys().map(String::as_str).collect();
    let issues = error["issues"].as_array().unwrap();
    assert_eq!(keys, ["code", "message", "suggestion", "issues"]);
    assert_eq!(error["code"], "invalid_arguments");
    assert_eq!(issues.len(), 2);
    assert!(
        issues.iter().all(|fault| fault["pointer"] == ""),
        "{issues:?}"
    );
    assert_eq!(issues[0]["keyword"], "additionalProperties");
    assert_eq!(issues[0]["nearest"], "limit");
    assert_eq!(issues[1]["keyword"], "required");
}

#[test]
fn coerce_off_changes_nothing() {
    let line = json!({"id": 1, "tool": "search", "arguments": {"query": "a", "limit": "5"}});

    let off = validate(&["--coerce", "off"], std::slice::from_ref(&line)).lines();
    let on = validate(&["--coerce", "on"], &[line]).lines();

    assert_eq!(off[0]["outcome"], "invalid");
    assert_eq!(off[0]["error"]["issues"][0]["pointer"], "/limit");
    assert_eq!(on[0]["outcome"], "coerced");
}

#[test]
fn does_not_complete_truncated_text() {
    let answer = one(&json!({"id": 1, "tool": "search", "text": "{\"query\": \"a"}));

    assert_eq!(answer["outcome"], "invalid");
    assert_eq!(answer["error"]["code"], "truncated_arguments");
}

#[test]
fn invalid_schema_fails_each_call() {
    let line = json!({"id": 1, "tool": "broken", "arguments": {}});

    let run = validate(&[], &[line.clone(), line]);

    for answer in run.lines() {
        assert_eq!(answer["outcome"], "invalid");
        assert_eq!(answer["error"]["code"], "invalid_schema");
    }
    assert_eq!(run.lines().len(), 2);
    assert!(
        run.errors.contains("the schema of `broken` cannot be used"),
        "{}",
        run.errors
    );
}

#[test]
fn reports_duplicate_tool_names() {
    let run = validate(&[], &[json!({"id": 1, "tool": "search", "arguments": {}})]);

    assert_eq!(run.lines()[0]["outcome"], "invalid");
    for name in ["search", "broken"] {
        let line = format!("toolbox: ignoring a second tool named `{name}`\n");
        assert!(run.errors.contains(&line), "{}", run.errors);
    }
}

#[test]
fn unknown_tool_suggests_similar_name() {
    let answer = one(&json!({"id": 1, "tool": "serch", "arguments": {}}));

    assert_eq!(answer["outcome"], "invalid");
    assert_eq!(answer["error"]["code"], "tool_not_found");
    let suggestion = answer["error"]["suggestion"].as_str().unwrap();
    assert!(suggestion.contains("`search`"), "{suggestion}");
}

#[test]
fn reports_unreadable_line_and_continues() {
    let good = r#"{"id": 1, "tool": "search", "arguments": {"query": "a"}}"#;
    let input = format!("{{\n{good}\n");

    let run = run_in(&tools(), &["validate", "--tools", "tools.json"], &input);

    let lines = run.lines();
    assert_eq!(run.status, Some(0));
    assert_eq!(lines[0]["id"], json!(null));
    assert_eq!(lines[0]["error"]["code"], "unreadable_line");
    assert_eq!(lines[1]["outcome"], "valid");
}

#[test]
fn rejects_deep_nesting() {
    let deep = "[".repeat(100_000);
    let lines = [
        json!({"id": 1, "tool": "search", "text": deep}).to_string(),
        format!(r#"{{"id": 2, "tool": "search", "arguments": {deep}"#),
    ];

    let run = run_in(
        &tools(),
        &["validate", "--tools", "tools.json"],
        &lines.join("\n"),
    );

    let lines = run.lines();
    assert_eq!(run.status, Some(0));
    assert_eq!(lines[0]["outcome"], "invalid");
    assert_eq!(lines[1]["error"]["code"], "unreadable_line");
}

#[test]
fn rejects_too_long_lines_without_buffering() {
    let long = "x".repeat(33 * 1024 * 1024);
    let good = r#"{"id": 1, "tool": "search", "arguments": {"query": "a"}}"#;

    let run = run_in(
        &tools(),
        &["validate", "--tools", "tools.json"],
        &format!("{long}\n{good}\n"),
    );

    let lines = run.lines();
    assert_eq!(
        lines[0]["error"]["message"],
        "The line cannot be read: it is longer than 32 MB."
    );
    assert_eq!(lines[1]["outcome"], "valid");
}

#[test]
fn accepts_definitions_as_json_lines() {
    let scratch = Scratch::new().file("tools.jsonl", "{\"name\": \"a\"}\n{\"name\": \"b\"}\n");
    let line = r#"{"id": 1, "tool": "b", "arguments": {}}"#;

    let run = run_in(&scratch, &["validate", "--tools", "tools.jsonl"], line);

    assert_eq!(run.lines()[0]["outcome"], "valid");
}
