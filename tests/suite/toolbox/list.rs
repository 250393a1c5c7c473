//! `list`.

use serde_json::{Value, json};
use tool_test::Scratch;

use super::{run, run_in};

#[test]
fn lists_schema_and_risk_of_every_tool() {
    let run = run(&["list"], "");

    let tools = run.document();
    let tools = tools.as_array().unwrap();
    assert_eq!(run.status, Some(0));
    assert!(tools.len() >= 7, "{}", tools.len());
    for tool in tools {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        assert!(tool["description"].is_string(), "{tool}");
        assert!(tool["hints"]["read_only"].is_boolean(), "{tool}");
        assert!(tool["output_schema"].is_object(), "{tool}");
    }
}

#[test]
fn lists_standard_toolset_by_default() {
    let named = run(&["list", "--contract", "standard"], "").document();

    let tool = |name: &str| -> Value {
        let tools = named.as_array().unwrap();
        tools
            .iter()
            .find(|tool| tool["name"] == name)
            .cloned()
            .unwrap()
    };
    assert_eq!(named, run(&["list"], "").document());
    assert_eq!(tool("read")["risk"], "read_only");
    assert_eq!(tool("write")["risk"], "safe_write");
    assert_eq!(tool("bash")["risk"], "dangerous");
    assert_eq!(tool("read")["input_schema"]["required"], json!(["path"]));
}

#[test]
fn list_is_independent_of_workspace() {
    let scratch = Scratch::new().folder("inner");

    let here = run_in(&scratch, &["list"], "");
    let there = run_in(&scratch, &["list", "--workspace", "inner"], "");

    assert_eq!(here.output, there.output);
}

#[test]
fn human_list_has_name_risk_and_first_sentence() {
    let run = run(&["list", "--human"], "");

    let lines: Vec<&str> = run.output.lines().collect();
    assert_eq!(run.status, Some(0));
    assert!(lines.len() >= 7, "{}", run.output);
    let read = lines.iter().find(|line| line.starts_with("read ")).unwrap();
    let words: Vec<&str> = read.split_whitespace().collect();
    assert_eq!(words[..3], ["read", "read_only", "Reads"]);
    assert!(read.ends_with('.'), "{read}");
}

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "fish", "zsh"] {
        let run = run(&["completions", shell], "");

        assert_eq!(run.status, Some(0), "{shell}");
        for part in ["validate", "approve", "human"] {
            assert!(run.output.contains(part), "{part} in {shell}");
        }
    }
}
