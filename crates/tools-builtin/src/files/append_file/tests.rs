use serde_json::json;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

async fn append(scratch: &Scratch, content: &str) -> Outcome<AppendFileOutput> {
    let tool = AppendFile(open(scratch));
    call(tool, json!({"path": "a.txt", "content": content})).await
}

#[tokio::test]
async fn appends_text() {
    let scratch = Scratch::new().file("a.txt", "one\n");

    let outcome = append(&scratch, "two\n").await;

    assert_eq!(scratch.read("a.txt"), "one\ntwo\n");
    assert_eq!(outcome.affected, ["a.txt"]);
    assert_eq!(outcome.warnings, [""; 0]);
    let output = outcome.output();
    assert_eq!(
        output,
        AppendFileOutput {
            path: "a.txt".to_owned(),
            bytes_written: 4,
            size: 8,
        }
    );
    assert_eq!(
        AppendFile::render(&output),
        "Appended 4 bytes to a.txt (8 bytes)"
    );
}

#[tokio::test]
async fn keeps_newlines_bom_and_encoding() {
    for (before, content, after) in [
        (&b""[..], "one\r\n", &b"one\r\n"[..]),
        (b"a\r\n", "b\nc\n", b"a\r\nb\r\nc\r\n"),
        (b"a\n", "b\r\n", b"a\nb\n"),
        (b"a\r\nb\n", "c\n", b"a\r\nb\nc\n"),
        (b"\xEF\xBB\xBFa\n", "é", b"\xEF\xBB\xBFa\n\xC3\xA9"),
        (
            b"\xFF\xFEa\0\r\0\n\0",
            "é\n",
            b"\xFF\xFEa\0\r\0\n\0\xE9\0\r\0\n\0",
        ),
        (b"\xFE\xFF\0a\0\n", "b", b"\xFE\xFF\0a\0\n\0b"),
        (b"caf\xE9\n", "thé\n", b"caf\xE9\nth\xE9\n"),
    ] {
        let scratch = Scratch::new().file("a.txt", before);

        let outcome = append(&scratch, content).await;

        assert_eq!(scratch.bytes("a.txt"), after, "{content:?}");
        assert_eq!(outcome.warnings, [""; 0], "{content:?}");
        let added = after.len() - before.len();
        assert_eq!(outcome.output().bytes_written, added, "{content:?}");
    }
}

#[tokio::test]
async fn warns_if_last_line_is_continued() {
    let warning = "The file did not end with a newline, so the new text continues its last line.";
    for (before, content, warnings) in [
        (&b"one"[..], "two", vec![warning]),
        (b"\xFF\xFEo\0", "two", vec![warning]),
        (b"one", "\ntwo", vec![]),
        (b"one", "", vec![]),
        (b"", "two", vec![]),
    ] {
        let scratch = Scratch::new().file("a.txt", before);

        assert_eq!(
            append(&scratch, content).await.warnings,
            warnings,
            "{content:?}"
        );
    }
}

#[tokio::test]
async fn accepts_empty_content() {
    let scratch = Scratch::new().file("a.txt", "one");

    let output = append(&scratch, "").await.output();

    assert_eq!((output.bytes_written, output.size), (0, 3));
    assert_eq!(scratch.read("a.txt"), "one");
}

#[tokio::test]
async fn rejects_missing_file() {
    let scratch = Scratch::new().file("b.txt", "");

    let near = append(&scratch, "two").await.error();
    let input = json!({"path": "nothing/like.it", "content": "x"});
    let far = call(AppendFile(open(&scratch)), input).await.error();

    let advice = "Create the file first; only existing files can be appended to.";
    assert_eq!(
        near.to_string(),
        format!("`path` does not exist. Did you mean `b.txt`? {advice}")
    );
    assert!(far.to_string().ends_with(advice), "{far}");
    assert!(!scratch.has("a.txt"));
}

#[tokio::test]
async fn invalid_path_names_parameter() {
    let scratch = Scratch::new()
        .folder("sub")
        .file("sub/a.txt", "")
        .file("bin", b"a\0b");
    for (path, code) in [
        ("sub", "not_a_file"),
        ("sub/", "not_a_file"),
        (".", "not_a_file"),
        ("", "invalid_arguments"),
        ("../a.txt", "path_outside_workspace"),
        ("/etc/passwd", "path_outside_workspace"),
        (r"C:\a.txt", "path_outside_workspace"),
        (r"\\host\a.txt", "path_outside_workspace"),
        ("sub/a.txt/b", "not_a_directory"),
        ("bin", "not_text"),
    ] {
        let input = json!({"path": path, "content": "x"});
        let refusal = call(AppendFile(open(&scratch)), input).await.refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some("path".to_owned())),
            "{path}"
        );
    }
    assert_eq!(scratch.bytes("bin"), b"a\0b");
}

