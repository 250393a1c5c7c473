#![cfg(target_os = "linux")]

use serde_json::{Value, json};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};
use crate::files::{ReadText, seen::SeenFiles};

const PAGES: &str = r#"printf '{"Pages":9}{"Page":{"number":1,"text":"one","is_partial":false}}';"#;

/// Reads a document with a script as the program.
async fn read(script: &str, mut arguments: Value) -> Outcome<ReadFileOutput> {
    let scratch = Scratch::new().file("a.pdf", "%PDF-1.7 text");
    let program = PdfProgram {
        max_time: Duration::from_secs(1),
        ..PdfProgram::new(
            "/bin/sh".into(),
            vec!["-c".into(), script.into(), "sh".into()],
        )
    };
    let mut tool = ReadText::new(open(&scratch), SeenFiles::default());
    tool.read_pdf(program);
    arguments["path"] = json!("a.pdf");
    call(tool, arguments).await
}

#[tokio::test]
async fn program_receives_document_and_pages() {
    let script = r#"printf '{"Pages":9}{"Page":{"number":%s,"text":"%s of %s","is_partial":true}}{"End":null}' 4 "$(head -c 5)" "$*""#;

    let outcome = read(script, json!({"start_line": -6, "limit": 1})).await;

    assert_eq!(
        outcome.warnings,
        ["The document has 9 pages. Continue with `start_line` 5."]
    );
    let output = outcome.output();
    assert_eq!(
        output.content,
        "[page 4 of 9: parts are unreadable]\n%PDF- of -6 1\n"
    );
    assert_eq!((output.encoding, output.truncated), (Encoding::Pdf, true));
}

#[tokio::test]
async fn pages_before_an_unnatural_end_are_kept() {
    for end in ["kill -9 $$", "exit 101", "exec sleep 60", "exec yes"] {
        let outcome = read(&format!("{PAGES} {end}"), json!({})).await;

        assert_eq!(
            outcome.warnings,
            [
                "Page 2 is unreadable: reading it took too much time or memory. Try the pages after it with `start_line` 3."
            ],
            "{end}"
        );
        assert_eq!(outcome.output().content, "[page 1 of 9]\none\n", "{end}");
    }
}

#[tokio::test]
async fn pages_without_text_are_said_to_be_pictures() {
    let page = |number: usize, is_partial: bool| {
        json!({"Page": {"number": number, "text": "", "is_partial": is_partial}}).to_string()
    };
    let pages = page(1, false) + &page(2, true);

    let outcome = read(
        &format!("printf '{{\"Pages\":2}}{pages}{{\"End\":null}}'"),
        json!({}),
    )
    .await;

    assert!(
        outcome.warnings[0].contains("probably pictures"),
        "{:?}",
        outcome.warnings
    );
    let content = outcome.output().content;
    assert_eq!(
        content,
        "[page 1 of 2: no text]\n[page 2 of 2: no readable text]\n"
    );
}

#[tokio::test]
async fn failures_say_what_to_do() {
    for (script, expected) in [
        (
            "kill -6 $$",
            "`path` is an unreadable PDF document: reading it took too much time or memory. Ask for another copy of the file, or read another page with `start_line`.",
        ),
        ("exit 101", "`path` is an unreadable PDF document"),
        (
            r#"printf '{"Pages":3}{"Pa'"#,
            "`path` is an unreadable PDF document",
        ),
        (
            r#"printf '{"End":"Encrypted"}'"#,
            "`path` is a PDF document with a password. Ask for a copy without a password.",
        ),
        (
            r#"printf '{"End":"Damaged"}'"#,
            "`path` is a damaged PDF document without a readable page.",
        ),
        (
            r#"printf '{"Pages":0}{"End":null}'"#,
            "`path` is a damaged PDF document without a readable page.",
        ),
        (
            r#"printf '{"End":"Unconfined"}'"#,
            "can't confine the program",
        ),
        (
            r#"printf '{"Pages":3}{"End":null}'"#,
            "`start_line` is past the end: the document has 3 pages. Use a `start_line` from 1 to 3.",
        ),
    ] {
        let error = read(script, json!({"start_line": 7})).await.error();

        assert!(error.to_string().contains(expected), "{script}: {error}");
    }
}

#[tokio::test]
async fn missing_program_and_large_document_are_errors() {
    let scratch = Scratch::new().file("a.pdf", "%PDF-1.7");
    let large = std::fs::File::options()
        .write(true)
        .open(scratch.path().join("a.pdf"));
    let mut tool = ReadText::new(open(&scratch), SeenFiles::default());
    tool.read_pdf(PdfProgram::new("/missing/program".into(), Vec::new()));

    let missing = call(tool.clone(), json!({"path": "a.pdf"})).await.error();
    large.unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
    let too_large = call(tool, json!({"path": "a.pdf"})).await.error();

    assert_eq!(
        missing.to_string(),
        "The file cannot be read. Try again, or choose another file."
    );
    assert_eq!(too_large.code(), &ErrorCode::FileTooLarge);
}
