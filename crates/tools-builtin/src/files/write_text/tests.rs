use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, ToolResult, Typed};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{open, session_files};
use crate::files::seen::SeenFiles;
use crate::workspace::Workspace;

struct Session {
    registry: Registry,
    workspace: Workspace,
    seen: SeenFiles,
}

impl Session {
    fn new(scratch: &Scratch) -> Self {
        let (workspace, seen) = (open(scratch), SeenFiles::default());
        let tool = WriteText(session_files(workspace.clone(), seen.clone()));
        let registry = Registry::builder()
            .policy(Policy::allow_all())
            .approver(approver_fn(|_| Answer::Approve));
        let registry = registry.tool(Typed::new("write", "Writes a file.", tool));
        Self {
            registry: registry.unwrap().build(),
            workspace,
            seen,
        }
    }

    async fn write(&self, arguments: Value) -> ToolResult {
        self.registry.execute("write", arguments).await
    }

    /// Writes `a.txt`.
    async fn replace(&self, content: &str) -> ToolResult {
        self.write(json!({"path": "a.txt", "content": content}))
            .await
    }

    fn read(&self, scratch: &Scratch) {
        self.seen.remember("a.txt", &scratch.bytes("a.txt"));
    }
}

fn code(result: &ToolResult) -> String {
    result.error.as_ref().unwrap().code.to_string()
}

#[tokio::test]
async fn creates_files_with_their_directories() {
    let scratch = Scratch::new();
    let session = Session::new(&scratch);

    let result = session
        .write(json!({"file_path": "new/b.txt", "content": "é\n"}))
        .await;

    assert_eq!(result.text(), "Created file: new/b.txt (3 bytes)");
    assert_eq!(
        (scratch.read("new/b.txt").as_str(), result.warnings),
        ("é\n", vec![])
    );
    assert_eq!(result.files_affected, ["new/b.txt"]);
    assert_eq!(
        session.workspace.undo(result.id.as_str()).unwrap().removed,
        ["new/b.txt", "new"]
    );
}

#[tokio::test]
async fn change_that_was_not_seen_is_not_overwritten() {
    let scratch = Scratch::new().file("a.txt", "1\n2\n3\n");
    let session = Session::new(&scratch);
    session.read(&scratch);
    let scratch = scratch.file("a.txt", "1\ntwo\n3\n");

    let refused = session.replace("1\n2\n3\n4\n").await;

    assert_eq!(code(&refused), "conflict");
    assert!(
        refused.text().contains(
            "`path` was changed by others since you read it (line 2), so nothing was written. Read the file again, and include the change:\n2: two"
        ),
        "{refused}"
    );
    assert_eq!(scratch.read("a.txt"), "1\ntwo\n3\n");
    // Repeating the call doesn't help, but reading the file does.
    assert!(!session.replace("1\n2\n3\n4\n").await.success);
    session.read(&scratch);
    assert!(session.replace("1\ntwo\n3\n4\n").await.success);
}

#[tokio::test]
async fn file_that_was_never_read_is_replaced_with_a_note() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let session = Session::new(&scratch);

    let first = session.replace("two\n").await;
    let second = session.replace("three\n").await;

    assert_eq!(
        first.to_string(),
        "Wrote file: a.txt (4 bytes)\nWarning: It replaced 4 bytes that you had not read."
    );
    assert_eq!(second.warnings, Vec::<String>::new());
    assert_eq!(scratch.read("a.txt"), "three\n");
    session.workspace.undo(second.id.as_str()).unwrap();
    assert_eq!(scratch.read("a.txt"), "two\n");
}

#[tokio::test]
async fn repeated_write_succeeds() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let session = Session::new(&scratch);
    session.read(&scratch);
    let scratch = scratch.file("a.txt", "two\n");

    // A lost reply, or another session that wrote the same.
    let result = session.replace("two\n").await;

    assert!(result.success, "{result}");
    assert_eq!(scratch.read("a.txt"), "two\n");
}

#[tokio::test]
async fn format_of_the_replaced_file_is_kept() {
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xFF, 0xFE].into_iter().chain(units).collect()
    };
    for (old, new, written, note) in [
        (
            b"a\r\nb\r\n".to_vec(),
            "c\nd\n",
            b"c\r\nd\r\n".to_vec(),
            "(CRLF)",
        ),
        (b"a\r\nb\r\n".to_vec(), "c\r\nd", b"c\r\nd".to_vec(), ""),
        (b"a\r\nb\n".to_vec(), "c\nd\n", b"c\nd\n".to_vec(), ""),
        (
            b"\xEF\xBB\xBFa\n".to_vec(),
            "b\n",
            b"\xEF\xBB\xBFb\n".to_vec(),
            "byte-order mark",
        ),
        (utf16("a\n"), "b\n", utf16("b\n"), "(utf-16le)"),
        (
            b"caf\xE9 au lait\n".to_vec(),
            "th\u{e9}\n",
            b"th\xE9\n".to_vec(),
            "(windows-1252)",
        ),
        (
            b"caf\xE9 au lait\n".to_vec(),
            "日\n",
            "日\n".into(),
            "UTF-8 now",
        ),
        (b"a\0b".to_vec(), "text\n", b"text\n".to_vec(), ""),
    ] {
        let scratch = Scratch::new().file("a.txt", &old);
        let session = Session::new(&scratch);
        session.read(&scratch);

        let result = session.replace(new).await;

        assert!(result.success, "{result}");
        assert_eq!(scratch.bytes("a.txt"), written, "{old:?}");
        let warnings = result.warnings.join(" ");
        assert!(warnings.contains(note), "{old:?}: {warnings}");
        assert_eq!(warnings.is_empty(), note.is_empty(), "{old:?}: {warnings}");
    }
}

