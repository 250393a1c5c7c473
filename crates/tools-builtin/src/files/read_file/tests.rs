mod documents;
mod encodings;

use serde_json::json;
use tool_core::ErrorCode;
use tool_test::Scratch;

use super::*;
use crate::files::Encoding;
use crate::files::scenario::{Outcome, call, open};

async fn read(content: &[u8], mut input: serde_json::Value) -> Outcome<ReadFileOutput> {
    let scratch = Scratch::new().file("a.txt", content);
    input["path"] = "a.txt".into();
    call(ReadFile::new(open(&scratch)), input).await
}

#[tokio::test]
async fn returns_complete_file_verbatim() {
    let output = read(b"one\r\ntwo\n", json!({})).await.output();

    assert_eq!(
        output,
        ReadFileOutput {
            path: "a.txt".to_owned(),
            content: "one\r\ntwo\n".to_owned(),
            size: 9,
            total_lines: Some(2),
            lines_returned: 2,
            file_size_bytes: 9,
            truncated: false,
            encoding: Encoding::Utf8,
        }
    );
    assert_eq!(ReadFile::render(&output), "one\r\ntwo\n");
}

#[tokio::test]
async fn range_omits_last_newline() {
    for (start, end, expected, returned) in [
        (Some(2), None, "two\nthree\n", 2),
        (None, Some(2), "one\ntwo", 2),
        (Some(2), Some(2), "two", 1),
        (Some(3), Some(99), "three", 1),
        (Some(1), Some(3), "one\ntwo\nthree", 3),
    ] {
        let input = json!({"start_line": start, "end_line": end});
        let output = read(b"one\ntwo\nthree\n", input).await.output();

        assert_eq!(
            (
                output.content.as_str(),
                output.lines_returned,
                output.total_lines
            ),
            (expected, returned, Some(3)),
            "{start:?} {end:?}"
        );
        assert!(!output.truncated);
    }
}

#[tokio::test]
async fn range_past_end_states_line_count() {
    let error = read(b"one\ntwo\n", json!({"start_line": 30, "end_line": 40}))
        .await
        .error();

    assert_eq!(
        error.to_string(),
        "`start_line` is past the end: the file has 2 lines. Use a `start_line` from 1 to 2."
    );
    assert_eq!(error.output().unwrap().metadata["total_lines"], 2);
}

#[tokio::test]
async fn range_of_empty_file_reports_empty_file() {
    let error = read(b"", json!({"start_line": 2})).await.error();

    assert_eq!(
        error.to_string(),
        "`start_line` is past the end: the file has 0 lines. The file is empty."
    );
}

#[tokio::test]
async fn rejects_reversed_range() {
    let outcome = read(b"one\ntwo\n", json!({"start_line": 2, "end_line": 1})).await;

    assert_eq!(
        outcome.refusal(),
        ("invalid_arguments".to_owned(), Some("end_line".to_owned()))
    );
}

#[tokio::test]
async fn empty_file_has_no_lines() {
    let outcome = read(b"", json!({"start_line": 1})).await;

    assert_eq!(outcome.warnings, ["The file is empty."]);
    let output = outcome.output();
    assert_eq!((output.content.as_str(), output.total_lines), ("", Some(0)));
}

#[tokio::test]
async fn truncates_after_ten_thousand_lines() {
    let outcome = read("x\n".repeat(10_001).as_bytes(), json!({})).await;

    assert_eq!(
        outcome.warnings,
        ["The file is longer than one call may return. Continue with `start_line` 10001."]
    );
    let output = outcome.output();
    assert_eq!(
        (output.lines_returned, output.total_lines, output.truncated),
        (10_000, Some(10_001), true)
    );
}

#[tokio::test]
async fn returns_exactly_ten_thousand_lines() {
    let outcome = read("x\n".repeat(10_000).as_bytes(), json!({})).await;

    assert_eq!(outcome.warnings, [""; 0]);
    assert!(!outcome.output().truncated);
}

#[tokio::test]
async fn range_of_large_file_skips_line_count() {
    let large = "0123456789abcde\n".repeat(100_000);

    let range = read(large.as_bytes(), json!({"start_line": 2, "end_line": 3}))
        .await
        .output();
    let end = read(large.as_bytes(), json!({"start_line": 99_999}))
        .await
        .output();

    assert_eq!((range.lines_returned, range.total_lines), (2, None));
    assert_eq!((end.lines_returned, end.total_lines), (2, Some(100_000)));
}

#[tokio::test]
async fn truncates_long_line_at_byte_limit() {
    let outcome = read("ä".repeat(6 * 1024 * 1024).as_bytes(), json!({})).await;

    assert_eq!(
        outcome.warnings,
        ["Line 1 is longer than one call may return; only its beginning is shown."]
    );
    let output = outcome.output();
    assert_eq!(output.content.len(), 10 * 1024 * 1024);
    assert_eq!((output.truncated, output.encoding), (true, Encoding::Utf8));
}

