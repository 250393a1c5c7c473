//! File and directory tools.

use super::*;

fn numbered(lines: usize) -> String {
    let lines: Vec<String> = (1..=lines).map(|line| format!("line {line}")).collect();
    lines.join(
        "
",
    ) + "
"
}

#[tokio::test]
async fn create_file_returns_size() {
    let scratch = Scratch::new();
    let content = "x".repeat(125);

    let form = response(
        &scratch,
        "create_file",
        json!({"path": "hello.py", "content": content}),
    )
    .await;

    assert_eq!(
        form,
        json!({"success": true, "output": "Created file: hello.py (125 bytes)", "files_affected": ["hello.py"]})
    );
}

#[tokio::test]
async fn create_file_creates_missing_directory() {
    let scratch = Scratch::new();

    let form = response(
        &scratch,
        "create_file",
        json!({"path": "a/b/c.txt", "content": ""}),
    )
    .await;

    assert_eq!(form["output"], "Created file: a/b/c.txt (0 bytes)");
    assert_eq!(scratch.read("a/b/c.txt"), "");
}

#[tokio::test]
async fn read_file_returns_range_and_counts() {
    let text = numbered(50);
    let size = text.len();
    let scratch = Scratch::new().file("hello.py", &text);

    let arguments = json!({"path": "hello.py", "start_line": 1, "end_line": 10});
    let form = response(&scratch, "read_file", arguments).await;

    assert_eq!(
        form,
        json!({
            "success": true,
            "output": format!("Contents of hello.py (lines 1-10):\n{}", numbered(10).trim_end()),
            "files_affected": [],
            "metadata": {"total_lines": 50, "lines_returned": 10, "file_size_bytes": size},
        })
    );
}

#[tokio::test]
async fn headline_names_actual_lines() {
    let scratch = Scratch::new()
        .file("a.txt", "one\ntwo\nthree\n")
        .file("b.txt", "one\ntwo")
        .file("empty.txt", "");
    for (arguments, output) in [
        (
            json!({"path": "a.txt"}),
            "Contents of a.txt (lines 1-3):\none\ntwo\nthree\n",
        ),
        (
            json!({"path": "./a.txt", "start_line": 2}),
            "Contents of ./a.txt (lines 2-3):\ntwo\nthree\n",
        ),
        (
            json!({"path": "a.txt", "end_line": 1}),
            "Contents of a.txt (lines 1-1):\none",
        ),
        (
            json!({"path": "a.txt", "start_line": 3, "end_line": 99}),
            "Contents of a.txt (lines 3-3):\nthree",
        ),
        (
            json!({"path": "b.txt"}),
            "Contents of b.txt (lines 1-2):\none\ntwo",
        ),
        (
            json!({"path": "empty.txt"}),
            "Contents of empty.txt (lines 0-0):\n",
        ),
    ] {
        let result = call(&scratch, "read_file", arguments.clone()).await;

        assert_eq!(result.text(), output, "{arguments}");
    }
}

#[tokio::test]
async fn binary_file_is_hex_with_documented_warning() {
    let scratch = Scratch::new().file("logo.png", b"\x89PNG\0\0");

    let form = response(&scratch, "read_file", json!({"path": "logo.png"})).await;

    assert_eq!(form["success"], true);
    assert_eq!(
        form["output"],
        format!(
            "Contents of logo.png (hex):\n00000000  89 50 4e 47 00 00{}  |.PNG..|\n\
             Warning: File appears to be binary, displaying first 1KB as hex",
            " ".repeat(30)
        )
    );
}

#[tokio::test]
async fn replaces_single_occurrence() {
    let scratch = Scratch::new().file("hello.py", "1\n2\n3\n4\nold\n");

    let arguments = json!({"path": "hello.py", "old_string": "old", "new_string": "new"});
    let form = response(&scratch, "replace_string_in_file", arguments).await;

    assert_eq!(
        form,
        json!({
            "success": true,
            "output": "Replaced 1 occurrence in hello.py",
            "files_affected": ["hello.py"],
            "metadata": {"occurrences_found": 1, "occurrences_replaced": 1, "lines_changed": [5]},
        })
    );
}

#[tokio::test]
async fn replaces_first_of_several_occurrences_with_warning() {
    let scratch = Scratch::new().file("a.txt", "1\n2\n3\n4\nold old\nold\n");

    let arguments = json!({"path": "a.txt", "old_string": "old", "new_string": "new"});
    let form = response(&scratch, "replace_string_in_file", arguments).await;

    assert_eq!(
        form["output"],
        "Replaced 1 occurrence in a.txt\nWarning: Found 3 occurrences, replaced only the first at line 5"
    );
    assert_eq!(scratch.read("a.txt"), "1\n2\n3\n4\nnew old\nold\n");
}

