#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocks;
mod container;
mod document;
mod docx;
mod error;
mod kind;
mod limits;
mod metered;
mod namespace;
mod old_format;
mod package;
mod part_name;
mod pptx;
#[cfg(test)]
mod read_made;
mod relationships;
mod symbol;
#[cfg(test)]
mod testing;
mod xlsx;
mod xml;

pub use container::may_be_document;
pub use document::{DocumentText, document_to_text, docx_to_text, pptx_to_text, xlsx_to_text};
pub use error::{DocumentBound, DocumentError};
pub use kind::DocumentKind;
pub use limits::DocumentLimits;
pub use old_format::OldFormat;
