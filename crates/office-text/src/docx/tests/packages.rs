//! Packages written by different programs.

use std::io::Cursor;

use crate::testing::{DocumentBuilder, compound, document, relationships};
use crate::{DocumentError, DocumentKind, DocumentLimits, document_to_text};

const BODY: &str = "<w:p><w:r><w:t>Grüße</w:t></w:r></w:p>";

fn read(bytes: Vec<u8>) -> Result<String, DocumentError> {
    document_to_text(Cursor::new(bytes), &DocumentLimits::default()).map(|document| document.text)
}

#[test]
fn returns_kind_of_content() {
    let document = DocumentBuilder::docx(BODY).read().unwrap();

    assert_eq!(document.kind, DocumentKind::Docx);
    assert!(!document.truncated);
}

#[test]
fn relationship_determines_main_part() {
    let main = "Deep/Other/main.bin.xml";
    let text = DocumentBuilder::of("wordprocessingml.document", main)
        .part(main, document(BODY))
        .text();

    assert_eq!(text, "Grüße\n");
}

#[test]
fn part_names_ignore_case_and_slash_direction() {
    let builder = DocumentBuilder::of("wordprocessingml.document", "word/document.xml")
        .part("WORD\\Document.XML", document(BODY));

    assert_eq!(builder.text(), "Grüße\n");
}

#[test]
fn reads_strict_format() {
    let strict = |text: String| {
        text.replace(
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            "http://purl.oclc.org/ooxml/wordprocessingml/main",
        )
        .replace(
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            "http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
    };
    let builder = DocumentBuilder::docx("")
        .part("word/document.xml", strict(document(BODY)))
        .part(
            "_rels/.rels",
            strict(relationships(&[("officeDocument", "word/document.xml")])),
        );

    assert_eq!(builder.text(), "Grüße\n");
}

#[test]
fn namespace_prefix_does_not_matter() {
    let text = document(BODY)
        .replace("w:", "ns0:")
        .replace("xmlns:w=", "xmlns:ns0=");

    assert_eq!(
        DocumentBuilder::docx("")
            .part("word/document.xml", text)
            .text(),
        "Grüße\n"
    );
}

#[test]
fn rejects_files_without_document() {
    let plain = DocumentBuilder::default().part("a.txt", "text");
    let other_root = DocumentBuilder::default()
        .part("a.xml", "<a/>")
        .part("_rels/.rels", relationships(&[("officeDocument", "a.xml")]));
    let other =
        DocumentBuilder::docx(BODY).part("_rels/.rels", relationships(&[("thumbnail", "a.png")]));

    for bytes in [
        plain.bytes(),
        other_root.bytes(),
        other.bytes(),
        b"".to_vec(),
        b"PK".to_vec(),
        b"plain text".to_vec(),
        compound("__properties"),
    ] {
        assert!(matches!(read(bytes), Err(DocumentError::NotADocument)));
    }
}

#[test]
fn names_old_and_encrypted_documents() {
    for (stream, expected) in [
        (
            "WordDocument",
            "the file is in a Word, PowerPoint or Excel format from before 2007 (.doc, .ppt or .xls)",
        ),
        (
            "EncryptedPackage",
            "the document is encrypted with a password",
        ),
    ] {
        assert_eq!(read(compound(stream)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn encrypted_entry_is_reported() {
    let mut bytes = DocumentBuilder::docx(BODY).bytes();
    for at in 0..bytes.len() - 8 {
        match &bytes[at..at + 4] {
            b"PK\x03\x04" => bytes[at + 6] |= 1,
            b"PK\x01\x02" => bytes[at + 8] |= 1,
            _ => {}
        }
    }

    assert!(matches!(read(bytes), Err(DocumentError::Encrypted)));
}

#[test]
fn rejects_binary_workbooks() {
    let builder = DocumentBuilder::of("", "xl/workbook.bin").part("xl/workbook.bin", [0x83, 1, 0]);

    let error = builder.read().unwrap_err();

    assert_eq!(
        error.to_string(),
        "a binary Excel workbook (.xlsb) is not supported"
    );
}

#[test]
fn missing_main_part_is_damaged() {
    let builder = DocumentBuilder::of("wordprocessingml.document", "word/document.xml");

    assert!(matches!(builder.read(), Err(DocumentError::Damaged(_))));
}

#[test]
fn missing_optional_parts_are_ignored() {
    let builder =
        DocumentBuilder::docx(BODY).linked(&[("styles", "styles.xml"), ("header", "header1.xml")]);

    assert_eq!(builder.text(), "Grüße\n");
}

#[test]
fn rejects_data_before_archive() {
    let bytes = [
        b"#!/bin/sh\n".as_slice(),
        &DocumentBuilder::docx(BODY).bytes(),
    ]
    .concat();

    assert!(matches!(read(bytes), Err(DocumentError::NotADocument)));
}
