//! Text of office documents.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use office_text::{
    DocumentError, DocumentKind, DocumentLimits, DocumentText, document_to_text, may_be_document,
};
use tool_core::{CancellationToken, ErrorCode, ToolContext, ToolError};

use super::super::decode::Encoding;
use super::unreadable;
use crate::buffer::BufferReader;
use crate::workspace::File;

/// Text of a document.
pub(super) struct Extracted {
    pub(super) text: String,
    pub(super) encoding: Encoding,
    /// Whether text was omitted.
    pub(super) truncated: bool,
}

impl Extracted {
    /// Extracts the text of a document. Returns `None` and rewinds the source if the file is not a
    /// document.
    pub(super) fn from(
        source: &mut BufferReader<File>,
        cancellation: &CancellationToken,
    ) -> Result<Option<Self>, ToolError> {
        let not_read = |error| unreadable(error, cancellation);
        let beginning = source.fill_buf().map_err(not_read)?;
        if !may_be_document(beginning) {
            return Ok(None);
        }
        let file = Stoppable {
            file: source.source(),
            cancellation,
        };
        match document_to_text(file, &DocumentLimits::default()) {
            Ok(document) => Ok(Some(document.into())),
            Err(_) if cancellation.is_cancelled() => Err(ToolError::cancelled()),
            Err(DocumentError::NotADocument) => {
                source.rewind().map_err(not_read)?;
                Ok(None)
            }
            Err(DocumentError::Unreadable(error)) => Err(not_read(error)),
            Err(error) => Err(rejection(&error)),
        }
    }

    /// Does nothing: documents are supported in this build.
    pub(super) fn warn_if_not_built_in(_beginning: &[u8], _cx: &ToolContext) {}
}

impl From<DocumentText> for Extracted {
    fn from(document: DocumentText) -> Self {
        Self {
            text: document.text,
            encoding: match document.kind {
                DocumentKind::Docx => Encoding::Docx,
                DocumentKind::Pptx => Encoding::Pptx,
                DocumentKind::Xlsx => Encoding::Xlsx,
            },
            truncated: document.truncated,
        }
    }
}

/// Returns the error for the model.
fn rejection(error: &DocumentError) -> ToolError {
    let (code, suggestion) = match error {
        DocumentError::OldFormat(format) => (
            ErrorCode::NotText,
            format!("Convert it to {} and read the result.", format.successor()),
        ),
        DocumentError::Encrypted => (
            ErrorCode::NotText,
            "Ask for a copy without a password.".to_owned(),
        ),
        DocumentError::Unsupported(_) => (
            ErrorCode::NotText,
            "Save it as .docx, .pptx or .xlsx and read the result.".to_owned(),
        ),
        DocumentError::TooLarge { .. } => (
            ErrorCode::FileTooLarge,
            "Ask for a smaller file with the same content.".to_owned(),
        ),
        _ => (
            ErrorCode::NotText,
            "Ask for another copy of the file.".to_owned(),
        ),
    };
    ToolError::about(code, "path", format!("cannot be read: {error}")).suggest(suggestion)
}

/// File that fails to read once the call is cancelled.
struct Stoppable<'c> {
    file: &'c mut File,
    cancellation: &'c CancellationToken,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancellation.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        Read::read(self.file, buffer)
    }
}

impl Seek for Stoppable<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
