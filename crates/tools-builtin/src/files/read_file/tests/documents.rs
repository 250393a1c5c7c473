//! Documents of Word and others.

use super::*;

#[cfg(not(feature = "docx"))]
#[tokio::test]
async fn without_support_a_document_is_shown_as_bytes_and_named() {
    let outcome = read(b"PK\x03\x04\x14\0\0\0word/document.xml", json!({})).await;

    assert_eq!(
        outcome.warnings,
        [
            "File appears to be binary, displaying first 1KB as hex",
            "The file is a Word document (.docx); its text is not read, because support for documents is not compiled in.",
        ]
    );
    assert_eq!(outcome.output().encoding, Encoding::Binary);
}

#[cfg(feature = "docx")]
mod with_support {
    use super::*;
    use crate::documents::testing::{Made, compound};

    fn lines(count: usize) -> Vec<u8> {
        let body: Vec<String> = (1..=count)
            .map(|line| format!("<w:p><w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr><w:r><w:t>line {line}</w:t></w:r></w:p>"))
            .collect();
        Made::docx(&body.concat()).bytes()
    }

    #[tokio::test]
    async fn a_document_is_read_as_its_text_whatever_its_name() {
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

    #[tokio::test]
    async fn ranges_and_limits_are_those_of_the_text() {
        let range = read(&lines(3), json!({"start_line": 3, "end_line": 3}))
            .await
            .output();
        let past = read(&lines(3), json!({"start_line": 9})).await.error();
        let short = read(&lines(3), json!({"max_chars": 6})).await;
        let few = read(&lines(3), json!({"max_lines": 2})).await;

        assert_eq!(
            (range.content.as_str(), range.total_lines),
            ("# line 2", Some(5))
        );
        assert_eq!(
            past.to_string(),
            "`start_line` is past the end: the file has 5 lines. Use a `start_line` from 1 to 5."
        );
        assert_eq!(short.output().content, "# line");
        assert_eq!(
            few.warnings,
            ["The file is longer than one call may return. Go on with `start_line` 3."]
        );
    }

    #[tokio::test]
    async fn an_archive_that_is_no_document_is_shown_as_bytes() {
        let archive = Made::default().part("a.txt", "text").bytes();

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
    async fn what_cannot_be_read_says_what_to_do() {
        let deep = Made::docx(&("<w:sdt>".repeat(300) + &"</w:sdt>".repeat(300))).bytes();
        for (bytes, code, expected) in [
            (
                compound("WordDocument"),
                "not_text",
                "`path` is an old Word document (.doc). Convert it to .docx and read that.",
            ),
            (
                compound("EncryptedPackage"),
                "not_text",
                "`path` is encrypted with a password. Ask for a copy without a password.",
            ),
            (
                deep,
                "file_too_large",
                "`path` has more than 256 elements inside each other. Ask for its text in a smaller file.",
            ),
            (
                lines(1)[..400].to_vec(),
                "not_text",
                "`path` is damaged: its archive cannot be read. Ask for another copy of the file.",
            ),
        ] {
            let error = read(&bytes, json!({})).await.error();

            assert_eq!(error.code().to_string(), code);
            assert_eq!(error.to_string(), expected);
        }
    }

    #[tokio::test]
    async fn a_document_without_text_says_so() {
        let outcome = read(&Made::docx("").bytes(), json!({})).await;

        assert_eq!(outcome.warnings, ["The document has no text."]);
    }

    #[tokio::test]
    async fn where_bytes_are_asked_for_a_document_is_not_taken_apart() {
        let refused = read(&lines(1), json!({"decoding": "utf8_only"})).await;
        let lossy = read(&lines(1), json!({"decoding": "lossy"})).await.output();

        assert_eq!(refused.refusal().0, "not_text");
        assert!(lossy.content.starts_with("PK"));
    }
}
