use serde_json::{Value, json};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

fn entry(name: &str, kind: EntryKind) -> DirEntry {
    DirEntry {
        name: name.to_owned(),
        kind,
    }
}

async fn list(scratch: &Scratch, limit: usize, input: Value) -> Outcome<ListDirOutput> {
    let workspace = open(scratch);
    call(ListDir { workspace, limit }, input).await
}

fn names(output: &ListDirOutput) -> Vec<&str> {
    output
        .entries
        .iter()
        .map(|entry| entry.name.as_str())
        .collect()
}

fn many() -> Scratch {
    (0..5).fold(Scratch::new().folder("z"), |scratch, number| {
        scratch.file(&format!("{number}.txt"), "")
    })
}

#[tokio::test]
async fn lists_files_before_directories() {
    let scratch = Scratch::new()
        .file("app.py", "1234")
        .file("utils.py", "")
        .file("models/a.py", "");

    let output = list(&scratch, 1000, json!({})).await.output();

    assert_eq!(
        output,
        ListDirOutput {
            entries: vec![
                entry("app.py", EntryKind::File),
                entry("utils.py", EntryKind::File),
                entry("models", EntryKind::Directory),
            ],
            total_entries: 3,
            files: 2,
            directories: 1,
            truncated: false,
            text: "Contents of .:\n  app.py\n  utils.py\n  models/\n".to_owned(),
        }
    );
}

#[tokio::test]
async fn lists_hidden_and_ignored_entries() {
    let scratch = Scratch::new()
        .file(".gitignore", "b.log")
        .file("b.log", "")
        .folder(".git");

    let output = list(&scratch, 1000, json!({})).await.output();

    assert_eq!(names(&output), [".gitignore", "b.log", ".git"]);
}

#[tokio::test]
async fn truncated_listing_states_next_offset() {
    let output = list(&many(), 2, json!({})).await.output();

    assert_eq!(names(&output), ["0.txt", "1.txt"]);
    assert_eq!((output.total_entries, output.truncated), (6, true));
    assert!(
        output
            .text
            .ends_with("  [… 4 more entries; continue with offset 2]\n"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn continuation_lists_each_entry_once() {
    let scratch = many();
    let mut names = Vec::new();
    for offset in [0, 2, 4] {
        let input = json!({"offset": offset});
        let output = list(&scratch, 2, input).await.output();
        assert_eq!(output.truncated, offset < 4);
        names.extend(output.entries.into_iter().map(|entry| entry.name));
    }

    assert_eq!(names, ["0.txt", "1.txt", "2.txt", "3.txt", "4.txt", "z"]);
}

#[tokio::test]
async fn rejects_offset_past_end() {
    let error = list(&many(), 1000, json!({"offset": 6})).await.error();

    assert_eq!(
        error.to_string(),
        "`offset` is past the end: the directory has 6 entries. Use a smaller `offset`."
    );
}

#[tokio::test]
async fn empty_directory_has_no_entries() {
    let scratch = Scratch::new().folder("empty");

    let output = list(&scratch, 1000, json!({"path": "empty"}))
        .await
        .output();

    assert_eq!((names(&output), output.total_entries), (vec![], 0));
}

#[cfg(unix)]
#[tokio::test]
async fn symlink_has_kind_of_target_inside_workspace() {
    let scratch = Scratch::new()
        .file("sub/a.txt", "123")
        .link("dir", "sub")
        .link("file", "sub/a.txt")
        .link("gone", "missing")
        .link("out", "/etc");

    let output = list(&scratch, 1000, json!({})).await.output();

    assert_eq!(
        output.entries,
        [
            entry("file", EntryKind::File),
            entry("gone", EntryKind::Link),
            entry("out", EntryKind::Link),
            entry("dir", EntryKind::Directory),
            entry("sub", EntryKind::Directory),
        ]
    );
}

#[tokio::test]
async fn accepts_parent_components_inside_workspace() {
    let scratch = Scratch::new().file("other/a.txt", "").folder("sub");

    let output = list(&scratch, 1000, json!({"path": "sub/../other"}))
        .await
        .output();

    assert_eq!(names(&output), ["a.txt"]);
}

#[tokio::test]
async fn invalid_path_names_parameter() {
    let scratch = Scratch::new().file("a.txt", "");
    for (path, code) in [
        ("a.txt", "not_a_directory"),
        ("missing", "file_not_found"),
        ("..", "path_outside_working_dir"),
        ("/", "path_outside_working_dir"),
    ] {
        let refusal = list(&scratch, 1000, json!({"path": path})).await.refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some("path".to_owned())),
            "{path}"
        );
    }
}

#[tokio::test]
async fn missing_path_suggests_similar_name() {
    let scratch = Scratch::new().folder("models");

    let error = list(&scratch, 1000, json!({"path": "model"})).await.error();

    assert_eq!(
        error.to_string(),
        "Directory 'model' not found Did you mean `models`?"
    );
}
