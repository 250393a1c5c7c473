use std::io::{Read, Seek};
use super::blocks::Blocks;
use super::document::{DocumentKind, DocumentText, read};
use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::package::Package;

/// x
pub fn xlsx_to_text<R: Read + Seek>(source: R, limits: &DocumentLimits) -> Result<DocumentText, DocumentError> {
    read(source, limits, Some(DocumentKind::Xlsx))
}

pub(super) fn extract<R: Read + Seek>(_package: &mut Package<R>, _main: &str) -> Result<Blocks, DocumentError> {
    Err(DocumentError::NotADocument)
}
