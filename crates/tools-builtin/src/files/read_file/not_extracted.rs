//! Documents where support for them is not compiled in.

use tool_core::{CancellationToken, ToolContext, ToolError};

use super::super::decode::Encoding;
use crate::buffer::BufferReader;
use crate::workspace::File;

/// The text of a document, of which there is none.
#[allow(dead_code, reason = "there is none where documents are not read")]
pub(super) struct Extracted {
    pub(super) text: String,
    pub(super) encoding: Encoding,
    pub(super) truncated: bool,
}

impl Extracted {
    #[allow(
        clippy::unnecessary_wraps,
        reason = "it is called as the one that reads documents"
    )]
    pub(super) fn from(
        _source: &mut BufferReader<File>,
        _cancellation: &CancellationToken,
    ) -> Result<Option<Self>, ToolError> {
        Ok(None)
    }

    /// Says what a file that is shown as bytes is, where it is a document.
    pub(super) fn warn_if_not_built_in(beginning: &[u8], cx: &ToolContext) {
        if let Some(name) = Self::name(beginning) {
            cx.warn(format!(
                "The file is {name}; its text is not read, because support for documents is not compiled in."
            ));
        }
    }

    /// What kind of document a file is, going by the names at its beginning.
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
