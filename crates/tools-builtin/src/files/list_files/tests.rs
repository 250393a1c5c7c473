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
async fn one_folder_is_listed_with_names_and_sizes() {
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
async fn patterns_and_switches_choose_the_files() {
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
async fn an_absolute_path_of_the_workspace_is_understood() {
    let scratch = project();
    let path = scratch.path().join("src").to_string_lossy().into_owned();

    assert_eq!(
        paths(&scratch, json!({"path": path})).await,
        ["src/lib.rs", "src/main.rs"]
    );
}

#[tokio::test]
async fn a_listing_that_is_cut_says_so() {
    let outcome = call(
        ListFiles::new(open(&project())),
        json!({"recursive": true, "limit": 3}),
    )
    .await;

    let output = outcome.output();
    assert_eq!((output.files.len(), output.truncated), (3, true));
    assert_eq!(
        ListFiles::render(&output),
        "README.md\nsrc/lib.rs\nsrc/main.rs\n[… more files; narrow path or pattern, or raise limit]"
    );
}

#[tokio::test]
async fn a_limit_that_is_just_enough_cuts_nothing() {
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
async fn a_link_to_a_file_inside_is_listed_and_others_are_not() {
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
async fn links_to_folders_are_not_entered() {
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
async fn what_cannot_be_listed_is_refused_with_the_parameter() {
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
async fn a_broken_pattern_is_refused_before_anybody_is_asked() {
    let engine = ListFiles::new(open(&project()));
    let input = serde_json::from_value(json!({"pattern": "a{"})).unwrap();

    assert!(engine.check(&input).is_err());
}

#[tokio::test]
async fn the_text_has_one_path_on_a_line() {
    let scratch = project();
    let engine = ListFiles::new(open(&scratch));

    let some = call(engine.clone(), json!({"path": "src"})).await.output();
    let none = call(engine, json!({"pattern": "*.zip"})).await.output();

    assert_eq!(ListFiles::render(&some), "src/lib.rs\nsrc/main.rs");
    assert_eq!(ListFiles::render(&none), "No files found.");
}

#[tokio::test]
async fn what_a_listing_leaves_out_is_said_with_what_helps() {
    let deep = Scratch::new().file(&format!("{}a.txt", "d/".repeat(101)), "");
    let many = Scratch::new().file("a", "").file("b", "");
    let source = Scratch::new().file("src/main.rs", "");
    for (scratch, input, warning) in [
        (
            &source,
            json!({"path": "src", "pattern": "src/*.rs", "recursive": true}),
            "Nothing was looked at: `pattern` is about the paths below `path`. Leave `src/` out of `pattern`.",
        ),
        (
            &deep,
            json!({"recursive": true}),
            "Not every folder was looked into: there are too many entries, or they lie too deep. List a folder further down.",
        ),
        (
            &many,
            json!({"pattern": "src/**/*.rs"}),
            "The pattern goes into folders, and only one folder was listed. Give that folder as `path`. With `recursive` all folders below are listed.",
        ),
    ] {
        let outcome = call(ListFiles::new(open(scratch)), input).await;

        assert_eq!(outcome.warnings, [warning]);
    }
}