#[tokio::test]
async fn list_dir_lists_files_first() {
    let scratch = Scratch::new()
        .file("src/app.py", "")
        .file("src/utils.py", "")
        .folder("src/models");

    let form = response(&scratch, "list_dir", json!({"path": "./src"})).await;

    assert_eq!(
        form,
        json!({
            "success": true,
            "output": "Contents of ./src:\n  app.py\n  utils.py\n  models/\n",
            "files_affected": [],
            "metadata": {"total_entries": 3, "files": 2, "directories": 1},
        })
    );
}

#[tokio::test]
async fn lists_root_and_empty_directory() {
    let scratch = Scratch::new().file(".hidden", "").folder("empty");
    for (arguments, output) in [
        (json!({}), "Contents of .:\n  .hidden\n  empty/\n"),
        (json!({"path": "empty"}), "Contents of empty:\n"),
    ] {
        assert_eq!(call(&scratch, "list_dir", arguments).await.text(), output);
    }
}

#[tokio::test]
async fn listing_continues_after_1000_entries() {
    let scratch = (0..1003).fold(Scratch::new(), |scratch, number| {
        scratch.file(&format!("many/{number:04}"), "")
    });

    let listed = call(&scratch, "list_dir", json!({"path": "many"})).await;
    let found = response(&scratch, "file_search", json!({"pattern": "many/*"})).await;

    assert_eq!(listed.metadata.extra["total_entries"], 1003);
    assert!(
        listed
            .text()
            .ends_with("  0999\n  [… 3 more entries; continue with offset 1000]\n"),
        "{listed}"
    );
    let rest = call(
        &scratch,
        "list_dir",
        json!({"path": "many", "offset": 1000}),
    )
    .await;
    assert_eq!(rest.text(), "Contents of many:\n  1000\n  1001\n  1002\n");
    assert_eq!(rest.warnings, [""; 0]);
    let past = call(
        &scratch,
        "list_dir",
        json!({"path": "many", "offset": 9999}),
    )
    .await;
    assert_eq!(past.error.unwrap().parameter.as_deref(), Some("offset"));
    let output = found["output"].as_str().unwrap();
    assert!(
        output.starts_with("Found 1003 files matching 'many/*':\n  many/0000\n"),
        "{output}"
    );
    assert!(
        output.ends_with("  many/0999\nWarning: Found 1003 matches, showing first 1000"),
        "{output}"
    );
}

#[tokio::test]
async fn file_search_matches_glob() {
    let scratch = Scratch::new()
        .file("cmd/main.go", "")
        .file("internal/agent.go", "")
        .file("internal/tools/a.go", "")
        .file("internal/tools/b.go", "")
        .file("main.go", "")
        .file("main.py", "");

    let form = response(&scratch, "file_search", json!({"pattern": "**/*.go"})).await;

    assert_eq!(
        form,
        json!({
            "success": true,
            "output": "Found 5 files matching '**/*.go':\n  cmd/main.go\n  internal/agent.go\n  \
                       internal/tools/a.go\n  internal/tools/b.go\n  main.go",
            "files_affected": [],
            "metadata": {"matches": 5, "pattern": "**/*.go"},
        })
    );
    for (arguments, output) in [
        (
            json!({"pattern": "*.go", "base_path": "internal/tools"}),
            "Found 2 files matching '*.go':\n  internal/tools/a.go\n  internal/tools/b.go",
        ),
        (json!({"pattern": "*.rs"}), "Found 0 files matching '*.rs':"),
    ] {
        assert_eq!(
            call(&scratch, "file_search", arguments).await.text(),
            output
        );
    }
}

#[tokio::test]
async fn create_directory_returns_parents() {
    let scratch = Scratch::new();

    let form = response(&scratch, "create_directory", json!({"path": "src/models"})).await;

    assert_eq!(
        form,
        json!({
            "success": true,
            "output": "Created directory: src/models",
            "files_affected": ["src/models"],
            "metadata": {"created_parents": ["src"]},
        })
    );
    assert_eq!(
        response(&scratch, "create_directory", json!({"path": "src/models"})).await,
        json!({
            "success": true,
            "output": "Directory already exists: src/models",
            "files_affected": [],
            "metadata": {"created_parents": []},
        })
    );
}

