use serde_json::{Value, json};
use tool_test::Scratch;

use super::*;
use crate::files::reading::CHANGED;
use crate::files::scenario::{Outcome, call, open};
use crate::files::seen::Comparison;

async fn read(scratch: &Scratch, input: Value) -> Outcome<ReadFileOutput> {
    call(ReadText::new(open(scratch), SeenFiles::default()), input).await
}

fn numbered(lines: usize) -> String {
    let lines: Vec<String> = (1..=lines).map(|line| format!("line {line}\n")).collect();
    lines.concat()
}

#[tokio::test]
async fn returns_lines_from_the_start_or_the_end() {
    let scratch = Scratch::new().file("a.txt", numbered(10));
    for (part, expected) in [
        (json!({}), numbered(10)),
        (json!({"start_line": 9}), "line 9\nline 10\n".to_owned()),
        (
            json!({"start_line": 2, "limit": 2}),
            "line 2\nline 3\n".to_owned(),
        ),
        (json!({"start_line": -1}), "line 10\n".to_owned()),
        (
            json!({"start_line": -3, "limit": 2}),
            "line 8\nline 9\n".to_owned(),
        ),
        (
            json!({"start_line": -99, "limit": 1}),
            "line 1\n".to_owned(),
        ),
        (json!({"start_line": 0, "limit": 1}), "line 1\n".to_owned()),
    ] {
        let mut input = part.clone();
        input["path"] = json!("a.txt");

        let outcome = read(&scratch, input).await;

        assert!(outcome.affected.is_empty(), "{part}");
        assert_eq!(outcome.output().content, expected, "{part}");
    }
}

#[tokio::test]
async fn long_file_says_where_to_continue() {
    let scratch = Scratch::new().file("a.txt", numbered(3000));

    let lines = read(&scratch, json!({"path": "a.txt"})).await;
    let wide = Scratch::new().file("a.txt", format!("{}\n", "x".repeat(999)).repeat(100));
    let bytes = read(&wide, json!({"path": "a.txt"})).await;

    assert_eq!(
        lines.warnings,
        ["The file is longer than one call may return. Continue with `start_line` 2001."]
    );
    assert_eq!(lines.output().lines_returned, 2000);
    assert_eq!(
        bytes.warnings,
        ["The file is longer than one call may return. Continue with `start_line` 52."]
    );
    assert!(bytes.output().content.len() <= MAX_BYTES);
}

#[tokio::test]
async fn long_lines_are_cut_with_a_note() {
    let scratch = Scratch::new().file("a.txt", format!("short\n{}\r\nend", "é".repeat(2005)));

    let outcome = read(&scratch, json!({"path": "a.txt"})).await;

    assert_eq!(outcome.warnings, ["Lines over 2000 characters are cut."]);
    let output = outcome.output();
    assert!(output.truncated);
    assert_eq!(
        output.content,
        format!("short\n{}[… 5 more characters]\r\nend", "é".repeat(2000))
    );
}

#[tokio::test]
async fn line_past_the_end_names_the_number_of_lines() {
    let scratch = Scratch::new().file("a.txt", "one\ntwo\n");

    let error = read(&scratch, json!({"path": "a.txt", "start_line": 3}))
        .await
        .error();

    assert_eq!(
        error.to_string(),
        "`start_line` is past the end: the file has 2 lines. Use a `start_line` from 1 to 2."
    );
}

#[tokio::test]
async fn whole_file_is_seen_even_if_a_part_is_returned() {
    let scratch = Scratch::new().file("src/a.txt", numbered(10));
    let (workspace, seen) = (open(&scratch), SeenFiles::default());
    let tool = ReadText::new(workspace.clone(), seen.clone());

    call(tool, json!({"path": "./src/a.txt", "limit": 1}))
        .await
        .output();

    let compared = seen.compare(&workspace.key_of("src/a.txt"), &scratch.bytes("src/a.txt"));
    assert_eq!(compared, Comparison::Unchanged);
}

#[test]
fn file_that_changes_during_the_read_is_shown_with_a_warning() {
    for lines in [3, 1_000_000] {
        let scratch = Scratch::new().file("a.txt", numbered(lines));
        let (workspace, seen) = (open(&scratch), SeenFiles::default());
        let tool = ReadText::new(workspace.clone(), seen.clone());
        let input = json!({"path": "a.txt", "start_line": 2, "limit": 1});
        let part = Part {
            cx: &ToolContext::test(),
            input: &serde_json::from_value(input).unwrap(),
        };
        let mut file = workspace.existing_file("path", "a.txt").unwrap();
        let scratch = scratch.file("a.txt", numbered(lines + 1));

        let output = tool.of_open(&part, &mut file).unwrap();

        let mut said = tool_core::ToolOutput::default();
        part.cx.move_additions_to(&mut said);
        assert_eq!(said.warnings.last().unwrap(), CHANGED, "{lines}");
        assert_eq!(output.content, "line 2\n");
        // Until it's read again, a write of this file is a conflict.
        let scratch = scratch.file("a.txt", "another");
        let compared = seen.compare(&workspace.key_of("a.txt"), &scratch.bytes("a.txt"));
        assert_eq!(compared == Comparison::NeverSeen, lines > 3);
    }
}

