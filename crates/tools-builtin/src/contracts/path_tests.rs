//! What paths may be, for every tool of every set: inside the workspace, and written as Unix writes them.

use std::cell::Cell;

use serde_json::{Map, Value, json};
use tool_core::{ErrorCode, ToolDefinition, ToolResult};
use tool_test::Scratch;

use super::{ContractSet, testing};

/// What a set calls a parameter that is a path.
const PATHS: [&str; 5] = [
    "path",
    "file_path",
    "directory",
    "base_path",
    "working_directory",
];

/// Ways out, also those of Windows.
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

/// The least that a tool wants, with something that fits.
fn required(tool: &ToolDefinition) -> Map<String, Value> {
    let names = tool.input_schema()["required"].as_array();
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names
        .map(|name| {
            let value = match name {
                "command" => "true",
                "old_string" => "main",
                _ => "text",
            };
            (name.to_owned(), json!(value))
        })
        .collect()
}

/// Every tool of every set with each of its parameters that is a path, called with each of `paths`.
async fn each_call(paths: &[&str], look: impl Fn(&str, &str, &str, &ToolResult)) -> usize {
    let mut calls = 0;
    for set in ContractSet::ALL {
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
async fn no_path_of_any_tool_leads_out() {
    let calls = each_call(&OUTSIDE, |what, parameter, _, result| {
        let Some(error) = &result.error else {
            panic!("{what}")
        };
        let codes = ["path_outside_workspace", "path_outside_working_dir"];
        assert!(codes.contains(&error.code.as_str()), "{what}");
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{what}");
    })
    .await;

    assert!(calls > 30 * OUTSIDE.len(), "{calls}");
}

#[tokio::test]
async fn a_path_with_the_separators_of_windows_is_answered_with_the_one_to_use() {
    let answered = Cell::new(0);
    let look = |what: &str, parameter: &str, _: &str, result: &ToolResult| {
        // What writes makes a file of that name, as Unix does, and whoever reads it then finds it.
        if let Some(error) = &result.error
            && error.code == ErrorCode::FileNotFound
        {
            let advice = "Folders are told apart by `/`: use `src/main.rs`.";
            assert_eq!(error.suggestion.as_deref(), Some(advice), "{what}");
            assert_eq!(error.parameter.as_deref(), Some(parameter), "{what}");
            answered.set(answered.get() + 1);
        }
    };

    each_call(&["src\\main.rs"], look).await;
    each_call(&[".\\src\\main.rs"], look).await;

    assert!(answered.get() > 20, "{}", answered.get());
}
