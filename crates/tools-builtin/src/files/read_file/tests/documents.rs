//! Word, PowerPoint and Excel documents.

use super::*;

#[cfg(not(feature = "office"))]
#[tokio::test]
async fn names_document_without_support() {
    let outcome = read(b"PK\x03\x04\x14\0\0\0word/document.xml", json!({})).await;

    assert_eq!(
        outcome.warnings,
        [
            "File appears to be binary, displaying first 1KB as hex",
            "The file is a Word document (.docx); support for documents is not compiled in, so only its bytes are shown.",
        ]
    );
    assert_eq!(outcome.output().encoding, Encoding::Binary);
}

#[cfg(feature = "office")]
mod with_support {
    use super::*;
    use tool_core::{CancellationToken, ToolContext, TypedTool};

    use crate::office_documents::{DocumentBuilder, compound, relationships};

    fn lines(count: usize) -> Vec<u8> {
        let body: Vec<String> = (1..=count)
            .map(|line| format!("<w:p><w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr><w:r><w:t>line {line}</w:t></w:r></w:p>"))
            .collect();
        DocumentBuilder::docx(&body.concat()).bytes()
    }

    #[tokio::test]
    async fn reads_document_regardless_of_name() {
        let bytes = lines(2);

        let outcome = read(&bytes, json!({})).await;

        assert_eq!(outcome.warnings, [""; 0]);
        assert_eq!(
            outcome.output(),
            ReadFileOutput {
                path: "a.txt".to_owned(),
                content: "# line 1\n\n# line 2\n".to_owned(),
                size: bytes.len() as u64,
                total_lines: Some(3),
                lines_returned: 3,
                file_size_bytes: bytes.len() as u64,
                truncated: false,
                encoding: Encoding::Docx,
            }
        );
    }

