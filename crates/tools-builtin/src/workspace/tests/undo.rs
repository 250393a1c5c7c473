use serde_json::{Value, json};
use tool_core::{CancellationToken, ErrorCode, ToolContext, ToolError, ToolOutput};
use tool_test::Scratch;

use crate::workspace::{ChangeKind, FileChange, Undone, Workspace, WriteMode, digest_of};

fn none() -> CancellationToken {
    CancellationToken::new()
}

fn overwrite(workspace: &Workspace, path: &str, content: &str) {
    let mode = WriteMode::Overwrite;
    let written = workspace.write("path", path, content.as_bytes(), mode, true, &none());
    written.unwrap();
}

fn edit(workspace: &Workspace, path: &str, content: &str) {
    let edit = workspace.edit("path", path, 1000, &none()).unwrap();
    edit.replace(content.as_bytes(), &none()).unwrap();
}

fn call(workspace: &Workspace, id: &str) -> Workspace {
    workspace.for_call(&ToolContext::new(id, "tool"))
}

fn undone(restored: &[&str], removed: &[&str]) -> Undone {
    let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    Undone {
        restored: owned(restored),
        removed: owned(removed),
        conflicts: Vec::new(),
    }
}

fn code(outcome: Result<Undone, ToolError>) -> String {
    outcome.unwrap_err().code().to_string()
}

/// Change made by a call.
type Change = fn(&Workspace);

#[test]
fn undoes_every_kind_of_change() {
    let scratch = Scratch::new().file("a.txt", "old");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let cases: [(&str, Change, Undone); 5] = [
        (
            "write",
            |call| overwrite(call, "a.txt", "new"),
            undone(&["a.txt"], &[]),
        ),
        (
            "edit",
            |call| edit(call, "a.txt", "new"),
            undone(&["a.txt"], &[]),
        ),
        (
            "create",
            |call| overwrite(call, "new.txt", "new"),
            undone(&[], &["new.txt"]),
        ),
        (
            "create with folders",
            |call| overwrite(call, "x/y/new.txt", "new"),
            undone(&[], &["x/y/new.txt", "x/y", "x"]),
        ),
        (
            "create_directory",
            |call| drop(call.create_directory("path", "x/y").unwrap()),
            undone(&[], &["x/y", "x"]),
        ),
    ];
    for (id, change, expected) in cases {
        change(&call(&workspace, id));

        let outcome = workspace.undo(id);

        assert_eq!(outcome.unwrap(), expected, "{id}");
        assert_eq!(scratch.read("a.txt"), "old", "{id}");
        assert!(!scratch.has("new.txt") && !scratch.has("x"), "{id}");
        assert_eq!(code(workspace.undo(id)), "not_recorded", "{id}");
    }
}

#[test]
fn undoes_changes_in_reverse_order() {
    let scratch = Scratch::new().file("a", "1").file("b", "1");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let changing = call(&workspace, "call");
    overwrite(&changing, "a", "2");
    overwrite(&changing, "new/c", "1");
    edit(&changing, "b", "2");
    edit(&changing, "a", "3");
    overwrite(&changing, "new/c", "2");

    let outcome = workspace.undo("call").unwrap();

    assert_eq!(outcome, undone(&["a", "b"], &["new/c", "new"]));
    assert_eq!(
        (scratch.read("a"), scratch.read("b")),
        ("1".into(), "1".into())
    );
    assert!(!scratch.has("new"));
}

#[test]
fn later_change_is_conflict() {
    let scratch = Scratch::new().file("a", "1").file("b", "1");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let changing = call(&workspace, "call");
    overwrite(&changing, "a", "2");
    overwrite(&changing, "b", "2");
    overwrite(&changing, "c", "2");
    let scratch = scratch.file("a", "by hand");

    let error = workspace.undo("call").unwrap_err();

    assert_eq!(error.code(), &ErrorCode::Conflict);
    assert_eq!(
        error.message(),
        "`a` has changed since, so nothing was undone."
    );
    assert_eq!(scratch.read("a"), "by hand");
    assert_eq!((scratch.read("b"), scratch.has("c")), ("2".into(), true));
    let _scratch = scratch.file("a", "2");
    assert!(workspace.undo("call").is_ok());
}

