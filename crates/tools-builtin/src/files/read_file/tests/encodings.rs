use serde_json::json;
use tool_test::Scratch;

use super::*;

fn windows_1252() -> Encoding {
    Encoding::Legacy(encoding_rs::WINDOWS_1252)
}

#[tokio::test]
async fn detects_encodings() {
    for (bytes, content, encoding, warnings) in [
        (&b"\xEF\xBB\xBFhi\n"[..], "hi\n", Encoding::Utf8, 0),
        (b"\xFF\xFEh\0i\0\n\0", "hi\n", Encoding::Utf16Le, 0),
        (b"\xFE\xFF\0h\0i\0\n", "hi\n", Encoding::Utf16Be, 0),
        (b"caf\xE9\n", "café\n", windows_1252(), 1),
        (
            b"gr\xC3\xB6\xC3\x9Fe \xE9\n",
            "größe \u{fffd}\n",
            Encoding::Unknown,
            1,
        ),
    ] {
        let outcome = read(bytes, json!({})).await;

        assert_eq!(outcome.warnings.len(), warnings, "{bytes:?}");
        let output = outcome.output();
        assert_eq!(
            (output.content.as_str(), output.encoding),
            (content, encoding)
        );
        assert_eq!(output.total_lines, Some(1));
    }
}

#[tokio::test]
async fn shows_first_kilobyte_of_binary_file_as_hex() {
    let outcome = read(&[0; 5000], json!({})).await;

    assert_eq!(
        outcome.warnings,
        ["File appears to be binary, displaying first 1KB as hex"]
    );
    let output = outcome.output();
    assert_eq!(
        (output.lines_returned, output.truncated, output.encoding),
        (64, true, Encoding::Binary)
    );
    assert!(output.content.starts_with("00000000  00 00"));
}

#[tokio::test]
async fn complete_range_of_large_utf16_is_not_truncated() {
    let line: Vec<u8> = "x"
        .repeat(500)
        .encode_utf16()
        .chain([10])
        .flat_map(u16::to_le_bytes)
        .collect();
    let content = [&[0xFF, 0xFE][..], &line.repeat(21 * 1024)].concat();

    for (input, total) in [
        (json!({"end_line": 2}), None),
        (json!({"start_line": 20_000}), Some(21 * 1024)),
    ] {
        let output = read(&content, input).await.output();

        assert_eq!((output.truncated, output.total_lines), (false, total));
    }
}

#[tokio::test]
async fn warns_about_legacy_encoding() {
    let outcome = read(b"caf\xE9\n", json!({})).await;

    assert_eq!(
        outcome.warnings,
        ["The file is not UTF-8; it was read as windows-1252."]
    );
    let data = serde_json::to_value(outcome.output()).unwrap();
    assert_eq!(data["encoding"], "windows-1252");
}

#[tokio::test]
async fn applies_requested_decoding() {
    let (utf_16, old, binary) = (&b"\xFF\xFEh\0i\0"[..], &b"caf\xE9"[..], &b"a\0b"[..]);
    for (content, decoding, expected) in [
        (&b"hi"[..], "utf8_only", Some(("hi", "utf-8"))),
        (b"\xEF\xBB\xBFhi", "utf8_only", Some(("hi", "utf-8"))),
        (old, "utf8_only", None),
        (binary, "utf8_only", None),
        (utf_16, "utf8_only", None),
        (b"hi", "lossy", Some(("hi", "utf-8"))),
        (old, "lossy", Some(("caf\u{fffd}", "unknown"))),
        (binary, "lossy", Some(("a\0b", "utf-8"))),
        (utf_16, "lossy", Some(("hi", "utf-16le"))),
    ] {
        let outcome = read(content, json!({"decoding": decoding})).await;

        match (outcome.result, expected) {
            (Ok(output), Some((text, label))) => assert_eq!(
                (
                    output.content.as_str(),
                    output.encoding.to_string().as_str()
                ),
                (text, label)
            ),
            (Err(error), None) => assert_eq!(
                error.to_string(),
                "`path` is not UTF-8 text. Choose a text file, or convert it first."
            ),
            (result, _) => panic!("{content:?} {decoding}: {result:?}"),
        }
    }
}

#[tokio::test]
async fn decoded_text_respects_limits() {
    let scratch = Scratch::new().file("a.txt", b"\xE9\xE8 t\xE9 ".repeat(1000));
    let input = ReadFileInput {
        max_bytes: 3001,
        ..ReadFileInput::of("a.txt".to_owned())
    };
    let tool = ReadFile::new(open(&scratch));

    let output = tool.run(&ToolContext::test(), input).await.unwrap();

    assert!(output.content.len() <= 3001, "{}", output.content.len());
    assert_eq!((output.truncated, output.encoding), (true, windows_1252()));
}

#[tokio::test]
async fn utf16_range_reads_no_further() {
    let lines: Vec<String> = (1..=700_000).map(|line| format!("{line}\n")).collect();
    let text = lines.concat();
    let bytes: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();

    let output = read(&bytes, json!({"start_line": 99_999, "end_line": 100_000}))
        .await
        .output();

    assert_eq!(
        (output.content.as_str(), output.total_lines),
        ("99999\n100000", None)
    );
    assert_eq!(output.encoding, Encoding::Utf16Le);
}
