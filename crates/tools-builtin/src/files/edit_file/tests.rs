mod changes;

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{ChangeKind, Registry, ToolDefinition, ToolResult, Typed};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{open, session_files};
use crate::files::seen::SeenFiles;
use crate::workspace::Workspace;

/// A session with the tool.
struct Session {
    registry: Registry,
    workspace: Workspace,
    seen: SeenFiles,
}

impl Session {
    fn new(scratch: &Scratch) -> Self {
        let (workspace, seen) = (open(scratch), SeenFiles::default());
        let tool = EditFile::new(session_files(workspace.clone(), seen.clone()));
        let tool = Typed::new("edit", "Changes a file.", tool)
            .define(EditFileInput::define)
            .define(ToolDefinition::closed);
        let registry = Registry::builder()
            .policy(Policy::allow_all())
            .approver(approver_fn(|_| Answer::Approve));
        Self {
            registry: registry.tool(tool).unwrap().build(),
            workspace,
            seen,
        }
    }

    async fn edit(&self, arguments: Value) -> ToolResult {
        self.registry.execute("edit", arguments).await
    }

    /// Edits `a.txt`.
    async fn replace(&self, old: &str, new: &str) -> ToolResult {
        self.edit(json!({"path": "a.txt", "edits": [{"old": old, "new": new}]}))
            .await
    }

    /// Notes that the model has read `a.txt`.
    fn read(&self, scratch: &Scratch) {
        self.seen.remember("a.txt", &scratch.bytes("a.txt"));
    }
}

fn code(result: &ToolResult) -> String {
    result.error.as_ref().unwrap().code.to_string()
}

#[tokio::test]
async fn reply_shows_changed_lines_and_data_has_hunks() {
    let lines: Vec<String> = (1..=30).map(|line| format!("line {line}\n")).collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());
    let before = digest_of(&scratch.bytes("a.txt"));
    let edits = json!([
        {"old": "line 10\n", "new": "ten\nten and a half\n"},
        {"old": "line 12\n", "new": ""},
        {"old": "line 25", "new": "25"},
    ]);

    let result = Session::new(&scratch)
        .edit(json!({"path": "a.txt", "edits": edits}))
        .await;

    assert_eq!(
        result.text(),
        "Edited a.txt: lines 10-11, 13, 25 (+0)\n\
         7: line 7\n8: line 8\n9: line 9\n10: ten\n11: ten and a half\n12: line 11\n13: line 13\n14: line 14\n15: line 15\n16: line 16\n--\n\
         22: line 22\n23: line 23\n24: line 24\n25: 25\n26: line 26\n27: line 27\n28: line 28"
    );
    let data = result.data.unwrap();
    assert_eq!(data["before"], before);
    assert_eq!(data["after"], digest_of(&scratch.bytes("a.txt")));
    assert_eq!(data["replaced"], 3);
    assert_eq!(
        data["hunks"][0],
        json!({"old_start": 10, "old_lines": 1, "new_start": 10, "new_lines": 2})
    );
    assert!(
        data["diff"]
            .as_str()
            .unwrap()
            .starts_with("--- a/a.txt\n+++ b/a.txt\n@@ -7,")
    );
    assert_eq!(result.files_affected, ["a.txt"]);
}

#[tokio::test]
async fn long_reply_is_bounded() {
    let lines: Vec<String> = (0..500)
        .map(|line| format!("{line} {}\n", "x".repeat(1000)))
        .collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());
    let edits: Vec<Value> = (0..100)
        .map(|line| json!({"old": format!("\n{} x", line * 5 + 1), "new": "\ny"}))
        .collect();

    let result = Session::new(&scratch)
        .edit(json!({"path": "a.txt", "edits": edits}))
        .await;

    let text = result.text();
    assert!(result.success, "{text}");
    assert!(text.contains(" and 80 more (+0)\n"), "{text}");
    assert!(
        text.lines().count() <= 63 && text.len() < 20_000,
        "{}",
        text.len()
    );
    assert!(text.contains("more places; read the file"), "{text}");
}

#[tokio::test]
async fn names_of_other_tools_are_accepted_and_recorded() {
    for arguments in [
        json!({"file_path": "a.txt", "old_string": "one", "new_string": "1"}),
        json!({"path": "a.txt", "old_str": "one", "new_str": "1"}),
        json!({"path": "a.txt", "old_text": "one", "new_text": "1", "replaceAll": true}),
        json!({"path": "a.txt", "edits": [{"old_string": "one", "new_string": "1", "replace_all": false}]}),
        json!({"path": "a.txt", "edits": {"oldText": "one", "newText": "1"}}),
        json!({"path": "a.txt", "edits": "[{\"old_string\": \"one\", \"new_string\": \"1\"}]"}),
    ] {
        let scratch = Scratch::new().file("a.txt", "one\ntwo\n");

        let result = Session::new(&scratch).edit(arguments.clone()).await;

        assert!(result.success, "{arguments}: {result}");
        assert_eq!(scratch.read("a.txt"), "1\ntwo\n", "{arguments}");
        let changes = &result.metadata.changes;
        assert!(
            changes
                .iter()
                .any(|change| change.kind == ChangeKind::Alias),
            "{changes:?}"
        );
    }
}

#[tokio::test]
async fn model_is_shown_the_list_only() {
    let session = Session::new(&Scratch::new());
    let schema = session.registry.list()[0].input_schema().clone();

    assert_eq!(schema["required"], json!(["path", "edits"]));
    let properties: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, ["path", "edits"]);
    assert_eq!(
        schema["properties"]["edits"]["items"]["additionalProperties"],
        false
    );
}

