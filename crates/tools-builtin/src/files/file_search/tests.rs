use serde_json::json;
use tool_core::ErrorCode;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{call, call_within, open};

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
async fn files_that_match_are_found_and_counted() {
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
async fn globs_and_switches_choose_the_files() {
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
        (json!({"pattern": ".env*"}), vec![]),
        (json!({"pattern": ".env*", "hidden": true}), vec![".env.go"]),
        (
            json!({"pattern": "lib.go", "ignored": true}),
            vec!["vendor/lib.go"],
        ),
        (
            json!({"pattern": "lib.go", "base_path": "vendor"}),
            vec!["vendor/lib.go"],
        ),
    ] {
        assert_eq!(files(&scratch, input.clone()).await, expected, "{input}");
    }
}

#[tokio::test]
async fn a_cut_answer_tells_how_many_more_there_are() {
    for (limit, text) in [
        (
            1,
            "cmd/main.go\n[… 2 files more; narrow pattern or base_path, or raise limit]",
        ),
        (
            2,
            "cmd/main.go\ninternal/agent.go\n[… 1 file more; narrow pattern or base_path, or raise limit]",
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
async fn the_limits_of_a_presentation_hold() {
    let scratch = project();
    let engine = FileSearch::new(open(&scratch));

    let output = call_within(engine, json!({"pattern": "*.go"}), Limits::lines(2))
        .await
        .output();

    assert_eq!(
        (output.files.len(), output.matches, output.truncated),
        (2, 3, true)
    );
}

#[tokio::test]
async fn nothing_found_names_the_glob() {
    let output = call(
        FileSearch::new(open(&project())),
        json!({"pattern": "*.rs"}),
    )
    .await
    .output();

    assert_eq!(FileSearch::render(&output), "No files match `*.rs`.");
}

#[tokio::test]
async fn an_invalid_glob_says_where_before_anybody_is_asked() {
    let scratch = project();
    let engine = FileSearch::new(open(&scratch));
    for (pattern, told) in [
        ("**/*[.go", "`[` without `]` at character 5"),
        ("a{b", "`{` without `}` at character 2"),
        ("", "it is empty at character 1"),
    ] {
        let input = json!({"pattern": pattern});
        let checked = engine.check(&serde_json::from_value(input.clone()).unwrap());
        let error = call(engine.clone(), input).await.error();

        assert!(checked.is_err());
        assert_eq!(
            (error.code(), error.parameter()),
            (&ErrorCode::InvalidPattern, Some("pattern"))
        );
        assert!(error.message().contains(told), "{error}");
    }
}

#[tokio::test]
async fn files_deeper_than_twenty_levels_are_not_looked_for() {
    let scratch = Scratch::new()
        .file(&format!("{}in.txt", "d/".repeat(19)), "")
        .file(&format!("{}out.txt", "d/".repeat(20)), "");

    let found = files(&scratch, json!({"pattern": "*.txt"})).await;

    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("/in.txt"), "{found:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn links_to_files_inside_are_found_and_folders_are_not_entered() {
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
async fn what_cannot_be_searched_is_refused_with_the_parameter() {
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
async fn folders_are_never_found() {
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
async fn names_of_any_letters_are_found() {
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
async fn a_folder_that_cannot_be_read_is_counted() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().folder("closed").file("a.txt", "");
    let closed = scratch.path().join("closed");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable = std::fs::read_dir(&closed).is_ok();

    let outcome = call(FileSearch::new(open(&scratch)), json!({"pattern": "*"})).await;

    // Whoever may read everything sees no such folder.
    if !readable {
        assert_eq!(outcome.warnings, ["Folders that could not be read: 1."]);
    }
    assert_eq!(outcome.output().files, ["a.txt"]);
}

#[tokio::test]
async fn a_cancelled_call_ends_early() {
    let (cx, scratch) = (ToolContext::test(), project());
    cx.cancellation().cancel();
    let input = serde_json::from_value(json!({"pattern": "*"})).unwrap();

    let output = FileSearch::new(open(&scratch))
        .run(&cx, input, &Limits::default())
        .await
        .unwrap();

    assert_eq!((output.files.len(), output.truncated), (0, true));
}