#[tokio::test]
async fn file_errors_match_document() {
    let scratch = Scratch::new()
        .file("test.txt", "one\ntwo\n")
        .file("file.txt", numbered(20));
    assert_errors(
        &scratch,
        &[
            (
                "create_file",
                json!({"path": "../etc/passwd", "content": ""}),
                "Error: Path '../etc/passwd' is outside working directory",
                "path_outside_working_dir",
            ),
            (
                "create_file",
                json!({"path": "test.txt", "content": ""}),
                "Error: File 'test.txt' already exists. Use replace_string_in_file to modify",
                "already_exists",
            ),
            (
                "read_file",
                json!({"path": "missing.md"}),
                "Error: File 'missing.md' not found",
                "file_not_found",
            ),
            (
                "read_file",
                json!({"path": "/etc/passwd"}),
                "Error: Path '/etc/passwd' is outside working directory",
                "path_outside_working_dir",
            ),
            (
                "read_file",
                json!({"path": "file.txt", "start_line": 30, "end_line": 40}),
                "Error: Line range invalid - file has 20 lines, requested 30-40",
                "invalid_arguments",
            ),
            (
                "read_file",
                json!({"path": "file.txt", "start_line": 30}),
                "Error: Line range invalid - file has 20 lines, requested 30-end",
                "invalid_arguments",
            ),
            (
                "read_file",
                json!({"path": "file.txt", "start_line": 9, "end_line": 3}),
                "Error: Line range invalid - end_line 3 is before start_line 9",
                "invalid_arguments",
            ),
            (
                "read_file",
                json!({"path": "file.txt", "end_line": 0}),
                "Error: Line range invalid - end_line 0 is before start_line 1",
                "invalid_arguments",
            ),
            (
                "replace_string_in_file",
                json!({"path": "test.txt", "old_string": "old_text", "new_string": ""}),
                "Error: String 'old_text' not found in file",
                "text_not_found",
            ),
            (
                "replace_string_in_file",
                json!({"path": "nowhere", "old_string": "a", "new_string": ""}),
                "Error: File 'nowhere' not found",
                "file_not_found",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn directory_errors_match_document() {
    let scratch = Scratch::new().file("test.txt", "").file("file.txt", "");
    assert_errors(
        &scratch,
        &[
            (
                "list_dir",
                json!({"path": "file.txt"}),
                "Error: Path 'file.txt' is not a directory",
                "not_a_directory",
            ),
            (
                "list_dir",
                json!({"path": "nowhere"}),
                "Error: Directory 'nowhere' not found",
                "file_not_found",
            ),
            (
                "list_dir",
                json!({"path": ".."}),
                "Error: Path '..' is outside working directory",
                "path_outside_working_dir",
            ),
            (
                "file_search",
                json!({"pattern": "**/*[.go"}),
                "Error: Invalid glob pattern '**/*[.go'",
                "invalid_pattern",
            ),
            (
                "file_search",
                json!({"pattern": "*", "base_path": "../x"}),
                "Error: Path '../x' is outside working directory",
                "path_outside_working_dir",
            ),
            (
                "create_directory",
                json!({"path": "test.txt"}),
                "Error: Path 'test.txt' exists as a file, cannot create directory",
                "already_exists",
            ),
            (
                "create_directory",
                json!({"path": "../out"}),
                "Error: Path '../out' is outside working directory",
                "path_outside_working_dir",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn missing_file_error_matches_documented_report() {
    let result = call(&Scratch::new(), "read_file", json!({"path": "missing.txt"})).await;

    let error = json!(CliAgentResult::of(&result))["error"].take();
    assert_eq!(
        error,
        json!({
            "code": "file_not_found",
            "message": "File 'missing.txt' not found in working directory",
            "suggestion": "Check the file name and try again, or use file_search to find it",
        })
    );
    assert_eq!(result.text(), "Error: File 'missing.txt' not found");
}

#[tokio::test]
async fn rejects_invalid_line_numbers() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    for arguments in [
        json!({"path": "a.txt", "start_line": 0}),
        json!({"path": "a.txt", "start_line": -1}),
        json!({"path": "a.txt", "end_line": 0}),
    ] {
        let result = call(&scratch, "read_file", arguments.clone()).await;

        let error = result.error.as_ref().unwrap();
        assert_eq!(error.code.as_str(), "invalid_arguments", "{arguments}");
        assert!(result.text().contains("_line"), "{arguments}: {result}");
    }
}

#[tokio::test]
async fn file_over_10_mb_is_truncated_and_lines_are_counted() {
    let line = format!("{}\n", "x".repeat(99));
    let scratch = Scratch::new().file("long.txt", line.repeat(110_000));

    let result = call(&scratch, "read_file", json!({"path": "long.txt"})).await;

    assert_eq!(result.metadata.extra["total_lines"], 110_000);
    assert_eq!(result.data.as_ref().unwrap()["truncated"], true);
    assert_eq!(result.warnings.len(), 1);
    assert!(result.text().len() <= 10 * 1024 * 1024 + 100);
}