#[tokio::test]
async fn rejects_unencodable_text() {
    let scratch = Scratch::new().file("a.txt", b"caf\xE9\n");

    let refusal = append(&scratch, "日本\n").await.refusal();

    assert_eq!(refusal, ("not_text".to_owned(), Some("content".to_owned())));
    assert_eq!(scratch.bytes("a.txt"), b"caf\xE9\n");
}

#[tokio::test]
async fn rejects_too_large_content() {
    let scratch = Scratch::new().file("a.txt", "");
    let content = "x".repeat(10 * 1024 * 1024 + 1);
    let tool = AppendFile(open(&scratch));
    let input = serde_json::from_value(json!({"path": "a.txt", "content": content})).unwrap();

    let planned = tool.plan(&ToolContext::test(), &input).unwrap_err();
    let error = append(&scratch, &content).await.error();

    assert_eq!(planned.code(), &ErrorCode::FileTooLarge);
    assert_eq!(
        (error.code(), error.parameter()),
        (&ErrorCode::FileTooLarge, Some("content"))
    );
    let scratch = Scratch::new().file("a.txt", vec![b'x'; MAX_BYTES]);
    let error = append(&scratch, "x").await.error();
    assert_eq!(error.code(), &ErrorCode::FileTooLarge);
    assert_eq!(scratch.bytes("a.txt").len(), MAX_BYTES);
}

#[cfg(unix)]
#[tokio::test]
async fn follows_symlinks_only_inside_workspace() {
    let outside = Scratch::new().file("secret.txt", "secret");
    let target = outside.path().join("secret.txt");
    let scratch = Scratch::new()
        .file("b.txt", "one\n")
        .link("a.txt", "b.txt")
        .link("out.txt", target);

    append(&scratch, "two\n").await.output();
    let input = json!({"path": "out.txt", "content": "x"});
    let refusal = call(AppendFile(open(&scratch)), input).await.refusal();

    assert_eq!(scratch.read("b.txt"), "one\ntwo\n");
    assert_eq!(refusal.0, "path_outside_workspace");
    assert_eq!(outside.read("secret.txt"), "secret");
}

#[tokio::test]
async fn concurrent_appends_lose_nothing() {
    let scratch = Scratch::new().file("a.txt", "");
    let tool = AppendFile(open(&scratch));
    let calls: Vec<_> = (0..20)
        .map(|number| {
            let input = json!({"path": "a.txt", "content": format!("line {number:02}\n")});
            tokio::spawn(call(tool.clone(), input))
        })
        .collect();
    for call in calls {
        call.await.unwrap().output();
    }

    let text = scratch.read("a.txt");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 20);
    assert_eq!((lines[0], lines[19]), ("line 00", "line 19"));
}

#[test]
fn spellings_of_one_file_touch_the_same() {
    let scratch = Scratch::new().file("a.txt", "");
    let tool = AppendFile(open(&scratch));
    let touches = |path: &str| {
        let input = serde_json::from_value(json!({"path": path, "content": ""}));
        let plan = tool.plan(&ToolContext::test(), &input.unwrap());
        plan.unwrap().touches
    };

    assert_eq!(touches("a.txt").files_written(), ["a.txt"]);
    assert_eq!(touches("a.txt"), touches("./sub/../a.txt"));
}

#[tokio::test]
async fn preview_shows_appended_text() {
    let added = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n";
    for (before, expected) in [("one\n", Some(Preview::diff(added))), ("a\0b", None)] {
        let scratch = Scratch::new().file("a.txt", before);
        let tool = AppendFile(open(&scratch));
        let input = serde_json::from_value(json!({"path": "a.txt", "content": "two\n"})).unwrap();

        let preview = tool.inspect(&ToolContext::test(), &input).await;

        assert_eq!(preview.unwrap(), expected);
        assert_eq!(scratch.bytes("a.txt").len(), before.len());
    }
}
