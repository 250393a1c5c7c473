#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocks;
mod document;
mod docx;
mod error;
mod kind;
mod package;
mod pptx;
#[cfg(test)]
mod read_made;
#[cfg(test)]
mod testing;
mod xlsx;
mod xml;

pub use document::{DocumentText, document_to_text};
pub use error::{DocumentBound, DocumentError, DocumentLimits};
pub use kind::{DocumentKind, may_be_document};