#[tokio::test]
async fn incomplete_arguments_name_what_is_missing() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    for (arguments, expected) in [
        (json!({"path": "a.txt"}), "`edits` is empty"),
        (json!({"path": "a.txt", "edits": []}), "`edits` is empty"),
        (json!({"path": "a.txt", "old": "one"}), "`new` is missing"),
        (json!({"path": "a.txt", "new": "one"}), "`old` is missing"),
        (
            json!({"path": "a.txt", "old": "one", "new": "1", "edits": [{"old": "one", "new": "1"}]}),
            "`old` is passed beside `edits`",
        ),
        (json!({"path": "a.txt", "edits": [{"old": "one"}]}), "new"),
        (
            json!({"path": "a.txt", "edits": [{"old": "one", "new": "1", "colour": 1}]}),
            "colour",
        ),
    ] {
        let result = Session::new(&scratch).edit(arguments.clone()).await;

        assert_eq!(code(&result), "invalid_arguments", "{arguments}");
        assert!(result.text().contains(expected), "{arguments}: {result}");
    }
    assert_eq!(scratch.read("a.txt"), "one\n");
}

#[tokio::test]
async fn several_failed_edits_are_reported_in_one_reply() {
    let scratch = Scratch::new().file("a.txt", "one\ntwo\nx\nx\n");
    let edits = json!([
        {"old": "one", "new": "1"},
        {"old": "nothing like this", "new": "2"},
        {"old": "x", "new": "y"},
    ]);

    let result = Session::new(&scratch)
        .edit(json!({"path": "a.txt", "edits": edits}))
        .await;

    assert_eq!(code(&result), "text_not_found");
    let text = result.text();
    assert!(
        text.contains(
            "Error: `edits` cannot be made, so nothing was written (2 of 3 fail):\nedits[1]: `old` does not occur"
        ),
        "{text}"
    );
    assert!(
        text.contains("\nedits[2]: `old` fits 2 places:\n3: x"),
        "{text}"
    );
    assert_eq!(scratch.read("a.txt"), "one\ntwo\nx\nx\n");
}

#[tokio::test]
async fn tolerated_difference_is_a_warning() {
    let scratch = Scratch::new().file("a.txt", "if x {\n\ty();\n}\n");

    let result = Session::new(&scratch)
        .replace("    y();\n}", "    z();\n}")
        .await;

    assert_eq!(scratch.read("a.txt"), "if x {\n\tz();\n}\n");
    assert_eq!(
        result.warnings,
        ["`old` matched apart from indentation (lines 2-3)."]
    );
}

#[tokio::test]
async fn replaced_parts_of_words_are_a_warning() {
    let scratch = Scratch::new().file("a.txt", "id\nidle\n");

    let result = Session::new(&scratch)
        .edit(json!({"path": "a.txt", "edits": [{"old": "id", "new": "key", "all": true}]}))
        .await;

    assert_eq!(scratch.read("a.txt"), "key\nkeyle\n");
    assert_eq!(
        result.warnings,
        ["`all` also replaced parts of longer words (line 2)."]
    );
}

#[tokio::test]
async fn empty_old_text_creates_a_missing_file_only() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let session = Session::new(&scratch);
    let create = |path| json!({"path": path, "edits": [{"old": "", "new": "a\nb\n"}]});

    let created = session.edit(create("new/b.txt")).await;
    let refused = session.edit(create("a.txt")).await;

    assert_eq!(created.text(), "Created new/b.txt (2 lines)");
    assert_eq!(scratch.read("new/b.txt"), "a\nb\n");
    assert!(refused.text().contains("`old` is empty"), "{refused}");
    assert!(
        refused
            .text()
            .contains("to replace the whole file, use `write`"),
        "{refused}"
    );
    let missing = session
        .edit(json!({"path": "c.txt", "edits": [{"old": "x", "new": "y"}]}))
        .await;
    assert_eq!(code(&missing), "file_not_found");
    assert_eq!(
        session.workspace.undo(created.id.as_str()).unwrap().removed,
        ["new/b.txt", "new"]
    );
}

#[tokio::test]
async fn encoding_mark_and_line_endings_are_kept() {
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xFF, 0xFE].into_iter().chain(units).collect()
    };
    for (content, changed) in [
        (
            b"\xEF\xBB\xBFone\r\ntwo".to_vec(),
            b"\xEF\xBB\xBF1\r\nx\r\ntwo".to_vec(),
        ),
        (b"one\rtwo\r\n".to_vec(), b"1\r\nx\rtwo\r\n".to_vec()),
        (utf16("one\r\ntwo\r\n"), utf16("1\r\nx\r\ntwo\r\n")),
        (
            b"one caf\xE9 au lait\n".to_vec(),
            b"1\nx caf\xE9 au lait\n".to_vec(),
        ),
    ] {
        let scratch = Scratch::new().file("a.txt", &content);

        let result = Session::new(&scratch).replace("one", "1\nx").await;

        assert!(result.success, "{result}");
        assert_eq!(scratch.bytes("a.txt"), changed, "{content:?}");
    }
    let scratch = Scratch::new().file("a.txt", b"one caf\xE9 au lait\n");
    let refused = Session::new(&scratch).replace("one", "日").await;
    assert!(
        refused.text().contains("`edits` contains `日`"),
        "{refused}"
    );
}