#[tokio::test]
async fn invalid_path_names_parameter() {
    let scratch = Scratch::new().file("src/main.rs", "");
    for (path, code, suggestion) in [
        (
            "src",
            ErrorCode::NotAFile,
            Some("Use the path of a file inside it."),
        ),
        (
            "src/mian.rs",
            ErrorCode::FileNotFound,
            Some("Did you mean `src/main.rs`?"),
        ),
        (
            "main.rs",
            ErrorCode::FileNotFound,
            Some("Did you mean `src/main.rs`?"),
        ),
        (
            "SRC/main.rs",
            ErrorCode::FileNotFound,
            Some("Did you mean `src/main.rs`?"),
        ),
        (
            "zzz.txt",
            ErrorCode::FileNotFound,
            Some("List the directory that should contain it."),
        ),
        (
            "src/main.rs/x",
            ErrorCode::NotADirectory,
            Some("Omit the part after the file name."),
        ),
        (
            "../x",
            ErrorCode::PathOutsideWorkspace,
            Some("Use a path relative to the workspace root."),
        ),
    ] {
        let error = call(ReadFile::new(open(&scratch)), json!({"path": path}))
            .await
            .error();

        assert_eq!(
            (error.code(), error.suggestion()),
            (&code, suggestion),
            "{path}"
        );
        assert_eq!(error.parameter(), Some("path"));
    }
}

#[tokio::test]
async fn counts_empty_lines_at_end_of_range() {
    for (end, content, lines) in [(2, "", 1), (3, "\n", 2)] {
        let input = json!({"start_line": 2, "end_line": end});

        let output = read(b"a\n\n\nb\n", input).await.output();

        assert_eq!(
            (output.content.as_str(), output.lines_returned),
            (content, lines)
        );
    }
}

#[tokio::test]
async fn range_omits_last_crlf() {
    let output = read(b"one\r\ntwo\r\n", json!({"end_line": 1}))
        .await
        .output();

    assert_eq!(output.content, "one");
}

#[tokio::test]
async fn cancelled_call_stops_reading() {
    let scratch = Scratch::new().file("a.txt", "a line\n".repeat(200_000));
    let cancelled = tool_core::CancellationToken::new();
    cancelled.cancel();
    let cx = ToolContext::test().with_cancellation(cancelled);
    let input = serde_json::from_value(json!({"path": "a.txt"})).unwrap();

    let outcome = ReadFile::new(open(&scratch)).run(&cx, input).await;

    assert_eq!(outcome.unwrap_err().code(), &ErrorCode::Cancelled);
}

#[tokio::test]
async fn rejects_file_over_max_file_bytes() {
    let input = |most: u64| json!({"max_file_bytes": most, "start_line": 1, "end_line": 1});

    assert_eq!(read(b"12345", input(5)).await.output().content, "12345");
    assert_eq!(
        read(b"123456", input(5)).await.error().to_string(),
        "`path` has 6 bytes; at most 5 are allowed. Search the file, or choose a smaller one."
    );
}

#[tokio::test]
async fn count_lines_counts_large_files() {
    let text = "line\n".repeat(300_000);
    for (count, total) in [(false, None), (true, Some(300_000))] {
        let input = json!({"start_line": 5, "end_line": 6, "count_lines": count});
        let output = read(text.as_bytes(), input).await.output();

        assert_eq!(
            (output.content.as_str(), output.total_lines),
            ("line\nline", total)
        );
    }
}

#[tokio::test]
async fn rejects_range_past_end_of_large_file() {
    let text = "line\n".repeat(300_000);

    let error = read(text.as_bytes(), json!({"start_line": 300_001}))
        .await
        .error();

    assert_eq!(error.parameter(), Some("start_line"));
    assert_eq!(error.output().unwrap().metadata["total_lines"], 300_000);
}

#[tokio::test]
async fn max_lines_limits_output() {
    let more = read(
        "x\n".repeat(10_001).as_bytes(),
        json!({"max_lines": 20_000}),
    )
    .await
    .output();
    let fewer = read(b"a\nb\nc\n", json!({"max_lines": 2})).await.output();

    assert_eq!((more.lines_returned, more.truncated), (10_001, false));
    assert_eq!((fewer.content.as_str(), fewer.truncated), ("a\nb\n", true));
}

#[tokio::test]
async fn rejects_disallowed_names_of_existing_files() {
    let scratch = Scratch::new()
        .file("a.txt", "text")
        .file("key.pem", "secret");
    for (path, extensions, refused) in [
        ("a.txt", None, None),
        ("a.txt", Some("txt"), None),
        ("a.txt", Some("md"), Some(ErrorCode::InvalidArguments)),
        ("key.pem", Some("txt md"), Some(ErrorCode::InvalidArguments)),
        ("missing.pem", Some("txt"), Some(ErrorCode::FileNotFound)),
        (
            "../key.pem",
            Some("txt"),
            Some(ErrorCode::PathOutsideWorkspace),
        ),
    ] {
        let input = ReadFileInput {
            extensions,
            ..ReadFileInput::of(path.to_owned())
        };
        let tool = ReadFile::new(open(&scratch));

        let result = tool.run(&ToolContext::test(), input).await;

        let code = result.err().map(|error| error.code().clone());
        assert_eq!(code, refused, "{path}");
    }
}

#[test]
fn matches_extension_or_full_name() {
    let allowed = "rs md makefile gitignore";
    for (path, passes) in [
        ("src/main.rs", true),
        ("README.md", true),
        ("A.RS", true),
        ("sub/Makefile", true),
        (".gitignore", true),
        ("rs", true),
        ("main.rs.key", false),
        ("main.rsx", false),
        ("src.rs/key", false),
        ("key", false),
        ("..", false),
        ("", false),
    ] {
        assert_eq!(check_extension(path, allowed).is_ok(), passes, "{path}");
    }
    assert_eq!(
        check_extension("a.pem", "rs md").unwrap_err().to_string(),
        "`path` has the extension `.pem`, which is not allowed. Use a file with one of these extensions or names: rs, md."
    );
}
