use serde_json::{Value, json};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

async fn list(scratch: &Scratch, input: Value) -> Outcome<ListTreeOutput> {
    call(ListTree(open(scratch)), input).await
}

async fn shown(scratch: &Scratch, input: Value) -> String {
    ListTree::render(&list(scratch, input).await.output())
}

fn project() -> Scratch {
    Scratch::new()
        .file("README.md", "")
        .file("src/main.rs", "")
        .file("src/web/page.rs", "")
        .file("target/debug/a.d", "")
        .file(".github/ci.yml", "")
        .file(".gitignore", "target/\n")
}

#[tokio::test]
async fn lists_one_level_or_more() {
    let scratch = project();
    for (input, expected) in [
        (json!({}), "README.md\nsrc/\ntarget/"),
        (json!({"path": "src"}), "src/main.rs\nsrc/web/"),
        (
            json!({"depth": 2}),
            "README.md\nsrc/\nsrc/main.rs\nsrc/web/\ntarget/",
        ),
        (
            json!({"path": "src", "depth": 9}),
            "src/main.rs\nsrc/web/\nsrc/web/page.rs",
        ),
    ] {
        assert_eq!(shown(&scratch, input.clone()).await, expected, "{input}");
    }
}

#[tokio::test]
async fn all_includes_hidden_and_ignored_entries() {
    let text = shown(&project(), json!({"all": true, "depth": 3})).await;

    assert_eq!(
        text,
        ".github/\n.github/ci.yml\n.gitignore\nREADME.md\nsrc/\nsrc/main.rs\nsrc/web/\nsrc/web/page.rs\ntarget/\ntarget/debug/\ntarget/debug/a.d"
    );
}

#[tokio::test]
async fn few_entries_state_what_was_skipped() {
    let outcome = list(&project(), json!({})).await;

    assert_eq!(outcome.warnings.len(), 1);
    let warning = &outcome.warnings[0];
    assert!(
        warning.starts_with("Skipped ") && warning.ends_with("Set `all` to list them."),
        "{warning}"
    );
}

#[tokio::test]
async fn empty_directory_is_named() {
    assert_eq!(
        shown(&Scratch::new(), json!({})).await,
        "The directory is empty."
    );
}

#[tokio::test]
async fn long_listing_is_truncated() {
    let mut scratch = Scratch::new();
    for file in 0..=MAX_ENTRIES {
        scratch = scratch.file(&format!("{file:04}"), "");
    }

    let output = list(&scratch, json!({})).await.output();

    assert!(output.truncated);
    assert_eq!(output.entries.len(), MAX_ENTRIES);
    assert!(
        ListTree::render(&output)
            .ends_with("[… more entries; list one of these directories, or search with a glob]")
    );
}

#[tokio::test]
async fn exactly_full_listing_is_complete() {
    let mut scratch = Scratch::new();
    for file in 0..MAX_ENTRIES {
        scratch = scratch.file(&format!("{file:04}"), "");
    }

    assert!(!list(&scratch, json!({})).await.output().truncated);
}

#[cfg(unix)]
#[tokio::test]
async fn symlink_has_the_kind_of_its_target_and_is_not_entered() {
    let scratch = Scratch::new()
        .file("real/a", "")
        .link("inside", "real")
        .link("outside", "/etc");

    let output = list(&scratch, json!({"depth": 2})).await.output();

    let kinds: Vec<(&str, EntryKind)> = output
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("inside", EntryKind::Directory),
            ("outside", EntryKind::Link),
            ("real", EntryKind::Directory),
            ("real/a", EntryKind::File)
        ]
    );
}

#[tokio::test]
async fn names_with_newlines_stay_on_one_line() {
    let scratch = Scratch::new().file("a\nb", "");

    assert_eq!(shown(&scratch, json!({})).await, "a\\nb");
}

#[tokio::test]
async fn paths_that_are_no_directories_are_errors() {
    let scratch = Scratch::new().file("a.txt", "");
    for (path, expected) in [
        ("missing", "file_not_found"),
        ("a.txt", "not_a_directory"),
        ("..", "path_outside_workspace"),
    ] {
        let (code, parameter) = list(&scratch, json!({"path": path})).await.refusal();

        assert_eq!(
            (code.as_str(), parameter.as_deref()),
            (expected, Some("path")),
            "{path}"
        );
    }
}
