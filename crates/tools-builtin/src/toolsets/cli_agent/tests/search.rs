//! Search tool.

use std::sync::Arc;
use std::time::Duration;

use tool_core::Registry;

use super::*;
use crate::search::SearchCode;
use crate::{Kit, Workspace};

fn project() -> Scratch {
    Scratch::new()
        .file("app.py", "# TODO: implement\nprint()\n    # TODO: test\n")
        .file("lib.rs", "// TODO\n// todo\n")
        .file("logo.png", b"\0TODO")
}

#[tokio::test]
async fn lists_and_counts_matches() {
    let form = response(&project(), "grep_search", json!({"pattern": "TODO"})).await;

    assert_eq!(
        form,
        json!({
            "success": true,
            "output": "Found 3 matches for 'TODO':\n  app.py:1: # TODO: implement\n  \
                       app.py:3:     # TODO: test\n  lib.rs:1: // TODO",
            "files_affected": [],
            "metadata": {"total_matches": 3, "files_searched": 2, "pattern": "TODO"},
        })
    );
}

#[tokio::test]
async fn parameters_narrow_search() {
    for (arguments, output) in [
        (
            json!({"pattern": "todo"}),
            "Found 1 matches for 'todo':\n  lib.rs:2: // todo",
        ),
        (
            json!({"pattern": "TODO: i.*t$", "is_regex": true}),
            "Found 1 matches for 'TODO: i.*t$':\n  app.py:1: # TODO: implement",
        ),
        (
            json!({"pattern": "TODO", "file_pattern": "*.rs"}),
            "Found 1 matches for 'TODO':\n  lib.rs:1: // TODO",
        ),
        (
            json!({"pattern": "TODO", "max_results": 1}),
            "Found at least 2 matches for 'TODO', showing the first 1:\n  app.py:1: # TODO: implement\n  \
             [… there may be more; raise max_results or narrow file_pattern]",
        ),
        (
            json!({"pattern": "nowhere"}),
            "Found 0 matches for 'nowhere':",
        ),
    ] {
        let result = call(&project(), "grep_search", arguments.clone()).await;

        assert_eq!(result.text(), output, "{arguments}");
    }
}

#[tokio::test]
async fn errors_match_document() {
    assert_errors(
        &project(),
        &[
            (
                "grep_search",
                json!({"pattern": "(a", "is_regex": true}),
                "Error: Invalid regex pattern: unclosed group",
                "invalid_pattern",
            ),
            (
                "grep_search",
                json!({"pattern": "a", "file_pattern": "**/*[.go"}),
                "Error: Invalid glob pattern '**/*[.go'",
                "invalid_pattern",
            ),
            (
                "grep_search",
                json!({"pattern": "a", "max_results": 0}),
                "Error: `max_results` must be from 1 to 1000, not 0. Use 1, or omit the parameter.",
                "invalid_arguments",
            ),
            (
                "grep_search",
                json!({"pattern": "a", "max_results": 1001}),
                "Error: `max_results` must be from 1 to 1000, not 1001. Use 1000, or omit the parameter.",
                "invalid_arguments",
            ),
            (
                "grep_search",
                json!({"pattern": ""}),
                "Error: `pattern` is empty. Pass the text to search for.",
                "invalid_arguments",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn search_at_limit_suggests_narrower_arguments() {
    let scratch = Scratch::new().file("a.txt", "TODO\n".repeat(1001));
    let arguments = json!({"pattern": "TODO", "max_results": 1000});

    let result = call(&scratch, "grep_search", arguments).await;

    let text = result.text();
    let (first, last) = (text.lines().next(), text.lines().last());
    assert_eq!(
        (first, last),
        (
            Some("Found at least 1001 matches for 'TODO', showing the first 1000:"),
            Some("  [… there may be more; narrow pattern or file_pattern]")
        )
    );
}

#[tokio::test]
async fn search_timeout_has_documented_warning() {
    let scratch = project();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let mut kit = Kit::new(workspace.clone());
    kit.search_code = Arc::new(SearchCode::new(workspace).with_time_limit(Duration::ZERO));
    let toolset = CliAgent.toolset(&kit).unwrap();
    let registry = Registry::builder().toolset(&toolset).unwrap().build();

    let result = registry
        .execute("grep_search", json!({"pattern": "TODO"}))
        .await;

    let form = json!(CliAgentResult::of(&result));
    assert_eq!(
        form["output"],
        "Found 0 matches for 'TODO':\n  [… there may be more; raise max_results or narrow file_pattern]\n\
         Warning: Search timed out after 30s, returning partial results"
    );
    assert_eq!(form["success"], true);
}
