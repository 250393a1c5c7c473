//! Documents made for tests.

use std::fmt::Write as _;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::document::DocumentText;
use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::{DocumentKind, document_to_text};

pub(super) const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// An archive that is a document once it has its parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    parts: Vec<(String, Vec<u8>)>,
}

impl Made {
    /// A document of some kind, whose main part is to come.
    pub(crate) fn of(kind: DocumentKind, main: &str) -> Self {
        let content_type = match kind {
            DocumentKind::Docx => "wordprocessingml.document",
            DocumentKind::Pptx => "presentationml.presentation",
            DocumentKind::Xlsx => "spreadsheetml.sheet",
        };
        let types = format!(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{content_type}.main+xml"/></Types>"#
        );
        Self::default()
            .part("[Content_Types].xml", types)
            .part("_rels/.rels", relationships(&[("officeDocument", main)]))
    }

    /// A Word document with this body.
    pub(crate) fn docx(body: &str) -> Self {
        let main = "word/document.xml";
        Self::of(DocumentKind::Docx, main).part(main, document(body))
    }

    pub(crate) fn part(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.parts.retain(|(other, _)| other != name);
        self.parts.push((name.to_owned(), bytes.into()));
        self
    }

    /// What the main part of a Word document refers to.
    pub(super) fn linked(self, links: &[(&str, &str)]) -> Self {
        self.part("word/_rels/document.xml.rels", relationships(links))
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in &self.parts {
            writer.start_file(name.as_str(), options()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    pub(super) fn read(&self) -> Result<DocumentText, DocumentError> {
        self.read_within(&DocumentLimits::default())
    }

    pub(super) fn read_within(
        &self,
        limits: &DocumentLimits,
    ) -> Result<DocumentText, DocumentError> {
        document_to_text(Cursor::new(self.bytes()), limits)
    }

    pub(super) fn text(&self) -> String {
        self.read().unwrap().text
    }
}

pub(super) fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
}

pub(super) fn document(body: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document xmlns:w="{WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><w:body>{body}</w:body></w:document>"#
    )
}

/// A list of references; the id of each is `r` with its number, from 1. Addresses with `://` are outside.
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

/// A container of before 2007 with one stream.
pub(crate) fn compound(stream: &str) -> Vec<u8> {
    let mut bytes = vec![0; 1024];
    bytes[..8].copy_from_slice(super::container::COMPOUND);
    bytes[30] = 9;
    for (at, unit) in stream.encode_utf16().enumerate() {
        bytes[512 + 2 * at..][..2].copy_from_slice(&unit.to_le_bytes());
    }
    bytes
}
