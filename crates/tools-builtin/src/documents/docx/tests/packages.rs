//! Documents as different programs pack them.

use std::io::Cursor;

use crate::documents::testing::{Made, compound, document, relationships};
use crate::documents::{
    DocumentError, DocumentKind, DocumentLimits, document_to_text, docx_to_text,
};

const BODY: &str = "<w:p><w:r><w:t>Grüße</w:t></w:r></w:p>";

fn read(bytes: Vec<u8>) -> Result<String, DocumentError> {
    document_to_text(Cursor::new(bytes), &DocumentLimits::default()).map(|document| document.text)
}

#[test]
fn the_kind_is_told_and_another_is_refused() {
    let made = Made::docx(BODY);

    let any = made.read().unwrap();
    let presentation =
        crate::documents::pptx_to_text(Cursor::new(made.bytes()), &DocumentLimits::default());
    let document = docx_to_text(Cursor::new(made.bytes()), &DocumentLimits::default());

    assert_eq!((any.kind, any.truncated), (DocumentKind::Docx, false));
    assert!(matches!(presentation, Err(DocumentError::NotADocument)));
    assert_eq!(document.unwrap(), any);
}

#[test]
fn the_main_part_is_found_by_the_relationship_and_not_by_its_name() {
    let main = "Deep/Other/main.bin.xml";
    let text = Made::of(DocumentKind::Docx, main)
        .part(main, document(BODY))
        .text();

    assert_eq!(text, "Grüße\n");
}

#[test]
fn names_of_parts_are_compared_without_case_and_with_either_slash() {
    let made = Made::of(DocumentKind::Docx, "word/document.xml")
        .part("WORD\\Document.XML", document(BODY));

    assert_eq!(made.text(), "Grüße\n");
}

#[test]
fn the_strict_form_is_read_alike() {
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
    let made = Made::docx("")
        .part("word/document.xml", strict(document(BODY)))
        .part(
            "_rels/.rels",
            strict(relationships(&[("officeDocument", "word/document.xml")])),
        );

    assert_eq!(made.text(), "Grüße\n");
}

#[test]
fn a_part_in_utf_16_is_read() {
    let text = document(BODY).replace("UTF-8", "UTF-16");
    let mut bytes = vec![0xFF, 0xFE];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));

    assert_eq!(
        Made::docx("").part("word/document.xml", bytes).text(),
        "Grüße\n"
    );
}

#[test]
fn another_prefix_for_the_vocabulary_is_no_matter() {
    let text = document(BODY)
        .replace("w:", "ns0:")
        .replace("xmlns:w=", "xmlns:ns0=");

    assert_eq!(
        Made::docx("").part("word/document.xml", text).text(),
        "Grüße\n"
    );
}

#[test]
fn what_has_no_document_in_it_is_none() {
    let plain = Made::default().part("a.txt", "text");
    let without_types =
        Made::default().part("_rels/.rels", relationships(&[("officeDocument", "a.xml")]));
    let other = Made::docx(BODY).part("_rels/.rels", relationships(&[("thumbnail", "a.png")]));

    for bytes in [
        plain.bytes(),
        without_types.bytes(),
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
fn an_old_or_encrypted_document_says_what_it_is() {
    for (stream, expected) in [
        ("WordDocument", "it is an old Word document (.doc)"),
        ("EncryptedPackage", "it is encrypted with a password"),
    ] {
        assert_eq!(read(compound(stream)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn an_entry_with_a_password_is_encrypted() {
    let mut bytes = Made::docx(BODY).bytes();
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
fn a_binary_workbook_is_named_and_refused() {
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>"#;
    let made = Made::default().part("[Content_Types].xml", types).part(
        "_rels/.rels",
        relationships(&[("officeDocument", "xl/workbook.bin")]),
    );

    let error = made.read().unwrap_err();

    assert_eq!(
        error.to_string(),
        "it is a binary Excel workbook (.xlsb), which is not read"
    );
}

#[test]
fn a_document_without_its_main_part_is_damaged() {
    let made = Made::of(DocumentKind::Docx, "word/document.xml");

    assert!(matches!(made.read(), Err(DocumentError::Damaged(_))));
}

#[test]
fn parts_that_a_document_names_and_lacks_are_done_without() {
    let made = Made::docx(BODY).linked(&[("styles", "styles.xml"), ("header", "header1.xml")]);

    assert_eq!(made.text(), "Grüße\n");
}

#[test]
fn something_in_front_of_the_archive_is_not_read() {
    let bytes = [b"#!/bin/sh\n".as_slice(), &Made::docx(BODY).bytes()].concat();

    assert!(matches!(read(bytes), Err(DocumentError::NotADocument)));
}
