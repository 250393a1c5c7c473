//! Files that others change, undo and approval.

use super::*;

#[cfg(unix)]
#[tokio::test]
async fn mode_and_symlink_are_kept_and_read_only_files_rejected() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = Scratch::new()
        .file("real.txt", "one\n")
        .link("a.txt", "real.txt");
    let file = scratch.path().join("real.txt");
    let set = |mode| set_permissions(&file, Permissions::from_mode(mode)).unwrap();
    let session = Session::new(&scratch);

    set(0o754);
    assert!(session.replace("one", "two").await.success);
    assert_eq!(metadata(&file).unwrap().permissions().mode() & 0o777, 0o754);
    assert!(scratch.path().join("a.txt").is_symlink());
    set(0o444);
    let refused = session.replace("two", "three").await;

    assert_eq!(code(&refused), "permission_denied");
    assert!(
        refused.text().contains("`path` is a read-only file"),
        "{refused}"
    );
    assert_eq!(scratch.read("real.txt"), "two\n");
}

#[tokio::test]
async fn binary_large_and_outside_files_are_rejected() {
    let scratch = Scratch::new()
        .file("binary", b"one\0two")
        .file("large", "x".repeat(MAX_BYTES + 1))
        .folder("folder");
    for (path, expected) in [
        ("binary", "not_text"),
        ("large", "file_too_large"),
        ("folder", "not_a_file"),
        ("../outside", "path_outside_workspace"),
        ("missing", "file_not_found"),
    ] {
        let edit = json!({"path": path, "edits": [{"old": "one", "new": "1"}]});
        let result = Session::new(&scratch).edit(edit).await;

        assert_eq!(code(&result), expected, "{path}");
    }
    let scratch = Scratch::new().file("a.txt", "x".repeat(1000));
    let edit =
        json!({"path": "a.txt", "edits": [{"old": "x", "new": "y".repeat(11_000), "all": true}]});
    assert_eq!(
        code(&Session::new(&scratch).edit(edit).await),
        "file_too_large"
    );
}

#[tokio::test]
async fn foreign_change_elsewhere_is_a_note() {
    let scratch = Scratch::new().file("a.txt", "1\n2\n3\n4\n5\n");
    let session = Session::new(&scratch);
    session.read(&scratch);
    let scratch = scratch.file("a.txt", "0\n1\n2\n3\nfour\n5\n");

    let first = session.replace("2\n", "two\n").await;
    let second = session.replace("3\n", "three\n").await;

    let note = "The file was also changed by others since you read it (line 1, line 5). The edits are elsewhere.";
    assert_eq!(
        (first.warnings, second.warnings),
        (vec![note.to_owned()], vec![note.to_owned()])
    );
    assert_eq!(scratch.read("a.txt"), "0\n1\ntwo\nthree\nfour\n5\n");
}

#[tokio::test]
async fn foreign_change_of_the_edited_lines_is_a_conflict() {
    let scratch = Scratch::new().file("a.txt", "x = 1\n2\n3\n");
    let session = Session::new(&scratch);
    session.read(&scratch);
    // The text that the model knows is elsewhere now.
    let scratch = scratch.file("a.txt", "2\n3\nx = 1\n");

    let moved = session.replace("x = 1", "x = 2").await;
    let scratch = scratch.file("a.txt", "x = 3\n2\n3\n");
    let replaced = session.replace("x = 1", "x = 2").await;

    assert_eq!(
        (code(&moved), code(&replaced)),
        ("conflict".into(), "text_not_found".into())
    );
    assert!(
        moved.text().contains(
            "so nothing was written. Read the file again, and include the change:\n3: x = 1"
        ),
        "{moved}"
    );
    assert!(
        replaced
            .text()
            .contains("changed by others since you read it (line 1)"),
        "{replaced}"
    );
    session.read(&scratch);
    assert!(session.replace("x = 3", "x = 4").await.success);
}

#[tokio::test]
async fn line_is_the_one_that_the_model_has_seen() {
    let scratch = Scratch::new().file("a.txt", "run\n\nrun\n");
    let session = Session::new(&scratch);
    session.read(&scratch);
    let scratch = scratch.file("a.txt", "new\nnew\nrun\n\nrun\n");

    let edit = json!({"path": "a.txt", "edits": [{"old": "run", "new": "stop", "near_line": 3}]});
    assert!(session.edit(edit).await.success);

    assert_eq!(scratch.read("a.txt"), "new\nnew\nrun\n\nstop\n");
}

