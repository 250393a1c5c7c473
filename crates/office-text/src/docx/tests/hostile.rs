//! Malicious documents.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::testing::{DocumentBuilder, WORD, document, options};
use crate::{DocumentBound, DocumentError, DocumentLimits, document_to_text};

const BODY: &str = "<w:p><w:r><w:t>text</w:t></w:r></w:p>";

fn small() -> DocumentLimits {
    DocumentLimits {
        max_part_bytes: 100_000,
        max_total_bytes: 150_000,
        ..DocumentLimits::default()
    }
}

fn read(bytes: Vec<u8>) -> Result<String, DocumentError> {
    document_to_text(Cursor::new(bytes), &DocumentLimits::default()).map(|document| document.text)
}

fn bound_of<T>(outcome: Result<T, DocumentError>) -> Option<DocumentBound> {
    match outcome.err()? {
        DocumentError::TooLarge { bound, .. } => Some(bound),
        _ => None,
    }
}

/// Returns an archive of zeros with the maximum compression ratio of deflate.
fn zeros(bytes: usize) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts("word/document.xml") {
        writer.start_file(name, options()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.start_file("word/document.xml", options()).unwrap();
    let block = vec![0; 1 << 20];
    for _ in 0..bytes >> 20 {
        writer.write_all(&block).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn parts(main: &str) -> Vec<(&'static str, String)> {
    let types = format!(
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#
    );
    vec![
        ("[Content_Types].xml", types),
        (
            "_rels/.rels",
            crate::testing::relationships(&[("officeDocument", main)]),
        ),
    ]
}

/// Replaces a field of each archive record that starts with `magic`.
fn patched(mut bytes: Vec<u8>, magic: &[u8], field: usize, value: &[u8]) -> Vec<u8> {
    for at in 0..bytes.len() - 4 {
        if &bytes[at..at + 4] == magic {
            bytes[at + field..at + field + value.len()].copy_from_slice(value);
        }
    }
    bytes
}

#[test]
fn rejects_high_compression_ratio() {
    let bomb = zeros(6 << 20);

    assert!(bomb.len() < 64 * 1024);
    assert_eq!(bound_of(read(bomb)), Some(DocumentBound::Ratio));
}

#[test]
fn rejects_ten_gigabyte_part_early() {
    // Each run is eight back-references of 258 bytes. The stream has no end.
    let begin = [0x62, 0x18, 0x05];
    let run = [
        0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18, 0x05,
    ];
    let packed = [begin.as_slice(), &run.repeat(5_200_000)].concat();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in parts("word/document.xml") {
        writer.start_file(name, options()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.start_file("word/document.xml", stored).unwrap();
    writer.write_all(&packed).unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    let directory = bytes
        .windows(4)
        .rposition(|four| four == b"PK\x01\x02")
        .unwrap();
    bytes[directory + 10] = 8;
    bytes[directory + 24..directory + 28].copy_from_slice(&u32::MAX.to_le_bytes());

    let outcome = document_to_text(Cursor::new(bytes), &small());

    assert_eq!(bound_of(outcome), Some(DocumentBound::PartBytes));
}

#[test]
fn wrong_size_uses_no_memory() {
    let honest = DocumentBuilder::docx(BODY).bytes();
    for size in [0_u32, 1, u32::MAX - 1] {
        let lie = patched(honest.clone(), b"PK\x01\x02", 24, &size.to_le_bytes());

        let outcome = read(lie);

        assert!(outcome.is_err() || outcome.unwrap() == "text\n", "{size}");
    }
}

#[test]
fn rejects_wrong_compressed_size() {
    let honest = DocumentBuilder::docx(BODY).bytes();
    let lie = patched(honest, b"PK\x01\x02", 20, &1_000_000_u32.to_le_bytes());

    assert!(matches!(
        read(lie),
        Err(DocumentError::OverlappingEntries | DocumentError::Damaged(_))
    ));
}

#[test]
fn rejects_overlapping_entries() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts("word/document.xml") {
        writer.start_file(name, options()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.start_file("word/document.xml", options()).unwrap();
    writer.write_all(document(BODY).as_bytes()).unwrap();
    writer
        .shallow_copy_file("word/document.xml", "word/styles.xml")
        .unwrap();

    let outcome = read(writer.finish().unwrap().into_inner());

    assert!(matches!(outcome, Err(DocumentError::OverlappingEntries)));
}

#[test]
fn nested_archives_stay_closed() {
    let mut inner = vec![0; 1 << 16];
    for _ in 0..5 {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for copy in 0..16 {
            writer
                .start_file(format!("lib{copy}.zip"), options())
                .unwrap();
            writer.write_all(&inner).unwrap();
        }
        inner = writer.finish().unwrap().into_inner();
    }

    let alone = read(inner.clone());
    let embedded = DocumentBuilder::docx(BODY)
        .part("word/embeddings/nest.zip", inner)
        .text();

    assert!(matches!(alone, Err(DocumentError::NotADocument)));
    assert_eq!(embedded, "text\n");
}

#[test]
fn parts_without_text_are_not_decompressed() {
    let builder = DocumentBuilder::docx(BODY).part("word/media/image1.png", vec![0; 2 << 20]);

    let text = builder.read_within(&small()).unwrap().text;

    assert_eq!(text, "text\n");
}

#[test]
fn rejects_document_type_definitions() {
    let laughs = r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>"#;
    for part in ["word/document.xml", "_rels/.rels"] {
        let text = format!("{laughs}<w:document xmlns:w=\"{WORD}\">&b;&c;</w:document>");

        let outcome = DocumentBuilder::docx(BODY).part(part, text).read();

        assert!(
            matches!(outcome, Err(DocumentError::TypeDefinition)),
            "{part}"
        );
    }
}

#[test]
fn enforces_each_limit() {
    let deep = "<w:sdt>".repeat(300) + &"</w:sdt>".repeat(300);
    let long = format!(
        "<w:p><w:r><w:t>{}</w:t></w:r></w:p>",
        "word ".repeat(30_000)
    );
    let many = BODY.repeat(50);
    let few = |change: fn(&mut DocumentLimits)| {
        let mut limits = DocumentLimits::default();
        change(&mut limits);
        limits
    };
    for (body, limits, expected) in [
        (&deep, DocumentLimits::default(), DocumentBound::Depth),
        (&long, small(), DocumentBound::PartBytes),
        (
            &many,
            few(|limits| limits.max_events = 100),
            DocumentBound::Events,
        ),
        (
            &many,
            few(|limits| limits.max_entries = 2),
            DocumentBound::Entries,
        ),
        (
            &many,
            few(|limits| limits.max_file_bytes = 100),
            DocumentBound::FileBytes,
        ),
        (
            &many,
            few(|limits| limits.max_total_bytes = 1_500),
            DocumentBound::TotalBytes,
        ),
    ] {
        let outcome = DocumentBuilder::docx(body).read_within(&limits);

        assert_eq!(bound_of(outcome), Some(expected));
    }
}

#[test]
fn rejects_too_many_entries_early() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for entry in 0..12_000 {
        writer.start_file(format!("word/{entry}"), stored).unwrap();
    }

    let outcome = read(writer.finish().unwrap().into_inner());

    assert_eq!(bound_of(outcome), Some(DocumentBound::Entries));
}

#[test]
fn rejects_wrong_entry_count() {
    let honest = DocumentBuilder::docx(BODY).bytes();
    for count in [0_u16, 1, 9_999, u16::MAX] {
        let lie = patched(
            honest.clone(),
            b"PK\x05\x06",
            8,
            &[count.to_le_bytes(), count.to_le_bytes()].concat(),
        );

        assert!(read(lie).is_err(), "{count}");
    }
}

#[test]
fn rejects_duplicate_part_names() {
    let builder = DocumentBuilder::docx(BODY).part("Word/Document.xml", document("<w:p/>"));

    assert!(matches!(builder.read(), Err(DocumentError::Damaged(_))));
}

#[test]
fn truncates_text_at_limit() {
    let limits = DocumentLimits {
        max_text_bytes: 10,
        ..DocumentLimits::default()
    };

    let document = DocumentBuilder::docx(&BODY.repeat(5))
        .read_within(&limits)
        .unwrap();

    assert_eq!(
        (document.text.as_str(), document.truncated),
        ("text\n\ntext", true)
    );
}

#[test]
fn repeated_long_addresses_are_truncated() {
    let address = format!("https://example.org/{}", "a".repeat(1_900));
    let link = "<w:hyperlink r:id=\"r1\"><w:r><w:t>x</w:t></w:r></w:hyperlink>";
    let limits = DocumentLimits {
        max_text_bytes: 100_000,
        ..DocumentLimits::default()
    };

    let document = DocumentBuilder::docx(&format!("<w:p>{}</w:p>", link.repeat(5_000)))
        .linked(&[("hyperlink", &address)])
        .read_within(&limits)
        .unwrap();

    assert!(document.truncated);
    assert!(document.text.len() <= 100_000);
}

#[test]
fn rejects_truncated_document() {
    let bytes = DocumentBuilder::docx(BODY).bytes();

    for length in 0..bytes.len() {
        assert!(read(bytes[..length].to_vec()).is_err(), "{length}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn corrupted_bytes_do_not_panic(at in 0_usize..2_000, value: u8, more in 0_usize..2_000) {
        let mut bytes = DocumentBuilder::docx(BODY).bytes();
        let length = bytes.len();
        bytes[at % length] = value;
        bytes[more % length] ^= value;

        let _ = read(bytes);
    }

    #[test]
    fn arbitrary_xml_does_not_panic(pieces in prop::collection::vec(0_usize..24, 0..60)) {
        let pieces: String = pieces.into_iter().map(|at| PIECES[at]).collect();

        let _ = DocumentBuilder::docx(&pieces).read();
    }
}

const PIECES: [&str; 24] = [
    "<w:p>",
    "</w:p>",
    "<w:r>",
    "</w:r>",
    "<w:t>",
    "</w:t>",
    "x",
    "<w:tbl>",
    "</w:tbl>",
    "<w:tr>",
    "</w:tr>",
    "<w:tc>",
    "</w:tc>",
    "<w:tab/>",
    "<m:sup>",
    "</m:sup>",
    "<w:txbxContent>",
    "</w:txbxContent>",
    "<w:fldChar w:fldCharType=\"begin\"/>",
    "<w:fldChar w:fldCharType=\"separate\"/>",
    "<w:fldChar w:fldCharType=\"end\"/>",
    "<w:hyperlink>",
    "</w:hyperlink>",
    "<mc:Choice/>",
];
