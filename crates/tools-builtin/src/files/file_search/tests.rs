use serde_json::json;
use tool_core::ErrorCode;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{call, open};

fn project() -> Scratch {
    Scratch::new()
        .file("main.go", "")
        .file("cmd/main.go", "")
        .file("internal/agent.go", "")
        .file("internal/web/app.ts", "")
        .file("internal/web/app.js", "")
        .file(".env.go", "")
        .file("vendor/lib.go", "")
        .file(".gitignore", "vendor/\n")
}

async fn files(scratch: &Scratch, input: serde_json::Value) -> Vec<String> {
    call(FileSearch::new(open(scratch)), input)
        .await
        .output()
        .files
}

#[tokio::test]
async fn finds_and_counts_matching_files() {
    let input = json!({"pattern": "**/*.go"});

    let output = call(FileSearch::new(open(&project())), input)
        .await
        .output();

    let expected = ["cmd/main.go", "internal/agent.go", "main.go"].map(str::to_owned);
    assert_eq!(
        output,
        FileSearchOutput {
            files: expected.to_vec(),
            matches: 3,
            truncated: false,
            pattern: "**/*.go".to_owned(),
        }
    );
    assert_eq!(
        FileSearch::render(&output),
        "cmd/main.go\ninternal/agent.go\nmain.go"
    );
}

#[tokio::test]
async fn applies_glob_and_options() {
    let scratch = project();
    for (input, expected) in [
        (json!({"pattern": "*.ts"}), vec!["internal/web/app.ts"]),
        (
            json!({"pattern": "*.{ts,js}"}),
            vec!["internal/web/app.js", "internal/web/app.ts"],
        ),
        (json!({"pattern": "cmd/*"}), vec!["cmd/main.go"]),
        (json!({"pattern": "/*.go"}), vec!["main.go"]),
        (
            json!({"pattern": "main.g?"}),
            vec!["cmd/main.go", "main.go"],
        ),
        (json!({"pattern": "[a-c]*/**"}), vec!["cmd/main.go"]),
        (
            json!({"pattern": "web/*.js", "base_path": "internal"}),
            vec!["internal/web/app.js"],
        ),
        (
            json!({"pattern": "internal/*", "base_path": "internal"}),
            vec![],
        ),
        (json!({"pattern": "*env*"}), vec![]),
        (
            json!({"pattern": "lib.go", "base_path": "vendor"}),
            vec!["vendor/lib.go"],
        ),
    ] {
        assert_eq!(files(&scratch, input.clone()).await, expected, "{input}");
    }
}

#[tokio::test]
async fn glob_finds_hidden_and_ignored_files_it_names() {
    let scratch = Scratch::new()
        .file(".github/workflows/ci.yml", "")
        .file(".github/.cache/ci.yml", "")
        .file("app/.env", "")
        .file("target/debug/a.d", "")
        .file("a.log", "")
        .file(".gitignore", "target/\n*.log\n");
    for (pattern, expected) in [
        (".github/workflows/ci.yml", vec![".github/workflows/ci.yml"]),
        (".github/**", vec![".github/workflows/ci.yml"]),
        ("{src,.github}/*/*.yml", vec![".github/workflows/ci.yml"]),
        (".env", vec!["app/.env"]),
        ("target/debug/*.d", vec!["target/debug/a.d"]),
        ("a.log", vec!["a.log"]),
        ("**/*.yml", vec![]),
        ("*.log", vec![]),
        ("*/debug/a.d", vec![]),
    ] {
        let found = files(&scratch, json!({"pattern": pattern})).await;

        assert_eq!(found, expected, "{pattern}");
    }
    let below = json!({"pattern": ".env", "base_path": "app"});
    assert_eq!(files(&scratch, below).await, ["app/.env"]);
}

#[tokio::test]
async fn few_hits_state_number_of_skipped_files() {
    let scratch = project()
        .file(".git/config.go", "")
        .file("vendor/sub/.deep.go", "")
        .file("internal/.hidden/b.go", "");
    for (input, warning) in [
        (
            json!({"pattern": "*.go"}),
            Some(
                "Skipped 4 hidden or ignored files, such as `.env.go`. Name a directory or file in `pattern` to include only that one.",
            ),
        ),
        (
            json!({"pattern": "lib.go"}),
            Some(
                "Skipped 1 ignored file, such as `vendor/lib.go`. Name a directory or file in `pattern` to include only that one.",
            ),
        ),
        (json!({"pattern": "*.ts"}), None),
        (
            json!({"pattern": "internal/**/*"}),
            Some(
                "Skipped 1 hidden file, such as `internal/.hidden/b.go`. Name a directory or file in `pattern` to include only that one.",
            ),
        ),
    ] {
        let outcome = call(FileSearch::new(open(&scratch)), input.clone()).await;

        assert_eq!(outcome.warnings, Vec::from_iter(warning), "{input}");
    }
    let scratch = scratch.file("cmd/a.go", "").file("cmd/b.go", "");
    let outcome = call(FileSearch::new(open(&scratch)), json!({"pattern": "*.go"})).await;
    assert_eq!(outcome.warnings, [""; 0]);
}

#[tokio::test]
async fn count_of_skipped_files_is_bounded() {
    let mut scratch = Scratch::new().file(".gitignore", "built/");
    for directory in 0..150 {
        scratch = scratch.file(&format!("{directory}/built/a.txt"), "");
    }

    let outcome = call(FileSearch::new(open(&scratch)), json!({"pattern": "*.txt"})).await;

    let [warning] = outcome.warnings.as_slice() else {
        panic!("{:?}", outcome.warnings);
    };
    assert!(
        warning.starts_with("Skipped at least 100 ignored files"),
        "{warning}"
    );
}

