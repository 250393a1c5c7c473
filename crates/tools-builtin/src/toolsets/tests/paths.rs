//! Paths accepted by every tool of every toolset: inside the workspace, with Unix separators.

use std::cell::Cell;

use serde_json::{Map, Value, json};
use tool_core::{ErrorCode, ToolDefinition, ToolResult};
use tool_test::Scratch;

use crate::toolsets::{ToolsetName, testing};

/// Names of path parameters in the toolsets.
const PATHS: [&str; 6] = [
    "path",
    "file_path",
    "directory",
    "base_path",
    "working_directory",
    "cwd",
];

/// Paths outside the workspace, including Windows forms.
const OUTSIDE: [&str; 12] = [
    "../secret.txt",
    "../../../../../../etc/passwd",
    "src/../../secret.txt",
    "/etc/passwd",
    "/",
    "out/secret.txt",
    "C:\\Windows\\win.ini",
    "c:/Windows/win.ini",
    "D:",
    "\\\\server\\share\\x",
    "\\\\?\\C:\\x",
    "//server/share/x",
];

fn scratch() -> Scratch {
    Scratch::new()
        .file("secret.txt", "secret")
        .folder("ws")
        .file("ws/src/main.rs", "fn main() {}\n")
        .link("ws/out", "..")
}

/// Returns valid values for the required parameters.
fn required(tool: &ToolDefinition) -> Map<String, Value> {
    let names = tool.input_schema()["required"].as_array();
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names
        .map(|name| {
            let value = match name {
                "command" => json!("true"),
                "old_string" => json!("main"),
                "edits" => json!([{"old": "main", "new": "text"}]),
                _ => json!("text"),
            };
            (name.to_owned(), value)
        })
        .collect()
}

/// Calls every tool of every toolset with each of `paths` in each path parameter.
async fn each_call(paths: &[&str], look: impl Fn(&str, &str, &str, &ToolResult)) -> usize {
    let mut calls = 0;
    for set in ToolsetName::ALL {
        let scratch = scratch();
        let registry = testing::registry_in(set, scratch.path().join("ws"));
        for tool in registry.list() {
            let properties = tool.input_schema()["properties"].as_object();
            let properties = properties.cloned().unwrap_or_default();
            for parameter in PATHS
                .into_iter()
                .filter(|name| properties.contains_key(*name))
            {
                for path in paths {
                    let mut arguments = required(&tool);
                    arguments.insert(parameter.to_owned(), json!(path));

                    let result = registry
                        .execute(tool.name(), Value::Object(arguments))
                        .await;

                    let what = format!("{set} {} {parameter} {path}: {result}", tool.name());
                    assert!(
                        !result.text().contains(&*scratch.path().to_string_lossy()),
                        "{what}"
                    );
                    look(&what, parameter, path, &result);
                    calls += 1;
                }
            }
        }
    }
    calls
}

#[tokio::test]
async fn tools_reject_paths_outside_workspace() {
    let calls = each_call(&OUTSIDE, |what, parameter, _, result| {
        let Some(error) = &result.error else {
            panic!("{what}")
        };
        let codes = ["path_outside_workspace", "path_outside_working_dir"];
        assert!(codes.contains(&error.code.as_str()), "{what}");
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{what}");
    })
    .await;

    assert!(calls > 20 * OUTSIDE.len(), "{calls}");
}

#[tokio::test]
async fn windows_separators_suggest_slashes() {
    let answered = Cell::new(0);
    let look = |what: &str, parameter: &str, _: &str, result: &ToolResult| {
        // Write tools create a file of that name, as Unix does, and read tools then find it.
        if let Some(error) = &result.error
            && error.code == ErrorCode::FileNotFound
        {
            let advice = "Use `/` as the separator: `src/main.rs`.";
            assert_eq!(error.suggestion.as_deref(), Some(advice), "{what}");
            assert_eq!(error.parameter.as_deref(), Some(parameter), "{what}");
            answered.set(answered.get() + 1);
        }
    };

    each_call(&["src\\main.rs"], look).await;
    each_call(&[".\\src\\main.rs"], look).await;

    assert!(answered.get() > 20, "{}", answered.get());
}
