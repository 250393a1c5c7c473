//! `search`, and `convert --search`.

use serde_json::{Value, json};
use tool_test::Scratch;

use super::run_in;

fn tools() -> Scratch {
    let tools = json!([
        {"name": "get_weather", "description": "Returns the weather of a city.", "schema": {"type": "object"}},
        {"name": "send_mail", "description": "Sends a message to a person.", "schema": {"type": "object"}},
    ]);
    Scratch::new().file("tools.json", tools.to_string())
}

#[test]
fn search_prints_the_best_tools() {
    let one = run_in(
        &tools(),
        &["search", "how is the weather", "--tools", "tools.json"],
        "",
    );
    let batch = ["search", "--batch", "--tools", "tools.json", "--limit", "1"];
    let batch = run_in(&tools(), &batch, "mail somebody\nzzz\n");

    assert_eq!(one.document()[0]["name"], "get_weather");
    let lines = batch.lines();
    assert_eq!(lines[0][0]["name"], "send_mail");
    assert!(lines[0][0]["score"].as_f64().unwrap() > 0.0);
    assert_eq!(lines[1], json!([]));
}

#[test]
fn search_needs_a_query() {
    let run = run_in(&tools(), &["search", "--tools", "tools.json"], "");

    assert_eq!(run.status, Some(2));
}

#[test]
fn tool_with_invalid_schema_hides_no_other() {
    let tools = json!([
        {"name": "get_weather", "description": "Returns the weather of a city.", "schema": {"type": "object"}},
        {"name": "broken", "description": "Returns nothing.", "schema": {"type": "object", "properties": {"a": {"type": 7}}}},
    ]);
    let scratch = Scratch::new().file("tools.json", tools.to_string());
    let arguments = [
        "convert",
        "--tools",
        "tools.json",
        "--search",
        "get_weather",
        "--provider",
        "openai",
    ];

    let converted = run_in(&scratch, &arguments, "").document();

    assert_eq!(converted["tools"].as_array().unwrap().len(), 3);
    assert_eq!(converted["refused"][0]["tool"], "broken");
    let found = run_in(
        &scratch,
        &["search", "the weather", "--tools", "tools.json"],
        "",
    );
    assert_eq!(found.document()[0]["name"], "get_weather");
}

#[test]
fn convert_defers_as_the_model_needs_it() {
    let convert = |options: &[&str]| {
        let arguments = [
            &["convert", "--tools", "tools.json", "--search", "send_mail"],
            options,
        ]
        .concat();
        let tools: Value = run_in(&tools(), &arguments, "").document();
        tools["tools"].clone()
    };

    let native = convert(&["--provider", "anthropic", "--model", "claude-opus-5"]);
    let local = convert(&["--provider", "openai"]);

    assert_eq!(native[0]["type"], "tool_search_tool_bm25_20251119");
    assert_eq!(native[1]["defer_loading"], true);
    assert_eq!(native[2]["name"], "send_mail");
    let names: Vec<_> = (0..3)
        .map(|at| local[at]["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["send_mail", "search_tools", "call_tool"]);
}