#[tokio::test]
async fn truncated_output_states_remaining_count() {
    for (limit, text) in [
        (
            1,
            "cmd/main.go\n[… 2 more files; narrow pattern or base_path, or raise limit]",
        ),
        (
            2,
            "cmd/main.go\ninternal/agent.go\n[… 1 more file; narrow pattern or base_path, or raise limit]",
        ),
        (3, "cmd/main.go\ninternal/agent.go\nmain.go"),
    ] {
        let input = json!({"pattern": "*.go", "limit": limit});
        let output = call(FileSearch::new(open(&project())), input)
            .await
            .output();

        assert_eq!(
            (FileSearch::render(&output).as_str(), output.matches),
            (text, 3)
        );
        assert_eq!(output.truncated, limit < 3);
    }
}

#[tokio::test]
async fn empty_result_names_glob() {
    let output = call(
        FileSearch::new(open(&project())),
        json!({"pattern": "*.rs"}),
    )
    .await
    .output();

    assert_eq!(FileSearch::render(&output), "No files match `*.rs`.");
}

#[tokio::test]
async fn plan_locates_error_in_glob() {
    let scratch = project();
    let tool = FileSearch::new(open(&scratch));
    for (pattern, message) in [
        ("**/*[.go", "`[` without `]` at character 5"),
        ("a{b", "`{` without `}` at character 2"),
        ("", "it is empty at character 1"),
    ] {
        let input = json!({"pattern": pattern});
        let planned = tool.plan(
            &ToolContext::test(),
            &serde_json::from_value(input.clone()).unwrap(),
        );
        let error = call(tool.clone(), input).await.error();

        assert!(planned.is_err());
        assert_eq!(
            (error.code(), error.parameter()),
            (&ErrorCode::InvalidPattern, Some("pattern"))
        );
        assert!(error.message().contains(message), "{error}");
    }
}

#[tokio::test]
async fn stops_after_twenty_levels() {
    let scratch = Scratch::new()
        .file(&format!("{}in.txt", "d/".repeat(19)), "")
        .file(&format!("{}out.txt", "d/".repeat(20)), "");

    let outcome = call(FileSearch::new(open(&scratch)), json!({"pattern": "*.txt"})).await;

    let warnings = outcome.warnings.clone();
    let found = outcome.output();
    assert!(found.truncated);
    assert!(
        warnings[0].contains("too many entries or levels"),
        "{warnings:?}"
    );
    assert_eq!(found.files.len(), 1);
    assert!(found.files[0].ends_with("/in.txt"), "{found:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn finds_file_symlinks_but_enters_no_directory_symlinks() {
    let scratch = Scratch::new()
        .file("sub/a.txt", "")
        .link("b.txt", "sub/a.txt")
        .link("again", "sub")
        .link("sub/up", "..")
        .link("out.txt", "/etc/passwd")
        .link("nowhere.txt", "missing");

    assert_eq!(
        files(&scratch, json!({"pattern": "*.txt"})).await,
        ["b.txt", "sub/a.txt"]
    );
}

#[tokio::test]
async fn invalid_path_names_parameter() {
    let scratch = project();
    for (path, code) in [
        ("main.go", "not_a_directory"),
        ("missing", "file_not_found"),
        ("", "invalid_arguments"),
        ("..", "path_outside_workspace"),
        ("/etc", "path_outside_workspace"),
        (r"\\host\share", "path_outside_workspace"),
    ] {
        let input = json!({"pattern": "*", "base_path": path});
        let refusal = call(FileSearch::new(open(&scratch)), input).await.refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some("base_path".to_owned())),
            "{path}"
        );
    }
}

#[tokio::test]
async fn omits_directories() {
    assert_eq!(
        files(&project(), json!({"pattern": "internal"})).await,
        [""; 0]
    );
    assert_eq!(
        files(&project(), json!({"pattern": "internal/**"}))
            .await
            .len(),
        3
    );
}

#[tokio::test]
async fn finds_names_with_any_characters() {
    let scratch = Scratch::new()
        .file("größe/日本 1.txt", "")
        .file("a[1].txt", "");

    assert_eq!(
        files(&scratch, json!({"pattern": "*日本*"})).await,
        ["größe/日本 1.txt"]
    );
    assert_eq!(
        files(&scratch, json!({"pattern": "a[[]1].txt"})).await,
        ["a[1].txt"]
    );
}

#[cfg(unix)]
#[tokio::test]
async fn counts_unreadable_directories() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().folder("closed").file("a.txt", "");
    let closed = scratch.path().join("closed");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable = std::fs::read_dir(&closed).is_ok();

    let outcome = call(FileSearch::new(open(&scratch)), json!({"pattern": "*"})).await;

    // A privileged user can read every directory.
    if !readable {
        assert_eq!(outcome.warnings, ["Directories that could not be read: 1."]);
    }
    assert_eq!(outcome.output().files, ["a.txt"]);
}

#[tokio::test]
async fn cancelled_call_returns_early() {
    let (cx, scratch) = (ToolContext::test(), project());
    cx.cancellation().cancel();
    let input = serde_json::from_value(json!({"pattern": "*"})).unwrap();

    let output = FileSearch::new(open(&scratch))
        .run(&cx, input)
        .await
        .unwrap();

    assert_eq!((output.files.len(), output.truncated), (0, true));
}
