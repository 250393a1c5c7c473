//! Office documents built for tests. The tests of `tools-builtin` include this file.

use std::fmt::Write as _;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

pub(crate) const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// Document under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentBuilder {
    parts: Vec<(String, Vec<u8>)>,
}

impl DocumentBuilder {
    /// Creates a document of a content type without its main part.
    pub(crate) fn of(content_type: &str, main: &str) -> Self {
        let types = format!(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{content_type}.main+xml"/></Types>"#
        );
        Self::default()
            .part("[Content_Types].xml", types)
            .part("_rels/.rels", relationships(&[("officeDocument", main)]))
    }

    /// Creates a Word document with this body.
    pub(crate) fn docx(body: &str) -> Self {
        let main = "word/document.xml";
        Self::of("wordprocessingml.document", main).part(main, document(body))
    }

    pub(crate) fn part(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.parts.retain(|(other, _)| other != name);
        self.parts.push((name.to_owned(), bytes.into()));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in &self.parts {
            writer.start_file(name.as_str(), options()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }
}

pub(crate) fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
}

pub(crate) fn document(body: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document xmlns:w="{WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><w:body>{body}</w:body></w:document>"#
    )
}

/// Returns a relationship part. Ids are `r1`, `r2` and so on; targets with `:` are external.
pub(crate) fn relationships(links: &[(&str, &str)]) -> String {
    let mut text =
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#
            .to_owned();
    for (at, (kind, target)) in links.iter().enumerate() {
        let id = at + 1;
        let mode = if target.contains(':') {
            r#" TargetMode="External""#
        } else {
            ""
        };
        write!(
            text,
            r#"<Relationship Id="r{id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"{mode}/>"#
        )
        .unwrap();
    }
    text + "</Relationships>"
}

/// Returns an OLE compound file with one stream.
pub(crate) fn compound(stream: &str) -> Vec<u8> {
    let mut bytes = vec![0; 1024];
    bytes[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    bytes[30] = 9;
    for (at, unit) in stream.encode_utf16().enumerate() {
        bytes[512 + 2 * at..][..2].copy_from_slice(&unit.to_le_bytes());
    }
    bytes
}
