//! Messages about parameters name only parameters that the tool shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_core::{ToolDefinition, ToolResult};
use tool_test::Scratch;

use crate::toolsets::{ToolsetName, testing};

/// Creates files that cause the errors of each tool.
fn scratch() -> Scratch {
    let lines = "a line of text\n".repeat(12_000);
    let mut scratch = Scratch::new()
        .file("lines.txt", lines)
        .file("a.txt", "one\ntwo\none\n")
        .file("binary.bin", "a\0b\0\u{1}\u{2}")
        .file("src/deep/b.rs", "fn main() {}")
        .folder("folder");
    for number in 0..60 {
        scratch = scratch
            .file(&format!("many/{number}.txt"), "one\n")
            .folder(&format!("folders/{number}"));
    }
    scratch
}

/// Returns valid and invalid values for a parameter of this name.
fn values(name: &str) -> Vec<Value> {
    let texts = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect();
    match name {
        "path" | "file_path" | "directory" | "base_path" => texts(&[
            "a.txt",
            "lines.txt",
            "binary.bin",
            "folder",
            "many",
            "folders",
            "src",
            "a.tx",
            "",
            "../x",
            "a.txt/b",
            "a\0b",
            "none/none.txt",
        ]),
        "query" | "pattern" | "filePattern" | "file_pattern" | "old_string" => {
            texts(&["one", "", "(", "a\nb", "src/**/*.rs", "[", "deep/*.rs"])
        }
        "content" | "new_string" => texts(&["two", "one", ""]),
        "command" => texts(&[
            "",
            "'a",
            "echo one",
            "./nosuch.sh",
            "none-such",
            "sudo ls",
            "cd",
        ]),
        "arguments" => texts(&["'a", "a | b"]),
        "regex" | "is_regex" | "recursive" => vec![json!(true), json!(false)],
        _ => vec![json!(0), json!(-1), json!(1), json!(3), json!(1_000_000)],
    }
}

/// Returns calls that vary one parameter at a time, for each path.
fn calls(tool: &ToolDefinition) -> Vec<Value> {
    let properties = tool.input_schema()["properties"]
        .as_object()
        .unwrap()
        .clone();
    let names: Vec<&String> = properties.keys().collect();
    let plain: Map<String, Value> = tool.input_schema()["required"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| name.as_str().unwrap().to_owned())
        .map(|name| (name.clone(), values(&name)[0].clone()))
        .collect();
    let mut calls = vec![Value::Object(plain.clone())];
    for name in names {
        for value in values(name) {
            let mut call = plain.clone();
            call.insert(name.clone(), value);
            calls.push(Value::Object(call));
        }
    }
    calls
}

/// Returns the warnings and errors of a result, without the tool's output.
fn messages(result: &ToolResult) -> Vec<String> {
    let mut messages = result.warnings.clone();
    if let Some(error) = &result.error {
        messages.push(result.text());
        messages.push(error.message.clone());
        messages.extend(error.suggestion.clone());
    }
    messages
}

/// Returns the text in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the parameter names of all tools, including aliases.
fn all_parameters() -> BTreeSet<String> {
    let mut names: BTreeSet<String> = [
        "max_lines",
        "count_lines",
        "decoding",
        "max_file_bytes",
        "extensions",
    ]
    .into_iter()
    .chain([
        "skip_endings",
        "mode",
        "replace_all",
        "max_chars",
        "start_line",
        "context_lines",
        "background",
    ])
    .map(str::to_owned)
    .collect();
    for set in ToolsetName::ALL {
        for tool in testing::registry(set, &Scratch::new()).list() {
            names.extend(
                tool.input_schema()["properties"]
                    .as_object()
                    .unwrap()
                    .keys()
                    .cloned(),
            );
        }
    }
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_name_only_shown_parameters() {
    let all = Arc::new(all_parameters());
    // Run concurrently, because most of the time is spent waiting for the disk.
    let sets = ToolsetName::ALL.map(|set| tokio::spawn(wrong_of(set, Arc::clone(&all))));

    let mut wrong = Vec::new();
    for found in sets {
        wrong.extend(found.await.unwrap());
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the invalid messages of a toolset's tools.
async fn wrong_of(set: ToolsetName, all: Arc<BTreeSet<String>>) -> Vec<String> {
    let skipped = [
        "todo_manager",
        "validate_output",
        "terminal_last_command",
        "execute_bash",
        "bash",
    ];
    let mut wrong = Vec::new();
    let scratch = scratch();
    let registry = testing::registry(set, &scratch);
    for tool in registry.list() {
        let name = tool.name();
        if skipped.contains(&name) || name.contains("background") {
            continue;
        }
        let shown = tool.input_schema()["properties"].as_object().unwrap();
        for call in calls(&tool) {
            let result = registry.execute(name, call.clone()).await;

            let is_stray = |word: &str| all.contains(word) && !shown.contains_key(word);
            let reported = wrong_in(&result, is_stray);
            wrong.extend(reported.map(|text| format!("{set} {name} {call}: {text}")));
        }
    }
    wrong
}

#[tokio::test]
async fn truncation_warning_suggests_no_hidden_parameter() {
    let lines = format!("{:>99}\n", "a line").repeat(105_000);
    let scratch = Scratch::new().file("long.txt", lines);
    for (set, parameter) in [
        (ToolsetName::Dracode, "file_path"),
        (ToolsetName::Assistant, "path"),
    ] {
        let result =
            testing::call(set, &scratch, "read_file", json!({parameter: "long.txt"})).await;

        assert_eq!(
            result.warnings,
            ["The file is longer than one call may return."],
            "{set}"
        );
    }
}

#[cfg(feature = "shell")]
#[tokio::test]
async fn long_output_names_no_missing_tool() {
    use tool_core::output_store::MemoryStore;

    use crate::{Kit, Workspace};

    for (set, tool, arguments) in [
        (
            ToolsetName::Dracode,
            "run_command",
            json!({"command": "cat", "arguments": "lines.txt"}),
        ),
        (
            ToolsetName::Ryan,
            "execute_bash",
            json!({"command": "cat lines.txt"}),
        ),
        (
            ToolsetName::CliAgent,
            "run_in_terminal",
            json!({"command": "cat lines.txt"}),
        ),
        (
            ToolsetName::Assistant,
            "bash",
            json!({"command": "cat lines.txt"}),
        ),
    ] {
        let scratch = scratch();
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
        let kit = kit.with_output_store(Arc::new(MemoryStore::default()));
        let registry = testing::registry_of(set, &kit);

        let result = registry.execute(tool, arguments).await;

        let warnings = result.warnings.concat();
        assert!(
            warnings.contains("Redirect the output to a file"),
            "{set}: {result}"
        );
        assert!(
            !warnings.contains("read_stored_output"),
            "{set}: {warnings}"
        );
    }
}

/// Returns messages that name a hidden parameter, and errors without a suggestion.
fn wrong_in(result: &ToolResult, is_stray: impl Fn(&str) -> bool) -> impl Iterator<Item = String> {
    let stray = messages(result)
        .into_iter()
        .filter(|text| quoted(text).any(&is_stray))
        .collect::<Vec<_>>();
    let without_suggestion = result.error.as_ref().filter(|error| {
        error.suggestion.is_none() && result.text() == format!("Error: {}", error.message)
    });
    let without_suggestion =
        without_suggestion.map(|error| format!("no advice: {}", error.message));
    stray.into_iter().chain(without_suggestion)
}
