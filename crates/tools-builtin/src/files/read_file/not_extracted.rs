//! Replacement for text extraction in builds without document support.

use tool_core::{CancellationToken, ToolContext, ToolError};

use super::super::decode::Encoding;
use crate::buffer::BufferReader;
use crate::workspace::File;

/// Text of a document.
#[allow(dead_code, reason = "never created without document support")]
pub(super) struct Extracted {
    pub(super) text: String,
    pub(super) encoding: Encoding,
    pub(super) truncated: bool,
}

impl Extracted {
    #[allow(
        clippy::unnecessary_wraps,
        reason = "same signature as with document support"
    )]
    pub(super) fn from(
        _source: &mut BufferReader<File>,
        _cancellation: &CancellationToken,
    ) -> Result<Option<Self>, ToolError> {
        Ok(None)
    }

    /// Warns if a file that is shown as bytes is a document.
    pub(super) fn warn_if_not_built_in(beginning: &[u8], cx: &ToolContext) {
        if let Some(name) = Self::name(beginning) {
            cx.warn(format!(
                "The file is {name}; support for documents is not compiled in, so only its bytes are shown."
            ));
        }
    }

    /// Returns the kind of document according to the file names at the start of the archive.
    fn name(beginning: &[u8]) -> Option<&'static str> {
        let has = |name: &[u8]| memchr::memmem::find(beginning, name).is_some();
        let is_archive = beginning.starts_with(b"PK\x03\x04");
        match () {
            () if !is_archive => None,
            () if has(b"word/") => Some("a Word document (.docx)"),
            () if has(b"ppt/") => Some("a PowerPoint presentation (.pptx)"),
            () if has(b"xl/") => Some("an Excel workbook (.xlsx)"),
            () => None,
        }
    }
}
