use serde_json::json;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{call, open};

fn project() -> Scratch {
    Scratch::new()
        .file("README.md", "12345")
        .file("src/main.rs", "")
        .file("src/lib.rs", "")
        .file("src/web/app.ts", "")
        .file(".env", "")
        .file("target/out.rs", "")
        .file(".gitignore", "target/\n*.log\n")
        .file("a.log", "")
}

async fn paths(scratch: &Scratch, input: serde_json::Value) -> Vec<String> {
    let output = call(ListFiles::new(open(scratch)), input).await.output();
    output.files.into_iter().map(|file| file.path).collect()
}

#[tokio::test]
async fn lists_one_directory_with_sizes() {
    let outcome = call(ListFiles::new(open(&project())), json!({})).await;

    let expected = FileEntry {
        path: "README.md".to_owned(),
        name: "README.md".to_owned(),
        size: 5,
    };
    assert_eq!(outcome.warnings, [""; 0]);
    assert_eq!(
        outcome.output(),
        ListFilesOutput {
            files: vec![expected],
            truncated: false
        }
    );
}

#[tokio::test]
async fn applies_pattern_and_options() {
    let scratch = project();
    for (input, expected) in [
        (
            json!({"recursive": true}),
            vec!["README.md", "src/lib.rs", "src/main.rs", "src/web/app.ts"],
        ),
        (
            json!({"recursive": true, "pattern": "*.rs"}),
            vec!["src/lib.rs", "src/main.rs"],
        ),
        (
            json!({"recursive": true, "pattern": "src/*"}),
            vec!["src/lib.rs", "src/main.rs"],
        ),
        (
            json!({"recursive": true, "pattern": "**/*.{ts,md}"}),
            vec!["README.md", "src/web/app.ts"],
        ),
        (json!({"pattern": "*.rs"}), vec![]),
        (json!({"path": "src"}), vec!["src/lib.rs", "src/main.rs"]),
        (
            json!({"path": "src", "recursive": true, "pattern": "web/*"}),
            vec!["src/web/app.ts"],
        ),
        (
            json!({"path": "./src/", "pattern": "m*"}),
            vec!["src/main.rs"],
        ),
        (
            json!({"hidden": true}),
            vec![".env", ".gitignore", "README.md"],
        ),
        (json!({"ignored": true}), vec!["README.md", "a.log"]),
        (json!({"path": "target"}), vec!["target/out.rs"]),
        (json!({"path": "target", "pattern": "*.log"}), vec![]),
    ] {
        assert_eq!(paths(&scratch, input.clone()).await, expected, "{input}");
    }
}

#[tokio::test]
async fn few_files_of_pattern_state_number_of_skipped_files() {
    let scratch = project();
    let reported = "Skipped 1 ignored file, such as `target/out.rs`. Name a directory or file in `pattern` to include only that one.";
    for (input, warning) in [
        (
            json!({"pattern": "*.rs", "recursive": true}),
            Some(reported),
        ),
        (json!({"pattern": "*.rs"}), None),
        (json!({"recursive": true}), None),
    ] {
        let outcome = call(ListFiles::new(open(&scratch)), input.clone()).await;

        assert_eq!(outcome.warnings, Vec::from_iter(warning), "{input}");
    }
    let named = json!({"pattern": "target/*.rs", "recursive": true});
    assert_eq!(paths(&scratch, named).await, ["target/out.rs"]);
}

#[tokio::test]
async fn accepts_absolute_path_of_workspace() {
    let scratch = project();
    let path = scratch.path().join("src").to_string_lossy().into_owned();

    assert_eq!(
        paths(&scratch, json!({"path": path})).await,
        ["src/lib.rs", "src/main.rs"]
    );
}

#[tokio::test]
async fn marks_truncated_listing() {
    let outcome = call(
        ListFiles::new(open(&project())),
        json!({"recursive": true, "limit": 3}),
    )
    .await;

    let output = outcome.output();
    assert_eq!((output.files.len(), output.truncated), (3, true));
}

#[tokio::test]
async fn exact_limit_truncates_nothing() {
    let outcome = call(
        ListFiles::new(open(&project())),
        json!({"recursive": true, "limit": 4}),
    )
    .await;

    assert_eq!(outcome.warnings, [""; 0]);
    assert!(!outcome.output().truncated);
}

#[cfg(unix)]
#[tokio::test]
async fn lists_only_symlinks_to_files_inside() {
    let scratch = Scratch::new()
        .file("a.txt", "123")
        .folder("sub")
        .link("b.txt", "a.txt")
        .link("dir", "sub")
        .link("out", "/etc/passwd")
        .link("nowhere", "missing");

    let output = call(ListFiles::new(open(&scratch)), json!({}))
        .await
        .output();

    let found: Vec<_> = output
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.size))
        .collect();
    assert_eq!(found, [("a.txt", 3), ("b.txt", 3)]);
}

#[cfg(unix)]
#[tokio::test]
async fn does_not_enter_directory_symlinks() {
    let scratch = Scratch::new()
        .file("sub/a.txt", "")
        .link("sub/up", "..")
        .link("again", "sub");

    assert_eq!(
        paths(&scratch, json!({"recursive": true})).await,
        ["sub/a.txt"]
    );
}

#[tokio::test]
async fn invalid_path_names_parameter() {
    let scratch = project();
    for (input, code, parameter) in [
        (json!({"path": "missing"}), "file_not_found", "path"),
        (json!({"path": "README.md"}), "not_a_directory", "path"),
        (json!({"path": "../"}), "path_outside_workspace", "path"),
        (json!({"path": ""}), "invalid_arguments", "path"),
        (json!({"pattern": "src/[a"}), "invalid_pattern", "pattern"),
        (json!({"pattern": ""}), "invalid_pattern", "pattern"),
    ] {
        let refusal = call(ListFiles::new(open(&scratch)), input.clone())
            .await
            .refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some(parameter.to_owned())),
            "{input}"
        );
    }
}

#[tokio::test]
async fn plan_rejects_invalid_pattern() {
    let tool = ListFiles::new(open(&project()));
    let input = serde_json::from_value(json!({"pattern": "a{"})).unwrap();

    assert!(tool.plan(&ToolContext::test(), &input).is_err());
}

#[tokio::test]
async fn warns_about_omitted_files() {
    let deep = Scratch::new().file(&format!("{}a.txt", "d/".repeat(101)), "");
    let many = Scratch::new().file("a", "").file("b", "");
    let source = Scratch::new().file("src/main.rs", "");
    for (scratch, input, warning) in [
        (
            &source,
            json!({"path": "src", "pattern": "src/*.rs", "recursive": true}),
            "Nothing was searched: `pattern` applies to paths below `path`. Remove `src/` from `pattern`.",
        ),
        (
            &deep,
            json!({"recursive": true}),
            "Not every directory was read, because there are too many entries or levels. Choose a subdirectory.",
        ),
        (
            &many,
            json!({"pattern": "src/**/*.rs"}),
            "The pattern contains a directory, but only one directory was listed. Pass that directory as `path`. Set `recursive` to list all subdirectories.",
        ),
    ] {
        let outcome = call(ListFiles::new(open(scratch)), input).await;

        assert_eq!(outcome.warnings, [warning]);
    }
}