#[tokio::test]
async fn huge_file_is_read_in_part_and_not_remembered() {
    let lines = 1_500_000;
    let scratch = Scratch::new().file("a.txt", numbered(lines));
    let (workspace, seen) = (open(&scratch), SeenFiles::default());
    let tool = ReadText::new(workspace, seen.clone());

    let output = call(tool, json!({"path": "a.txt", "start_line": -2}))
        .await
        .output();

    assert_eq!(
        output.content,
        format!("line {}\nline {lines}\n", lines - 1)
    );
    assert_eq!(seen.compare("a.txt", b""), Comparison::NeverSeen);
}

#[tokio::test]
async fn other_encodings_are_decoded() {
    let utf16: Vec<u8> = "\u{feff}é\nb\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (content, expected, warnings) in [
        (b"\xEF\xBB\xBFa\n".to_vec(), "a\n", 0),
        (utf16, "é\nb\n", 0),
        (b"caf\xE9 au lait\n".to_vec(), "café au lait\n", 2),
    ] {
        let scratch = Scratch::new().file("a.txt", &content);

        let outcome = read(&scratch, json!({"path": "a.txt"})).await;

        assert_eq!(outcome.warnings.len(), warnings, "{content:?}");
        assert_eq!(outcome.output().content, expected);
    }
}

#[tokio::test]
async fn named_encoding_replaces_the_guess() {
    let scratch = Scratch::new()
        .file("a.txt", b"\x83\x65\x83\x58\x83\x67\n")
        .file("utf16", b"a\0b\0")
        .file("a.ipynb", "{\"cells\": []}");
    for (path, encoding, expected) in [
        ("a.txt", "shift_jis", "テスト\n"),
        ("a.txt", " Windows-1251 ", "ѓeѓXѓg\n"),
        ("a.txt", "utf-8", "\u{fffd}e\u{fffd}X\u{fffd}g\n"),
        ("utf16", "utf-16le", "ab"),
        ("a.ipynb", "utf-8", "{\"cells\": []}"),
    ] {
        let input = json!({"path": path, "encoding": encoding});

        let outcome = read(&scratch, input).await;

        let damaged = usize::from(expected.contains('\u{fffd}'));
        assert_eq!(outcome.warnings.len(), damaged, "{encoding}");
        assert_eq!(outcome.output().content, expected, "{encoding}");
    }
    let unknown = read(&scratch, json!({"path": "a.txt", "encoding": "klingon"})).await;
    let refusal = ("invalid_arguments".to_owned(), Some("encoding".to_owned()));
    assert_eq!(unknown.refusal(), refusal);
}

#[tokio::test]
async fn notebook_is_read_by_cells_and_broken_one_as_text() {
    let notebook = r#"{"cells": [{"cell_type": "code", "source": "1 + 1"}]}"#;
    let scratch = Scratch::new()
        .file("a.ipynb", notebook)
        .file("broken.ipynb", "{\"cells\": [");

    let cells = read(&scratch, json!({"path": "a.ipynb"})).await;
    let second = read(&scratch, json!({"path": "a.ipynb", "start_line": 2})).await;
    let broken = read(&scratch, json!({"path": "broken.ipynb"})).await;

    assert_eq!(cells.warnings, [CELLS]);
    let cells = cells.output();
    assert_eq!(cells.content, "[cell 1: code]\n1 + 1\n");
    assert_eq!(cells.size, notebook.len() as u64);
    assert_eq!(second.output().content, "1 + 1\n");
    assert_eq!(broken.warnings, [NOT_A_NOTEBOOK]);
    assert_eq!(broken.output().content, "{\"cells\": [");
}

