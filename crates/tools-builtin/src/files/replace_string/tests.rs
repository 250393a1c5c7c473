use serde_json::json;
use tool_core::CancellationToken;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

async fn replace(
    scratch: &Scratch,
    old: &str,
    new: &str,
    all: bool,
) -> Outcome<ReplaceStringOutput> {
    let input = json!({"path": "a.txt", "old_string": old, "new_string": new, "replace_all": all});
    call(ReplaceString::new(open(scratch)), input).await
}

#[tokio::test]
async fn replaces_one_occurrence() {
    let scratch = Scratch::new().file("a.txt", "one\ntwo\nthree\n");

    let outcome = replace(&scratch, "two", "2", false).await;

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
            path: "a.txt".to_owned(),
        }
    );
    assert!(ReplaceString::render(&output).starts_with("Replaced 1 occurrence in a.txt\n\n---"));
    assert_eq!(scratch.read("a.txt"), "one\n2\nthree\n");
}

#[tokio::test]
async fn replaces_first_occurrence_with_warning() {
    let scratch = Scratch::new().file("a.txt", "\nx\nx\nx\n");

    let outcome = replace(&scratch, "x", "y", false).await;

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
async fn replace_all_replaces_every_occurrence() {
    let scratch = Scratch::new().file("a.txt", "x x\nx\n");

    let outcome = replace(&scratch, "x", "y", true).await;

    assert_eq!(outcome.warnings, [""; 0]);
    let output = outcome.output();
    assert_eq!(
        (output.occurrences_replaced, output.lines_changed),
        (3, vec![1, 2])
    );
    assert_eq!(scratch.read("a.txt"), "y y\ny\n");
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
        (b"a\0b\0c\0d\0", "bc", "é\u{20ac}", b"a\0\xE9\0\xAC\x20d\0"),
        (
            b"gr\xC3\xB6\xC3\x9Fe \xE9",
            "e",
            "a",
            b"gr\xC3\xB6\xC3\x9Fa \xE9",
        ),
        (
            b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7",
            "日本",
            "中国",
            b"\x92\x86\x8D\x91\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7",
        ),
    ] {
        let scratch = Scratch::new().file("a.txt", before);

        replace(&scratch, old, new, false).await.output();

        assert_eq!(scratch.bytes("a.txt"), after, "{before:?}");
    }
}

#[tokio::test]
async fn missing_text_suggests_closest_match() {
    let scratch = Scratch::new().file("a.txt", "fn main() {\n    let count = 1;\n}\n");

    let error = replace(&scratch, "let counter = 1;", "x", false)
        .await
        .error();

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
        (
            b"gr\xC3\xB6\xC3\x9Fe \xE9",
            "g",
            "\u{e9}",
            "not_text",
            "path",
        ),
        (b"", "b", "x", "text_not_found", "old_string"),
    ] {
        let scratch = Scratch::new().file("a.txt", content);

        let refusal = replace(&scratch, old, new, false).await.refusal();

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

        let refusal = call(ReplaceString::new(open(&scratch)), input)
            .await
            .refusal();

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

    let error = replace(&scratch, "a", "b", false).await.error();

    assert_eq!(error.code(), &ErrorCode::FileTooLarge);
}

#[cfg(unix)]
#[tokio::test]
async fn edits_symlink_target() {
    let scratch = Scratch::new()
        .file("real.txt", "old")
        .link("a.txt", "real.txt");

    replace(&scratch, "old", "new", false).await.output();

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
    let tool = ReplaceString::new(open(&scratch));
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

        let error = replace(&scratch, old, new, false).await.error();

        assert_eq!(
            (error.code(), error.parameter()),
            (&ErrorCode::InvalidArguments, Some("new_string"))
        );
        assert_eq!(scratch.read("a.txt"), content);
    }
}

#[tokio::test]
async fn diff_of_many_changes_is_truncated() {
    let scratch = Scratch::new().file("a.txt", "a\n".repeat(1_000_000));

    let output = replace(&scratch, "a", "b", true).await.output();

    assert_eq!(output.occurrences_replaced, 1_000_000);
    assert!(output.diff.contains("\n+b\n"));
    assert!(output.diff.ends_with("[… 991808 more replacements]"));
    assert_eq!(scratch.read("a.txt"), "b\n".repeat(1_000_000));
}

#[tokio::test]
async fn preview_equals_diff_of_edit() {
    let text = "one\ntwo\nthree\ntwo\n";
    let scratch = Scratch::new().file("a.txt", text);
    for all in [false, true] {
        let input =
            json!({"path": "a.txt", "old_string": "two", "new_string": "2", "replace_all": all});
        let tool = ReplaceString::new(open(&scratch));

        let input = serde_json::from_value(input).unwrap();
        let preview = tool.inspect(&ToolContext::test(), &input).await.unwrap();

        assert_eq!(scratch.read("a.txt"), text);
        let output = replace(&scratch, "two", "2", all).await.output();
        assert_eq!(preview, Some(Preview::diff(output.diff)));
        let back = replace(&scratch, "2", "two", true).await.output();
        assert_eq!(back.occurrences_replaced, if all { 2 } else { 1 });
    }
}

#[tokio::test]
async fn look_at_failing_edit_has_error_of_run() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    for path in ["a.txt", "b.txt", "../a.txt"] {
        let input = json!({"path": path, "old_string": "x", "new_string": "y"});
        let input: ReplaceStringInput = serde_json::from_value(input).unwrap();
        let tool = ReplaceString::new(open(&scratch));
        let cx = ToolContext::test();

        let looked = tool.inspect(&cx, &input).await.unwrap_err();

        let ran = tool.run(&cx, input).await.unwrap_err();
        assert_eq!(looked.report(), ran.report(), "{path}");
    }
}
