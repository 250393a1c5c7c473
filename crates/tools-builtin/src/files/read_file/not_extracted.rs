//! Recognition of documents in builds that cannot extract their text.

use tool_core::ToolContext;

/// Warns if a file that is shown as bytes is a document.
pub(super) fn warn_of_document(beginning: &[u8], cx: &ToolContext) {
    if let Some(name) = document_name(beginning) {
        cx.warn(format!(
            "The file is {name}; support for documents is not compiled in, so only its bytes are shown."
        ));
    }
}

/// Returns the kind of document according to the file names at the start of the archive.
fn document_name(beginning: &[u8]) -> Option<&'static str> {
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
