use serde_json::json;
use tool_core::{CancellationToken, ErrorCode};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

async fn write(scratch: &Scratch, input: serde_json::Value) -> Outcome<WriteFileOutput> {
    call(WriteFile(open(scratch)), input).await
}

fn names(scratch: &Scratch) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(scratch.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn creates_file_with_parents() {
    let scratch = Scratch::new();

    let outcome = write(&scratch, json!({"path": "a/b/c.txt", "content": "hello"})).await;

    assert_eq!(outcome.affected, ["a/b/c.txt"]);
    let output = outcome.output();
    assert_eq!(
        output,
        WriteFileOutput {
            path: "a/b/c.txt".to_owned(),
            bytes_written: 5,
            created: true
        }
    );
    assert_eq!(
        WriteFile::render(&output),
        "Created file: a/b/c.txt (5 bytes)"
    );
    assert_eq!(scratch.read("a/b/c.txt"), "hello");
}

#[tokio::test]
async fn replaces_existing_file() {
    let scratch = Scratch::new().file("a.txt", "a long old content");

    let output = write(&scratch, json!({"path": "a.txt", "content": "n"}))
        .await
        .output();

    assert_eq!(WriteFile::render(&output), "Wrote file: a.txt (1 bytes)");
    assert_eq!(scratch.read("a.txt"), "n");
    assert_eq!(names(&scratch), ["a.txt"]);
}

#[tokio::test]
async fn create_directories_can_be_disabled() {
    let scratch = Scratch::new();
    let input = json!({"path": "a/b.txt", "content": "x", "create_directories": false});

    let error = write(&scratch, input).await.error();

    assert_eq!(error.code(), &ErrorCode::FileNotFound);
    assert_eq!(
        error.message(),
        "`path` is in a directory that does not exist."
    );
    assert!(!scratch.has("a"));
}

#[tokio::test]
async fn create_new_rejects_existing_entries() {
    let scratch = Scratch::new().file("a.txt", "old").folder("sub");
    #[cfg(unix)]
    let scratch = scratch.link("dangling", "missing");
    for (path, code) in [
        ("a.txt", "already_exists"),
        ("sub", "not_a_file"),
        #[cfg(unix)]
        ("dangling", "already_exists"),
    ] {
        let input = json!({"path": path, "content": "new", "mode": "create_new"});

        let refusal = write(&scratch, input).await.refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some("path".to_owned())),
            "{path}"
        );
    }
    assert_eq!(scratch.read("a.txt"), "old");
    assert!(!scratch.has("missing"));
}

#[tokio::test]
async fn create_new_leaves_no_other_files() {
    let scratch = Scratch::new();
    let input = json!({"path": "a.txt", "content": "new", "mode": "create_new"});

    assert!(write(&scratch, input).await.output().created);

    assert_eq!(names(&scratch), ["a.txt"]);
}

#[cfg(unix)]
#[tokio::test]
async fn keeps_file_mode() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().file("run.sh", "old");
    let path = scratch.path().join("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();

    write(&scratch, json!({"path": "run.sh", "content": "new"}))
        .await
        .output();

    assert_eq!(
        path.metadata().unwrap().permissions().mode() & 0o7777,
        0o750
    );
}

#[cfg(unix)]
#[tokio::test]
async fn writes_symlink_target() {
    let scratch = Scratch::new()
        .file("real/a.txt", "old")
        .link("real/b", "a.txt")
        .link("link", "real/b");

    write(&scratch, json!({"path": "link", "content": "new"}))
        .await
        .output();

    assert_eq!(scratch.read("real/a.txt"), "new");
    assert!(scratch.path().join("link").is_symlink());
    assert!(scratch.path().join("real/b").is_symlink());
}

#[cfg(unix)]
#[tokio::test]
async fn rejects_symlink_outside_workspace() {
    let outside = Scratch::new().file("kept.txt", "kept");
    let scratch = Scratch::new()
        .link("file", outside.path().join("kept.txt"))
        .link("new", outside.path().join("new.txt"))
        .link("dir", outside.path());
    for path in ["file", "new", "dir/x", "dir/sub/x"] {
        let refusal = write(&scratch, json!({"path": path, "content": "evil"}))
            .await
            .refusal();

        assert_eq!(refusal.0, "path_outside_workspace", "{path}");
    }
    assert_eq!(names(&outside), ["kept.txt"]);
    assert_eq!(outside.read("kept.txt"), "kept");
}

#[tokio::test]
async fn rejects_too_large_content() {
    let scratch = Scratch::new();
    let content = "x".repeat(MAX_BYTES + 1);

    let refusal = write(&scratch, json!({"path": "a.txt", "content": content}))
        .await
        .refusal();

    assert_eq!(
        refusal,
        ("file_too_large".to_owned(), Some("content".to_owned()))
    );
    assert_eq!(names(&scratch), [""; 0]);
}

#[tokio::test]
async fn rejects_invalid_path() {
    let scratch = Scratch::new().file("a.txt", "old").folder("sub");
    let long = "n".repeat(300);
    for (path, code) in [
        ("sub", "not_a_file"),
        ("sub/", "not_a_file"),
        ("new/", "not_a_file"),
        (".", "not_a_file"),
        ("sub/..", "not_a_file"),
        ("a.txt/b.txt", "not_a_directory"),
        ("../b.txt", "path_outside_workspace"),
        ("", "invalid_arguments"),
        (&long, "invalid_arguments"),
    ] {
        let refusal = write(&scratch, json!({"path": path, "content": "x"}))
            .await
            .refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some("path".to_owned())),
            "{path}"
        );
    }
    assert_eq!(names(&scratch), ["a.txt", "sub"]);
}