#[tokio::test]
async fn own_edits_and_touched_files_are_no_foreign_change() {
    let scratch = Scratch::new().file("a.txt", "1\n2\n");
    let session = Session::new(&scratch);
    session.read(&scratch);

    assert!(session.replace("1", "one").await.success);
    // The same content with another time.
    let content = scratch.read("a.txt");
    let scratch = scratch.file("a.txt", content);
    let again = session.replace("one", "uno").await;

    assert!(again.success, "{again}");
    assert_eq!(again.warnings, Vec::<String>::new());
    assert_eq!(scratch.read("a.txt"), "uno\n2\n");
}

#[tokio::test]
async fn repeated_call_says_that_it_is_done() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let session = Session::new(&scratch);

    assert!(session.replace("one", "two").await.success);
    let repeated = session.replace("one", "two").await;

    assert_eq!(code(&repeated), "conflict");
    assert!(
        repeated
            .text()
            .contains("is already made: `new` is at line 1"),
        "{repeated}"
    );
}

#[tokio::test]
async fn undo_restores_the_file() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let session = Session::new(&scratch);

    let result = session.replace("one", "two").await;
    session.workspace.undo(result.id.as_str()).unwrap();

    assert_eq!(scratch.read("a.txt"), "one\n");
}

#[tokio::test]
async fn approver_sees_the_diff_and_no_call_that_fails() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let seen = SeenFiles::default();
    let tool = EditFile::new(session_files(open(&scratch), seen));
    let input = |old: &str, path: &str| -> EditFileInput {
        serde_json::from_value(json!({"path": path, "edits": [{"old": old, "new": "two"}]}))
            .unwrap()
    };
    let cx = ToolContext::test();

    let preview = tool
        .inspect(&cx, &input("one", "a.txt"))
        .await
        .unwrap()
        .unwrap();
    let created = tool
        .inspect(&cx, &input("", "b.txt"))
        .await
        .unwrap()
        .unwrap();

    assert!(
        preview.text.ends_with("@@ -1 +1 @@\n-one\n+two\n"),
        "{preview:?}"
    );
    assert!(created.text.contains("+two"), "{created:?}");
    assert!(tool.inspect(&cx, &input("three", "a.txt")).await.is_err());
    assert_eq!(scratch.read("a.txt"), "one\n");
    assert!(!scratch.has("b.txt"));
    // The edit would still fit, but its approver has seen another diff.
    tool.inspect(&cx, &input("one", "a.txt")).await.unwrap();
    let scratch = scratch.file("a.txt", "zero\none\n");
    let refused = tool.run(&cx, input("one", "a.txt")).await.unwrap_err();
    assert_eq!(refused.code(), &ErrorCode::Conflict);
    assert_eq!(scratch.read("a.txt"), "zero\none\n");
}

#[tokio::test]
async fn concurrent_edits_lose_nothing() {
    let lines: Vec<String> = (0..20).map(|line| format!("line {line:02}\n")).collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());
    let session = Arc::new(Session::new(&scratch));

    let calls = (0..20).map(|line| {
        let session = Arc::clone(&session);
        tokio::spawn(async move {
            session
                .replace(&format!("line {line:02}"), &format!("new {line:02}"))
                .await
        })
    });
    let mut successes = 0;
    for call in calls.collect::<Vec<_>>() {
        successes += usize::from(call.await.unwrap().success);
    }

    assert_eq!(scratch.read("a.txt").matches("new ").count(), successes);
    assert_eq!(successes, 20);
}

#[tokio::test]
async fn one_wrong_edit_of_a_thousand_changes_nothing() {
    let lines: Vec<String> = (0..1000).map(|line| format!("line {line};\n")).collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());
    let edits = (0..1000).map(|line| {
        let old = if line == 500 {
            "missing".to_owned()
        } else {
            format!("line {line};")
        };
        json!({"old": old, "new": format!("{line}")})
    });
    let edits: Vec<Value> = edits.collect();

    let refused = Session::new(&scratch)
        .edit(json!({"path": "a.txt", "edits": edits}))
        .await;

    assert!(refused.text().contains("edits[500]"), "{refused}");
    assert_eq!(scratch.read("a.txt"), lines.concat());
}

#[tokio::test]
async fn file_that_was_deleted_since_it_was_read_is_missing() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let session = Session::new(&scratch);
    session.read(&scratch);
    std::fs::remove_file(scratch.path().join("a.txt")).unwrap();

    let refused = session.replace("one", "two").await;

    assert_eq!(code(&refused), "file_not_found");
    assert!(!scratch.has("a.txt"));
}