#[test]
fn obstacle_to_undo_is_conflict() {
    for spoil in [
        (|scratch: &Scratch| std::fs::remove_file(scratch.path().join("in/a")).unwrap())
            as fn(&Scratch),
        |scratch| {
            std::fs::remove_file(scratch.path().join("in/a")).unwrap();
            std::fs::create_dir(scratch.path().join("in/a")).unwrap();
        },
        |scratch| {
            std::fs::remove_file(scratch.path().join("in/a")).unwrap();
            std::os::unix::fs::symlink("b", scratch.path().join("in/a")).unwrap();
        },
        |scratch| {
            std::fs::rename(scratch.path().join("in"), scratch.path().join("moved")).unwrap();
            std::os::unix::fs::symlink("moved", scratch.path().join("in")).unwrap();
        },
    ] {
        let scratch = Scratch::new().file("in/a", "1").file("in/b", "2");
        let workspace = Workspace::open(scratch.path()).unwrap();
        overwrite(&call(&workspace, "call"), "in/a", "2");
        spoil(&scratch);

        assert_eq!(code(workspace.undo("call")), "conflict");
        assert_eq!(scratch.read("in/b"), "2");
    }
}

#[test]
fn undoes_calls_from_last_to_first() {
    let scratch = Scratch::new().file("a", "1");
    let workspace = Workspace::open(scratch.path()).unwrap();
    overwrite(&call(&workspace, "first"), "a", "2");
    overwrite(&call(&workspace, "second"), "a", "3");

    assert_eq!(code(workspace.undo("first")), "conflict");
    workspace.undo("second").unwrap();
    workspace.undo("first").unwrap();

    assert_eq!(scratch.read("a"), "1");
}

#[test]
fn foreign_change_between_two_changes_is_conflict() {
    let scratch = Scratch::new().file("a", "1");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let changing = call(&workspace, "call");
    overwrite(&changing, "a", "2");
    let scratch = scratch.file("a", "by hand");
    overwrite(&changing, "a", "3");

    assert_eq!(code(workspace.undo("call")), "conflict");
    assert_eq!(scratch.read("a"), "3");
}

