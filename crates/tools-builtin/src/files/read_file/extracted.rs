//! Text of documents, in place of their bytes.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use tool_core::{CancellationToken, ErrorCode, ToolContext, ToolError};

use super::super::decode::Encoding;
use super::reading::unreadable;
use crate::buffer::BufferReader;
use crate::documents::{
    DocumentError, DocumentKind, DocumentLimits, DocumentText, document_to_text, may_be_document,
};
use crate::workspace::File;

/// The text of a document.
pub(super) struct Extracted {
    pub(super) text: String,
    pub(super) encoding: Encoding,
    /// Whether the document has more text.
    pub(super) truncated: bool,
}

impl Extracted {
    /// The text of a document; where the file is none, it stands at its beginning again.
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
            Err(error) => Err(refusal(&error)),
        }
    }

    /// Documents are read, so that nothing is to be said of them where bytes are shown.
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

/// What the model is told, and what it may do.
fn refusal(error: &DocumentError) -> ToolError {
    let (code, suggestion) = match error {
        DocumentError::OldFormat(format) => (
            ErrorCode::NotText,
            format!("Convert it to {} and read that.", format.successor()),
        ),
        DocumentError::Encrypted => (
            ErrorCode::NotText,
            "Ask for a copy without a password.".to_owned(),
        ),
        DocumentError::Unsupported(_) => (
            ErrorCode::NotText,
            "Save it as .docx, .pptx or .xlsx and read that.".to_owned(),
        ),
        DocumentError::TooLarge { .. } => (
            ErrorCode::FileTooLarge,
            "Ask for its text in a smaller file.".to_owned(),
        ),
        _ => (
            ErrorCode::NotText,
            "Ask for another copy of the file.".to_owned(),
        ),
    };
    let message = error.to_string();
    let message = message.strip_prefix("it ").unwrap_or(&message).to_owned();
    ToolError::about(code, "path", message).suggest(suggestion)
}

/// A file that is read no further once the call is cancelled.
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
