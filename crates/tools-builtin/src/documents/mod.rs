//! Text of office documents: Word (`.docx`), PowerPoint (`.pptx`) and Excel (`.xlsx`), with their templates and the files
//! with macros (`.docm`, `.dotx`, `.dotm`, `.pptm`, `.ppsx`, `.potx`, `.xlsm`, `.xltx` and so on).
//!
//! [`document_to_text`] finds out which of them a file is, by what is in it and never by its name. The others take one kind.
//! All are plain functions that read and compute: call them on a thread that may block.
//!
//! Nothing is written to the disk, no reference out of the document is followed, no macro is run. What a document may cost
//! is bounded by [`DocumentLimits`].
//!
//! PDF is not read: that is not built.

mod blocks;
mod container;
mod document;
mod docx;
mod error;
mod limits;
mod metered;
mod old_format;
mod package;
mod part_name;
mod pptx;
mod relationships;
mod symbol;
#[cfg(test)]
pub(crate) mod testing;
mod xlsx;
mod xml;

pub use document::{DocumentKind, DocumentText, document_to_text};
pub use docx::docx_to_text;
pub use error::{DocumentBound, DocumentError};
pub use limits::DocumentLimits;
pub use old_format::OldFormat;
pub use pptx::pptx_to_text;
pub use xlsx::xlsx_to_text;

pub(crate) use container::may_be_document;
