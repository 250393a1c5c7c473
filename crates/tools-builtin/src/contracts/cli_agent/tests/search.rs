//! Searching.

use super::*;

fn project() -> Scratch {
    Scratch::new()
        .file("app.py", "# TODO: implement\nprint()\n    # TODO: test\n")
        .file("lib.rs", "// TODO\n// todo\n")
        .file("logo.png", b"\0TODO")
}

#[tokio::test]
async fn matches_are_listed_and_counted() {
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
async fn the_switches_narrow_a_search() {
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
async fn each_printed_error_is_given_to_the_letter() {
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
                "Error: `max_results` must be from 1 to 1000, not 0. Use 1, or leave it out.",
                "invalid_arguments",
            ),
            (
                "grep_search",
                json!({"pattern": "a", "max_results": 1001}),
                "Error: `max_results` must be from 1 to 1000, not 1001. Use 1000, or leave it out.",
                "invalid_arguments",
            ),
            (
                "grep_search",
                json!({"pattern": ""}),
                "Error: `pattern` is empty. Give the text to look for.",
                "invalid_arguments",
            ),
        ],
    )
    .await;
}