#[test]
fn cancelled_call_writes_nothing() {
    let scratch = Scratch::new().file("a.txt", "old");
    let cancelled = CancellationToken::new();
    cancelled.cancel();

    let error = open(&scratch)
        .write(
            "path",
            "a.txt",
            b"new",
            WriteMode::Overwrite,
            true,
            &cancelled,
        )
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::Cancelled);
    assert_eq!(
        (scratch.read("a.txt").as_str(), names(&scratch)),
        ("old", vec!["a.txt".to_owned()])
    );
}

#[tokio::test]
async fn spellings_of_one_file_touch_the_same() {
    let tool = WriteFile(open(&Scratch::new()));
    let touches = |path: &str| {
        let input = serde_json::from_value(json!({"path": path, "content": ""})).unwrap();
        let plan = tool.plan(&ToolContext::test(), &input);
        plan.unwrap().touches
    };

    assert_eq!(touches("a/b").files_written(), ["a/b"]);
    assert_eq!(touches("a/b"), touches("./a//c/../b"));
}

#[cfg(unix)]
#[tokio::test]
async fn rejects_read_only_file_and_directory() {
    use std::os::unix::fs::PermissionsExt;

    if rustix::process::geteuid().is_root() {
        return;
    }
    let scratch = Scratch::new().file("a.txt", "old").folder("locked");
    for (path, mode) in [("a.txt", 0o444), ("locked", 0o555)] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(scratch.path().join(path), permissions).unwrap();
    }

    for path in ["a.txt", "locked/b.txt", "locked/new/b.txt"] {
        let refusal = write(&scratch, json!({"path": path, "content": "new"}))
            .await
            .refusal();

        assert_eq!(refusal.0, "permission_denied", "{path}");
    }
    assert_eq!(scratch.read("a.txt"), "old");
    assert_eq!(names(&scratch), ["a.txt", "locked"]);
}

#[cfg(unix)]
#[tokio::test]
async fn drops_setuid_and_setgid() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().file("tool", "old");
    let path = scratch.path().join("tool");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o6755)).unwrap();

    write(&scratch, json!({"path": "tool", "content": "new"}))
        .await
        .output();

    assert_eq!(
        path.metadata().unwrap().permissions().mode() & 0o7777,
        0o755
    );
}

async fn preview(scratch: &Scratch, input: serde_json::Value) -> Option<Preview> {
    let input = serde_json::from_value(input).unwrap();
    let tool = WriteFile(open(scratch));
    let preview = tool.inspect(&ToolContext::test(), &input).await;
    preview.unwrap()
}

#[tokio::test]
async fn preview_shows_changes() {
    let scratch = Scratch::new()
        .file("a.txt", "one\ntwo\nthree\n")
        .file("b.txt", "\0binary");
    for (input, expected) in [
        (
            json!({"path": "a.txt", "content": "one\n2\nthree\n"}),
            Preview::diff("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"),
        ),
        (
            json!({"path": "a.txt", "content": "one\ntwo\nthree\nthree\n"}),
            Preview::diff(
                "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n two\n three\n+three\n",
            ),
        ),
        (
            json!({"path": "a.txt", "content": "one\ntwo\nthree\n"}),
            Preview::text("The file does not change."),
        ),
        (
            json!({"path": "new/c.txt", "content": "x\n", "mode": "create_new"}),
            Preview::diff("--- a/new/c.txt\n+++ b/new/c.txt\n@@ -0,0 +1 @@\n+x\n"),
        ),
        (
            json!({"path": "b.txt", "content": "x\n"}),
            Preview::text("Replaces 7 bytes that are not UTF-8 text."),
        ),
    ] {
        assert_eq!(preview(&scratch, input).await, Some(expected));
    }
    assert_eq!(scratch.read("a.txt"), "one\ntwo\nthree\n");
    assert_eq!(names(&scratch), ["a.txt", "b.txt"]);
}

#[tokio::test]
async fn look_at_failing_write_has_error_of_run() {
    let scratch = Scratch::new().file("a.txt", "one\n").link("out", "/etc");
    let tool = WriteFile(open(&scratch));
    for input in [
        json!({"path": "a.txt", "content": "x", "mode": "create_new"}),
        json!({"path": "../a.txt", "content": "x"}),
        json!({"path": "out/passwd", "content": "x"}),
    ] {
        let input: WriteFileInput = serde_json::from_value(input).unwrap();
        let cx = ToolContext::test();

        let looked = tool.inspect(&cx, &input).await.unwrap_err();

        let ran = tool.run(&cx, input).await.unwrap_err();
        assert_eq!(looked.report(), ran.report());
    }
}

#[tokio::test]
async fn preview_of_large_file_compares_only_changes() {
    let same = "same\n".repeat(500_000);
    let scratch = Scratch::new().file("a.txt", format!("{same}old\n{same}"));
    let input = json!({"path": "a.txt", "content": format!("{same}new\n{same}")});

    let preview = preview(&scratch, input).await;

    let context = " same\n same\n same\n";
    assert_eq!(
        preview,
        Some(Preview::diff(format!(
            "--- a/a.txt\n+++ b/a.txt\n@@ -499998,7 +499998,7 @@\n{context}-old\n+new\n{context}"
        )))
    );
}