#[test]
fn undoes_write_through_symlink() {
    let scratch = Scratch::new().file("sub/a", "1").link("link", "sub/a");
    let workspace = Workspace::open(scratch.path()).unwrap();
    overwrite(&call(&workspace, "call"), "link", "2");

    workspace.undo("call").unwrap();

    assert_eq!(scratch.read("sub/a"), "1");
    assert!(
        std::fs::symlink_metadata(scratch.path().join("link"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn keeps_directory_with_new_entries() {
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();
    overwrite(&call(&workspace, "call"), "x/y/a", "1");
    let scratch = scratch.file("x/b", "");

    assert_eq!(
        workspace.undo("call").unwrap(),
        undone(&[], &["x/y/a", "x/y"])
    );
    assert!(scratch.has("x/b"));
}

fn messages(cx: &ToolContext) -> (Vec<String>, Value) {
    let mut output = ToolOutput::text("");
    cx.move_additions_to(&mut output);
    let digests = output.metadata.get("file_digests").cloned();
    (output.warnings, digests.unwrap_or_default())
}

#[test]
fn warns_about_content_too_large_to_undo() {
    let scratch = Scratch::new().file("a", "x".repeat(2000));
    let workspace = Workspace::builder()
        .root(scratch.path())
        .keep_changes(100, 9000)
        .build()
        .unwrap();
    let cx = ToolContext::new("call", "tool");
    overwrite(&workspace.for_call(&cx), "a", "new");

    let (warnings, digests) = messages(&cx);
    assert_eq!(
        warnings,
        ["The change to `a` cannot be undone: the old content is too large or not readable."]
    );
    assert_eq!(digests, json!({"a": {"after": digest_of(b"new")}}));
    assert_eq!(code(workspace.undo("call")), "not_recorded");
    assert_eq!(scratch.read("a"), "new");
    let changes = workspace.changes("call");
    assert_eq!((changes[0].kept, &changes[0].diff), (false, &None));
}

#[test]
fn does_not_undo_partially_kept_calls() {
    let scratch = Scratch::new();
    let workspace = Workspace::builder()
        .root(scratch.path())
        .keep_changes(2, 1_000_000)
        .build()
        .unwrap();
    let changing = call(&workspace, "call");
    for path in ["a", "b", "c"] {
        overwrite(&changing, path, "1");
    }

    let error = workspace.undo("call").unwrap_err();

    assert_eq!(
        error.message(),
        "Some changes of this call are no longer recorded, so nothing was undone."
    );
    assert!(scratch.has("a") && scratch.has("c"));
}

#[test]
fn metadata_contains_digests() {
    let scratch = Scratch::new().file("a", "1");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let cx = ToolContext::new("call", "tool");
    let changing = workspace.for_call(&cx);
    overwrite(&changing, "a", "2");
    overwrite(&changing, "a", "3");
    overwrite(&changing, "new", "1");
    overwrite(&changing, "new", "2");
    changing.create_directory("path", "folder").unwrap();

    let (warnings, digests) = messages(&cx);

    let expected = json!({
        "a": {"before": digest_of(b"1"), "after": digest_of(b"3")},
        "new": {"after": digest_of(b"2")},
    });
    assert_eq!((warnings, digests), (Vec::new(), expected));
}

#[test]
fn changes_have_diffs_despite_later_calls() {
    let scratch = Scratch::new().file("a", "1\n").file("binary", "\0one");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let first = call(&workspace, "first");
    overwrite(&first, "a", "2\n");
    overwrite(&first, "binary", "\0two");
    first.create_directory("path", "x").unwrap();
    overwrite(&call(&workspace, "second"), "a", "3\n");

    let changes = workspace.changes("first");

    let change =
        |path: &str, kind, before: Option<&str>, after: Option<&str>, diff: Option<&str>| {
            FileChange {
                path: path.to_owned(),
                kind,
                before: before.map(|text| digest_of(text.as_bytes())),
                after: after.map(|text| digest_of(text.as_bytes())),
                diff: diff.map(str::to_owned),
                kept: true,
            }
        };
    assert_eq!(
        changes,
        [
            change(
                "a",
                ChangeKind::Changed,
                Some("1\n"),
                Some("2\n"),
                Some("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"),
            ),
            change(
                "binary",
                ChangeKind::Changed,
                Some("\0one"),
                Some("\0two"),
                Some("Binary files a/binary and b/binary differ\n"),
            ),
            change("x", ChangeKind::CreatedDirectory, None, None, None),
        ]
    );
    let _scratch = scratch.file("binary", "by hand");
    assert_eq!(workspace.changes("first")[1].diff, None);
    assert_eq!(workspace.changes("unknown"), []);
}

#[test]
fn failed_write_leaves_no_directory_or_record() {
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let cancelled = none();
    cancelled.cancel();

    let outcome = call(&workspace, "call").write(
        "path",
        "x/y/a",
        b"",
        WriteMode::Overwrite,
        true,
        &cancelled,
    );

    assert_eq!(outcome.unwrap_err().code(), &ErrorCode::Cancelled);
    assert!(!scratch.has("x"));
    assert_eq!(code(workspace.undo("call")), "not_recorded");
}

#[test]
fn limits_number_of_new_directories() {
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();

    let deep = workspace.create_directory("path", &"n/".repeat(102));

    assert_eq!(deep.unwrap_err().code(), &ErrorCode::InvalidArguments);
    assert!(!scratch.has("n"));
}
