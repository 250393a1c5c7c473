use serde_json::json;
use tool_core::CancellationToken;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

async fn replace(scratch: &Scratch, old: &str, new: &str) -> Outcome<ReplaceStringOutput> {
    let input = json!({"path": "a.txt", "old_string": old, "new_string": new});
    call(ReplaceString(open(scratch)), input).await
}

#[tokio::test]
async fn replaces_one_occurrence() {
    let scratch = Scratch::new().file("a.txt", "one\ntwo\nthree\n");

    let outcome = replace(&scratch, "two", "2").await;

    assert_eq!(
        (outcome.affected.as_slice(), outcome.warnings.len()),
        (&["a.txt".to_owned()][..], 0)
    );
    let output = outcome.output();
    assert_eq!(
        output,
        ReplaceStringOutput {
            occurrences_found: 1,
            occurrences_replaced: 1,
            lines_changed: vec![2],
            diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n".to_owned(),
        }
    );
    assert_eq!(scratch.read("a.txt"), "one\n2\nthree\n");
}

#[tokio::test]
async fn replaces_first_occurrence_with_warning() {
    let scratch = Scratch::new().file("a.txt", "\nx\nx\nx\n");

    let outcome = replace(&scratch, "x", "y").await;

    assert_eq!(
        outcome.warnings,
        ["Found 3 occurrences, replaced only the first at line 2"]
    );
    let output = outcome.output();
    assert_eq!(
        (output.occurrences_found, output.occurrences_replaced),
        (3, 1)
    );
    assert_eq!(scratch.read("a.txt"), "\ny\nx\nx\n");
}

#[tokio::test]
async fn keeps_newlines_bom_and_encoding() {
    for (before, old, new, after) in [
        (&b"a\r\nb\r\n"[..], "a\nb", "c\nd", &b"c\r\nd\r\n"[..]),
        (b"\xEF\xBB\xBFa\n", "a", "b", b"\xEF\xBB\xBFb\n"),
        (b"\xFF\xFEa\0\r\0\n\0", "a\n", "b\n", b"\xFF\xFEb\0\r\0\n\0"),
        (b"\xFE\xFF\0a", "a", "\u{e9}", b"\xFE\xFF\0\xE9"),
        (b"caf\xE9 a", "a", "b", b"cbf\xE9 a"),
        (b"caf\xE9 \x80", "café", "thé", b"th\xE9 \x80"),
        (
            b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7",
            "日本",
            "中国",
            b"\x92\x86\x8D\x91\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7",
        ),
    ] {
        let scratch = Scratch::new().file("a.txt", before);

        replace(&scratch, old, new).await.output();

        assert_eq!(scratch.bytes("a.txt"), after, "{before:?}");
    }
}

#[tokio::test]
async fn fits_line_endings_and_replaces_the_first_occurrence() {
    for (before, old, new, after, found, line) in [
        ("a b a", "a", "c", "c b a", 2, 1),
        ("a\r\nb\r\n", "a\nb", "c\nd", "c\r\nd\r\n", 1, 1),
        ("a\nb\n", "a\r\nb", "c\r\nd", "c\nd\n", 1, 1),
        ("a\r\nb\nc", "b\nc", "d\ne", "a\r\nd\ne", 1, 2),
        ("a\nb\nc", "a\nb\n", "", "c", 1, 1),
    ] {
        let scratch = Scratch::new().file("a.txt", before);

        let output = replace(&scratch, old, new).await.output();

        let found_at = (output.occurrences_found, output.lines_changed);
        assert_eq!(found_at, (found, vec![line]), "{before:?}");
        assert_eq!(scratch.read("a.txt"), after, "{before:?}");
    }
}

#[tokio::test]
async fn missing_text_suggests_closest_match() {
    let scratch = Scratch::new().file("a.txt", "fn main() {\n    let count = 1;\n}\n");

    let error = replace(&scratch, "let counter = 1;", "x").await.error();

    assert_eq!(
        (error.code(), error.parameter()),
        (&ErrorCode::TextNotFound, Some("old_string"))
    );
    assert_eq!(
        error.suggestion(),
        Some("The most similar text is at line 2:\n    let count = 1;")
    );
}

#[tokio::test]
async fn failed_edit_keeps_file() {
    for (content, old, new, code, parameter) in [
        (&b"abc"[..], "", "x", "invalid_arguments", "old_string"),
        (b"abc", "b", "b", "invalid_arguments", "new_string"),
        (b"abc", "B", "x", "text_not_found", "old_string"),
        (b"a\0bc", "b", "x", "not_text", "path"),
        (b"caf\xE9", "c", "\u{65e5}", "not_text", "new_string"),
        (b"gr\xC3\xB6\xC3\x9Fe \xE9", "g", "G", "not_text", "path"),
        (b"", "b", "x", "text_not_found", "old_string"),
    ] {
        let scratch = Scratch::new().file("a.txt", content);

        let refusal = replace(&scratch, old, new).await.refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some(parameter.to_owned())),
            "{old} {new}"
        );
        assert_eq!(scratch.bytes("a.txt"), content);
    }
}