#[tokio::test]
async fn binary_change_is_a_conflict_too() {
    let scratch = Scratch::new().file("a.txt", b"a\0b");
    let session = Session::new(&scratch);
    session.read(&scratch);
    let scratch = scratch.file("a.txt", b"a\0c");

    let refused = session.replace("text").await;

    assert_eq!(code(&refused), "conflict");
    assert_eq!(scratch.bytes("a.txt"), b"a\0c");
}

#[tokio::test]
async fn files_that_cannot_be_written_are_rejected() {
    let scratch = Scratch::new().folder("folder").folder(".git");
    let session = Session::new(&scratch);
    for (path, expected) in [
        ("folder", "not_a_file"),
        ("../out", "path_outside_workspace"),
        ("", "invalid_arguments"),
        (".git/hooks/x", "protected"),
    ] {
        let result = session.write(json!({"path": path, "content": "x"})).await;

        assert_eq!(code(&result), expected, "{path}");
    }
    let huge = "x".repeat(11 * 1024 * 1024);
    assert_eq!(code(&session.replace(&huge).await), "file_too_large");
}

#[cfg(unix)]
#[tokio::test]
async fn read_only_file_is_rejected() {
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = Scratch::new().file("a.txt", "one\n");
    let mode = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(scratch.path().join("a.txt"), mode).unwrap();

    let refused = Session::new(&scratch).replace("two\n").await;

    assert_eq!(code(&refused), "permission_denied");
    assert_eq!(scratch.read("a.txt"), "one\n");
}

#[tokio::test]
async fn file_over_the_limit_is_not_replaced() {
    let scratch = Scratch::new().file("a.txt", vec![b'x'; MAX_BYTES + 1]);
    let session = Session::new(&scratch);

    let refused = session.replace("short").await;

    assert_eq!(code(&refused), "file_too_large");
}

#[tokio::test]
async fn approver_sees_the_difference_and_no_conflict() {
    let scratch = Scratch::new().file("a.txt", "a\r\n");
    let session = Session::new(&scratch);
    session.read(&scratch);
    let (workspace, seen) = (session.workspace.clone(), session.seen.clone());
    let tool = WriteText(session_files(workspace, seen));
    let input: WriteTextInput =
        serde_json::from_value(json!({"path": "a.txt", "content": "b\n"})).unwrap();
    let cx = ToolContext::test();

    let preview = tool.inspect(&cx, &input).await.unwrap().unwrap();
    let scratch = scratch.file("a.txt", "changed\r\n");
    let refused = tool.inspect(&cx, &input).await.unwrap_err();

    assert!(preview.text.ends_with("-a\r\n+b\r\n"), "{preview:?}");
    assert_eq!(refused.code(), &ErrorCode::Conflict);
    assert_eq!(scratch.read("a.txt"), "changed\r\n");
}

#[tokio::test]
async fn file_that_other_programs_run_requires_approval() {
    let scratch = Scratch::new()
        .file(".vscode/settings.json", "")
        .link("editor", ".vscode")
        .link("link.json", ".vscode/settings.json");
    let tool = WriteText(session_files(open(&scratch), SeenFiles::default()));
    let registry = Registry::of(Typed::new("write", "Writes a file.", tool)).unwrap();
    let write = async |path: &str| {
        let arguments = json!({"path": path, "content": "x"});
        code(&registry.execute("write", arguments).await)
    };

    // Without an approver, a call that requires approval is denied.
    assert_eq!(write(".vscode/tasks.json").await, "approval_denied");
    assert_eq!(write("new/../.VSCode/tasks.json").await, "approval_denied");
    assert_eq!(write("deep/.envrc").await, "approval_denied");
    assert_eq!(write("editor/tasks.json").await, "protected");
    assert_eq!(write("link.json").await, "protected");
    assert_eq!(write(".vscode/../link.json").await, "protected");
    let granted = Session::new(&scratch);
    let result = granted
        .write(json!({"path": ".vscode/tasks.json", "content": "x"}))
        .await;
    assert!(result.success, "{result}");
}

#[tokio::test]
async fn approved_call_replaces_what_its_approver_saw() {
    let scratch = Scratch::new().file("a.txt", "a\n");
    let tool = WriteText(session_files(open(&scratch), SeenFiles::default()));
    let input = |path: &str| -> WriteTextInput {
        serde_json::from_value(json!({"path": path, "content": "b\n"})).unwrap()
    };
    let [old, new, grown] = ["1", "2", "4"].map(|call| ToolContext::new(call, "write"));
    let large = "log\n".repeat(3_000_000);

    tool.inspect(&old, &input("a.txt")).await.unwrap();
    tool.inspect(&new, &input("new.txt")).await.unwrap();
    tool.inspect(&grown, &input("grown.txt")).await.unwrap();
    // Never read, so only the approver knows the old content.
    let scratch = scratch
        .file("a.txt", "changed\n")
        .file("new.txt", "theirs\n")
        .file("grown.txt", &large);

    for (cx, path, kept, code) in [
        (&old, "a.txt", "changed\n", ErrorCode::Conflict),
        (&new, "new.txt", "theirs\n", ErrorCode::Conflict),
        (&grown, "grown.txt", &large, ErrorCode::FileTooLarge),
    ] {
        let refused = tool.run(cx, input(path)).await.unwrap_err();

        assert_eq!(refused.code(), &code, "{path}");
        assert!(scratch.read(path) == kept, "{path}");
    }
    let unchanged = ToolContext::new("3", "write");
    tool.inspect(&unchanged, &input("a.txt")).await.unwrap();
    tool.run(&unchanged, input("a.txt")).await.unwrap();
    assert_eq!(scratch.read("a.txt"), "b\n");
}
