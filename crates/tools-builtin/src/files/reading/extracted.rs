//! Text of office documents.

use std::io::{BufRead as _, BufReader, Read, Seek};

use office_text::{
    DocumentError, DocumentKind, DocumentLimits, DocumentText, document_to_text, may_be_document,
};
use tool_core::{ErrorCode, ToolContext, ToolError};

use super::unreadable;
use crate::files::decode::Encoding;

/// Extracts the text of a document. Returns `None` and rewinds the source if the file is not a
/// document.
pub(super) fn extract<R: Read + Seek>(
    source: &mut BufReader<R>,
    cx: &ToolContext,
) -> Result<Option<DocumentText>, ToolError> {
    let not_read = |error| unreadable(error, cx);
    let beginning = source.fill_buf().map_err(not_read)?;
    if !may_be_document(beginning) {
        return Ok(None);
    }
    match document_to_text(source.get_mut(), &DocumentLimits::default()) {
        Ok(document) => Ok(Some(document)),
        // An archive of another kind. It is shown as a binary file, from its start.
        Err(DocumentError::NotADocument) => {
            source.rewind().map_err(not_read)?;
            Ok(None)
        }
        Err(DocumentError::Unreadable(error)) => Err(not_read(error)),
        Err(error) => Err(rejection(&error)),
    }
}

pub(super) fn encoding_of(kind: DocumentKind) -> Encoding {
    match kind {
        DocumentKind::Docx => Encoding::Docx,
        DocumentKind::Pptx => Encoding::Pptx,
        DocumentKind::Xlsx => Encoding::Xlsx,
    }
}

/// Returns the error for the model.
fn rejection(error: &DocumentError) -> ToolError {
    let code = match error {
        DocumentError::TooLarge { .. } => ErrorCode::FileTooLarge,
        _ => ErrorCode::NotText,
    };
    let suggestion = match error {
        DocumentError::Encrypted => "Ask for a copy without a password.",
        DocumentError::OldFormat | DocumentError::Unsupported(_) => {
            "Save it as .docx, .pptx or .xlsx and read the result."
        }
        DocumentError::TooLarge { .. } => "Ask for a smaller file with the same content.",
        _ => "Ask for another copy of the file.",
    };
    ToolError::about(code, "path", format!("cannot be read: {error}")).suggest(suggestion)
}