#[tokio::test]
async fn rejects_invalid_path() {
    let scratch = Scratch::new().folder("sub").file("b.txt", "");
    for (path, code) in [
        ("sub", "not_a_file"),
        ("missing.txt", "file_not_found"),
        ("../b.txt", "path_outside_workspace"),
        ("b.txt/", "not_a_directory"),
    ] {
        let input = json!({"path": path, "old_string": "a", "new_string": "b"});

        let refusal = call(ReplaceString(open(&scratch)), input).await.refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some("path".to_owned())),
            "{path}"
        );
    }
}

#[tokio::test]
async fn rejects_too_large_file() {
    let scratch = Scratch::new().file("a.txt", vec![b'a'; MAX_BYTES + 1]);

    let error = replace(&scratch, "a", "b").await.error();

    assert_eq!(error.code(), &ErrorCode::FileTooLarge);
    let scratch = Scratch::new().file("a.txt", vec![b'a'; MAX_BYTES]);
    let error = replace(&scratch, "a", "bb").await.error();
    assert_eq!(error.code(), &ErrorCode::FileTooLarge);
}

#[cfg(unix)]
#[tokio::test]
async fn edits_symlink_target() {
    let scratch = Scratch::new()
        .file("real.txt", "old")
        .link("a.txt", "real.txt");

    replace(&scratch, "old", "new").await.output();

    assert_eq!(scratch.read("real.txt"), "new");
    assert!(scratch.path().join("a.txt").is_symlink());
}

#[test]
fn concurrent_change_is_conflict() {
    let scratch = Scratch::new().file("a.txt", "old");
    let cancellation = CancellationToken::new();
    let edit = open(&scratch)
        .edit("path", "a.txt", 100, &cancellation)
        .unwrap();
    let scratch = scratch.file("a.txt", "theirs");

    let error = edit.replace(b"ours", &cancellation).unwrap_err();

    assert_eq!(
        (error.code(), error.parameter()),
        (&ErrorCode::Conflict, Some("path"))
    );
    assert_eq!(scratch.read("a.txt"), "theirs");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_edits_lose_nothing() {
    let lines: Vec<String> = (0..20).map(|number| format!("<{number}>\n")).collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());
    let tool = ReplaceString(open(&scratch));
    let calls: Vec<_> = (0..20)
        .map(|number| {
            let input =
                json!({"path": "a.txt", "old_string": format!("<{number}>"), "new_string": "done"});
            tokio::spawn(call(tool.clone(), input))
        })
        .collect();

    for call in calls {
        call.await.unwrap().output();
    }

    assert_eq!(scratch.read("a.txt"), "done\n".repeat(20));
}

#[tokio::test]
async fn rejects_change_of_line_endings() {
    for (content, old, new) in [("a\r\nb\r\n", "a\r\n", "a\n"), ("a\nb\n", "a\n", "a\r\n")] {
        let scratch = Scratch::new().file("a.txt", content);

        let error = replace(&scratch, old, new).await.error();

        assert_eq!(
            (error.code(), error.parameter()),
            (&ErrorCode::InvalidArguments, Some("new_string"))
        );
        assert_eq!(scratch.read("a.txt"), content);
    }
}

#[tokio::test]
async fn preview_equals_diff_of_edit() {
    let text = "one\ntwo\nthree\ntwo\n";
    let scratch = Scratch::new().file("a.txt", text);
    let input = json!({"path": "a.txt", "old_string": "two", "new_string": "2"});
    let input = serde_json::from_value(input).unwrap();

    let preview = ReplaceString(open(&scratch))
        .inspect(&ToolContext::test(), &input)
        .await;

    assert_eq!(scratch.read("a.txt"), text);
    let output = replace(&scratch, "two", "2").await.output();
    assert_eq!(preview.unwrap(), Some(Preview::diff(output.diff)));
}

#[tokio::test]
async fn look_at_failing_edit_has_error_of_run() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    for path in ["a.txt", "b.txt", "../a.txt"] {
        let input = json!({"path": path, "old_string": "x", "new_string": "y"});
        let input: ReplaceStringInput = serde_json::from_value(input).unwrap();
        let tool = ReplaceString(open(&scratch));
        let cx = ToolContext::test();

        let looked = tool.inspect(&cx, &input).await.unwrap_err();

        let ran = tool.run(&cx, input).await.unwrap_err();
        assert_eq!(looked.report(), ran.report(), "{path}");
    }
}
