//! Files that are deleted and moved.

use super::*;

#[tokio::test]
async fn deleted_and_moved_files_come_back() {
    let scratch = project().link("link", "notes.md");
    let kit = kit(&scratch);
    let registry = registry(&kit);

    let deleted = registry
        .execute("delete", json!({"path": "notes.md"}))
        .await;
    assert_eq!(deleted.text(), "Deleted notes.md (7 bytes)");
    let run = json!({"from": "src/run.rs", "to": "new/run.rs"});
    let moved = registry.execute("move", run).await;
    assert_eq!(moved.text(), "Moved src/run.rs to new/run.rs");
    assert_eq!(moved.files_affected, ["src/run.rs", "new/run.rs"]);
    assert!(!scratch.has("notes.md") && !scratch.has("src/run.rs"));

    for call in [&moved, &deleted] {
        kit.workspace().undo(call.id.as_str()).unwrap();
    }

    assert_eq!(scratch.read("notes.md"), "run it\n");
    assert_eq!(scratch.read("src/run.rs"), project().read("src/run.rs"));
    assert!(!scratch.has("new"));
}

#[tokio::test]
async fn delete_and_move_keep_the_rules_of_the_workspace() {
    let scratch = project()
        .link("link", "notes.md")
        .folder(".git/hooks")
        .file(".git/config", "");
    for (tool, arguments, code, parameter) in [
        ("delete", json!({"path": "src"}), "not_a_file", "path"),
        ("delete", json!({"path": "link"}), "not_a_file", "path"),
        (
            "delete",
            json!({"path": ".git/config"}),
            "protected",
            "path",
        ),
        (
            "delete",
            json!({"path": "../a"}),
            "path_outside_workspace",
            "path",
        ),
        (
            "move",
            json!({"from": "notes.md", "to": "src/run.rs"}),
            "already_exists",
            "to",
        ),
        (
            "move",
            json!({"from": "notes.md", "to": ".git/hooks/a"}),
            "protected",
            "to",
        ),
        (
            "move",
            json!({"from": ".git/config", "to": "a"}),
            "protected",
            "from",
        ),
        (
            "move",
            json!({"from": "notes.md", "to": "../a"}),
            "path_outside_workspace",
            "to",
        ),
        (
            "move",
            json!({"from": "missing", "to": "a"}),
            "file_not_found",
            "from",
        ),
    ] {
        let error = call(&scratch, tool, arguments.clone()).await.error.unwrap();

        assert_eq!(error.code.as_str(), code, "{arguments}: {}", error.message);
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{arguments}");
        assert_eq!(scratch.read("notes.md"), "run it\n", "{arguments}");
        assert!(!scratch.has("a"), "{arguments}");
    }
}

#[tokio::test]
async fn unseen_change_is_not_deleted() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let registry = registry(&kit(&scratch));
    assert!(
        registry
            .execute("read", json!({"path": "a.txt"}))
            .await
            .success
    );
    let scratch = scratch.file("a.txt", "theirs\n");
    let patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch";

    let deleted = registry.execute("delete", json!({"path": "a.txt"})).await;
    let patched = registry
        .execute("apply_patch", json!({"patch": patch}))
        .await;

    assert_eq!(deleted.error.unwrap().code.as_str(), "conflict");
    assert_eq!(patched.error.unwrap().code.as_str(), "conflict");
    assert_eq!(scratch.read("a.txt"), "theirs\n");
}