    fn presentation(text: &str) -> Vec<u8> {
        let names = r#"xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;
        let list = format!(
            r#"<p:presentation {names}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>"#
        );
        let slide = format!(
            "<p:sld {names}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        );
        DocumentBuilder::of("presentationml.presentation", "ppt/presentation.xml")
            .part("ppt/presentation.xml", list)
            .part(
                "ppt/_rels/presentation.xml.rels",
                relationships(&[("slide", "slides/s1.xml")]),
            )
            .part("ppt/slides/s1.xml", slide)
            .bytes()
    }

    /// Creates a workbook with one sheet of `rows` rows, each with the same string.
    fn workbook(text: &str, rows: usize) -> Vec<u8> {
        let names = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;
        let book = format!(
            r#"<workbook {names}><sheets><sheet name="S" sheetId="1" r:id="r2"/></sheets></workbook>"#
        );
        let cells: Vec<String> = (1..=rows)
            .map(|row| format!(r#"<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>"#))
            .collect();
        let cells = cells.concat();
        let links = [("sharedStrings", "strings.xml"), ("worksheet", "s1.xml")];
        DocumentBuilder::of("spreadsheetml.sheet", "xl/workbook.xml")
            .part("xl/workbook.xml", book)
            .part("xl/_rels/workbook.xml.rels", relationships(&links))
            .part(
                "xl/strings.xml",
                format!("<sst {names}><si><t>{text}</t></si></sst>"),
            )
            .part(
                "xl/s1.xml",
                format!("<worksheet {names}><sheetData>{cells}</sheetData></worksheet>"),
            )
            .bytes()
    }

    #[tokio::test]
    async fn reads_slides_and_sheets() {
        for (bytes, content, encoding) in [
            (
                presentation("hello"),
                "# Slide 1\n\nhello\n",
                Encoding::Pptx,
            ),
            (
                workbook("hello", 2),
                "# Sheet: S\n\nhello\nhello\n",
                Encoding::Xlsx,
            ),
        ] {
            let output = read(&bytes, json!({})).await.output();

            assert_eq!(
                (output.content.as_str(), output.encoding),
                (content, encoding)
            );
        }
    }

    #[tokio::test]
    async fn warns_about_truncated_document() {
        let bytes = workbook(&"x".repeat(30_000), 600);

        let outcome = read(&bytes, json!({"start_line": 2, "end_line": 2})).await;

        assert_eq!(
            outcome.warnings,
            ["The document is too long; the text after the last line is omitted."]
        );
        assert!(outcome.output().truncated);
    }

    #[tokio::test]
    async fn cancelled_call_stops_reading_document() {
        let scratch = Scratch::new().file("a.docx", lines(2));
        let token = CancellationToken::new();
        token.cancel();
        let cx = ToolContext::test().with_cancellation(token);
        let input = serde_json::from_value(json!({"path": "a.docx"})).unwrap();

        let outcome = ReadFile::new(open(&scratch)).run(&cx, input).await;

        assert_eq!(outcome.unwrap_err().code(), &ErrorCode::Cancelled);
    }

    #[tokio::test]
    async fn ranges_and_limits_apply_to_text() {
        let range = read(&lines(3), json!({"start_line": 3, "end_line": 3}))
            .await
            .output();
        let past = read(&lines(3), json!({"start_line": 9})).await.error();
        let few = read(&lines(3), json!({"max_lines": 2})).await;

        assert_eq!(
            (range.content.as_str(), range.total_lines),
            ("# line 2", Some(5))
        );
        assert_eq!(
            past.to_string(),
            "`start_line` is past the end: the file has 5 lines. Use a `start_line` from 1 to 5."
        );
        assert_eq!(
            few.warnings,
            ["The file is longer than one call may return. Continue with `start_line` 3."]
        );
    }

    #[tokio::test]
    async fn shows_other_archives_as_bytes() {
        let archive = DocumentBuilder::default().part("a.txt", "text").bytes();

        let outcome = read(&archive, json!({})).await;

        assert_eq!(
            outcome.warnings,
            ["File appears to be binary, displaying first 1KB as hex"]
        );
        let output = outcome.output();
        assert_eq!(output.encoding, Encoding::Binary);
        assert!(
            output.content.starts_with("00000000  50 4b 03 04"),
            "{}",
            output.content
        );
    }

    #[tokio::test]
    async fn unreadable_documents_have_suggestions() {
        let deep =
            DocumentBuilder::docx(&("<w:sdt>".repeat(300) + &"</w:sdt>".repeat(300))).bytes();
        let binary = DocumentBuilder::of("", "xl/workbook.bin");
        for (bytes, code, expected) in [
            (
                binary.bytes(),
                "not_text",
                "`path` cannot be read: a binary Excel workbook (.xlsb) is not supported. Save it as .docx, .pptx or .xlsx and read the result.",
            ),
            (
                compound("WordDocument"),
                "not_text",
                "`path` cannot be read: the file is in a Word, PowerPoint or Excel format from before 2007 (.doc, .ppt or .xls). Save it as .docx, .pptx or .xlsx and read the result.",
            ),
            (
                compound("EncryptedPackage"),
                "not_text",
                "`path` cannot be read: the document is encrypted with a password. Ask for a copy without a password.",
            ),
            (
                deep,
                "file_too_large",
                "`path` cannot be read: the document has more than 256 nested elements. Ask for a smaller file with the same content.",
            ),
            (
                lines(1)[..400].to_vec(),
                "not_text",
                "`path` cannot be read: the document is damaged (the archive has an invalid structure). Ask for another copy of the file.",
            ),
        ] {
            let error = read(&bytes, json!({})).await.error();

            assert_eq!(error.code().to_string(), code);
            assert_eq!(error.to_string(), expected);
        }
    }

    #[tokio::test]
    async fn warns_about_document_without_text() {
        let outcome = read(&DocumentBuilder::docx("").bytes(), json!({})).await;

        assert_eq!(outcome.warnings, ["The document has no text."]);
    }

    #[tokio::test]
    async fn other_decodings_read_bytes_of_documents() {
        let refused = read(&lines(1), json!({"decoding": "utf8_only"})).await;
        let lossy = read(&lines(1), json!({"decoding": "lossy"})).await.output();

        assert_eq!(refused.refusal().0, "not_text");
        assert!(lossy.content.starts_with("PK"));
    }
}