#[tokio::test]
async fn stored_output_is_read_by_its_handle() {
    let store = Arc::new(tool_core::output_store::MemoryStore::default());
    let long = numbered(300_000);
    let handle = store.put(long.into()).await.unwrap();
    let scratch = Scratch::new();
    let mut tool = ReadText::new(open(&scratch), SeenFiles::default());
    tool.read_outputs(store);
    let path = handle.as_str();

    let last = call(tool.clone(), json!({"path": path, "start_line": -1})).await;
    let gone = json!({"path": "out_00112233445566778899aabbccddeeff"});
    let gone = call(tool, gone).await;
    let unknown = read(&scratch, json!({"path": path})).await;

    assert_eq!(last.output().content, "line 300000\n");
    let refusal = |code: &str| (code.to_owned(), Some("path".to_owned()));
    assert_eq!(gone.refusal(), refusal("invalid_arguments"));
    assert_eq!(unknown.refusal(), refusal("file_not_found"));
}

#[tokio::test]
async fn files_without_text_are_errors_of_any_size() {
    let pdf = [&b"%PDF-1.7\n"[..], &b"(text) Tj\n".repeat(2_000_000)].concat();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08";
    let png = [&png[..], &vec![0; 11 * 1024 * 1024]].concat();
    let scratch = Scratch::new()
        .file("a.txt", "%PDF-1.4\nplain")
        .file("large", pdf)
        .file("large.png", png)
        .file("false.png", "no picture\n");
    for (path, code) in [
        ("a.txt", "not_text"),
        ("large", "not_text"),
        ("large.png", "file_too_large"),
    ] {
        let (found, _) = read(&scratch, json!({"path": path})).await.refusal();

        assert_eq!(found, code, "{path}");
    }
    let text = read(&scratch, json!({"path": "false.png"})).await.output();
    assert_eq!(text.content, "no picture\n");
}

#[tokio::test]
async fn one_line_of_many_megabytes_and_sparse_files_are_bounded() {
    let scratch = Scratch::new().file("line", "x".repeat(20 * 1024 * 1024));
    let sparse = std::fs::File::create(scratch.path().join("sparse")).unwrap();
    sparse.set_len(5 * 1024 * 1024 * 1024).unwrap();

    let line = read(&scratch, json!({"path": "line", "start_line": -1})).await;
    let sparse = read(&scratch, json!({"path": "sparse", "start_line": -1})).await;

    let line = line.output();
    assert!(
        line.content.len() < 3000 && line.truncated,
        "{}",
        line.content.len()
    );
    let sparse = sparse.output();
    assert_eq!(sparse.encoding, Encoding::Binary);
    assert!(sparse.content.len() < 10_000 && sparse.truncated);
}

#[tokio::test]
async fn picture_is_attached_whatever_its_name() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0";
    let huge = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\x86\xa0\0\0\x01\xe0\x08";
    let scratch = Scratch::new().file("a.txt", png).file("huge.png", huge);
    let tool = ReadText::new(open(&scratch), SeenFiles::default());
    let cx = ToolContext::test();
    let input = serde_json::from_value(json!({"path": "a.txt"})).unwrap();

    let output = tool.run(&cx, input).await.unwrap();
    let error = read(&scratch, json!({"path": "huge.png"})).await.error();

    let mut additions = tool_core::ToolOutput::default();
    cx.move_additions_to(&mut additions);
    assert_eq!(output.content, "Picture (image/png), 640 × 480 pixels");
    let data = BASE64_STANDARD.encode(png);
    let media_type = "image/png".to_owned();
    assert_eq!(
        additions.content,
        [ContentBlock::Image { media_type, data }]
    );
    assert!(error.to_string().contains("100000 × 480 pixels"), "{error}");
}

#[tokio::test]
async fn empty_and_binary_files_are_named() {
    let scratch = Scratch::new()
        .file("empty", "")
        .file("binary", b"\0\x01\x02");

    let empty = read(&scratch, json!({"path": "empty"})).await;
    let binary = read(&scratch, json!({"path": "binary"})).await;

    assert_eq!(empty.warnings, ["The file is empty."]);
    assert_eq!(
        binary.warnings,
        ["File appears to be binary, displaying first 1KB as hex"]
    );
    assert!(binary.output().content.contains("00 01 02"));
}

#[tokio::test]
async fn paths_that_are_no_files_are_errors() {
    let scratch = Scratch::new().folder("folder").file("src/main.rs", "x");
    for (path, expected) in [
        ("missing", "file_not_found"),
        ("folder", "not_a_file"),
        ("../out", "path_outside_workspace"),
        ("", "invalid_arguments"),
    ] {
        let (code, parameter) = read(&scratch, json!({"path": path})).await.refusal();

        assert_eq!(
            (code.as_str(), parameter.as_deref()),
            (expected, Some("path")),
            "{path}"
        );
    }
    let error = read(&scratch, json!({"path": "main.rs"})).await.error();
    assert!(error.to_string().contains("src/main.rs"), "{error}");
}
