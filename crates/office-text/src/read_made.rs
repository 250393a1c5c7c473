//! Text extraction from documents built by tests.

use std::io::Cursor;

use super::testing::{DocumentBuilder, relationships};
use super::{DocumentError, DocumentLimits, DocumentText, document_to_text};

impl DocumentBuilder {
    /// Adds the relationships of the main part of a Word document.
    pub(crate) fn linked(self, links: &[(&str, &str)]) -> Self {
        self.part("word/_rels/document.xml.rels", relationships(links))
    }

    pub(crate) fn read(&self) -> Result<DocumentText, DocumentError> {
        self.read_within(&DocumentLimits::default())
    }

    pub(crate) fn read_within(
        &self,
        limits: &DocumentLimits,
    ) -> Result<DocumentText, DocumentError> {
        document_to_text(Cursor::new(self.bytes()), limits)
    }

    pub(crate) fn text(&self) -> String {
        self.read().unwrap().text
    }
}
