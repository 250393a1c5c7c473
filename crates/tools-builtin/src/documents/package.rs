//! The archive that a document is, and its parts.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use zip::ZipArchive;
use zip::read::ZipReadOptions;

use super::container::{COMPOUND, may_be_document};
use super::document::DocumentKind;
use super::error::{DocumentBound, DocumentError};
use super::limits::DocumentLimits;
use super::metered::Metered;
use super::old_format;
use super::part_name::{key, relationships_of};
use super::relationships::Relationships;
use super::xml::{Token, Xml, decode};

/// What is read at most to find out which entries the archive has: that many entries with long names.
const BYTES_PER_ENTRY: u64 = 400;
const LEAST_BYTES_TO_OPEN: u64 = 256 * 1024;
/// Parts up to this size may be packed as tightly as they like.
const ANY_RATIO_BYTES: u64 = 4 * 1024 * 1024;

/// A document, opened.
pub(super) struct Package<R> {
    archive: ZipArchive<Metered<BufReader<R>>>,
    entries: HashMap<String, usize>,
    limits: DocumentLimits,
    left: u64,
}

/// The part that all others hang on.
pub(super) struct MainPart {
    pub(super) name: String,
    pub(super) kind: DocumentKind,
}

impl<R: Read + Seek> Package<R> {
    pub(super) fn open(mut source: R, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let length = source.seek(SeekFrom::End(0))?;
        check_beginning(&mut source)?;
        check(DocumentBound::FileBytes, length, limits.max_file_bytes)?;
        let entries = limits.max_entries as u64;
        let to_open = (entries * BYTES_PER_ENTRY).max(LEAST_BYTES_TO_OPEN);
        let meter = Rc::new(Cell::new(to_open));
        let metered = Metered::new(BufReader::new(source), &meter);
        let archive = ZipArchive::new(metered).map_err(|error| match error {
            zip::result::ZipError::Io(error)
                if error.kind() == std::io::ErrorKind::QuotaExceeded =>
            {
                too_large(DocumentBound::Entries, entries)
            }
            other => other.into(),
        })?;
        // Each part has bounds of its own.
        meter.set(u64::MAX);
        let mut package = Self {
            entries: HashMap::with_capacity(archive.len().min(limits.max_entries)),
            archive,
            limits: *limits,
            left: limits.max_total_bytes,
        };
        package.index()?;
        Ok(package)
    }

    /// Notes where each part is, and looks whether the archive is an honest one.
    fn index(&mut self) -> Result<(), DocumentError> {
        let count = self.archive.len() as u64;
        check(
            DocumentBound::Entries,
            count,
            self.limits.max_entries as u64,
        )?;
        if self.archive.has_overlapping_files()? {
            return Err(DocumentError::OverlappingEntries);
        }
        for index in 0..self.archive.len() {
            if let Some(Ok(name)) = self.archive.name_for_index(index)
                && self.entries.insert(key(&name), index).is_some()
            {
                return Err(DocumentError::Damaged("two parts have the same name"));
            }
        }
        Ok(())
    }

    /// The text of a part, if there is one of that name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<String>, DocumentError> {
        let Some(&index) = self.entries.get(&key(name)) else {
            return Ok(None);
        };
        let most = self.limits.max_part_bytes.min(self.left);
        let entry = self
            .archive
            .by_index_with_options(index, ZipReadOptions::new())?;
        let packed = entry.compressed_size().max(1);
        let ratio_bytes = packed.saturating_mul(self.limits.max_ratio);
        let allowed = most.min(ratio_bytes.max(ANY_RATIO_BYTES));
        let mut bytes = Vec::with_capacity(capacity(entry.size().min(allowed)));
        entry.take(allowed + 1).read_to_end(&mut bytes)?;
        let size = bytes.len() as u64;
        if size > allowed {
            return Err(self.over(allowed, most));
        }
        self.left -= size;
        Ok(Some(decode(bytes)))
    }

    /// Which bound stopped a part.
    fn over(&self, allowed: u64, most: u64) -> DocumentError {
        let limits = &self.limits;
        if allowed < most {
            too_large(DocumentBound::Ratio, limits.max_ratio)
        } else if most < limits.max_part_bytes {
            too_large(DocumentBound::TotalBytes, limits.max_total_bytes)
        } else {
            too_large(DocumentBound::PartBytes, limits.max_part_bytes)
        }
    }

    /// A part that has to be there.
    pub(super) fn needed(&mut self, name: &str) -> Result<String, DocumentError> {
        self.part(name)?
            .ok_or(DocumentError::Damaged("a part is missing"))
    }

    pub(super) fn limits(&self) -> DocumentLimits {
        self.limits
    }

    /// What a part refers to; nothing where it has no such list.
    pub(super) fn relationships(&mut self, source: &str) -> Result<Relationships, DocumentError> {
        match self.part(&relationships_of(source))? {
            Some(text) => Relationships::parse(source, &text, &self.limits),
            None => Ok(Relationships::default()),
        }
    }

    /// The main part, to which the archive's own relationships lead, and what kind of document its content type says.
    pub(super) fn main_part(&mut self) -> Result<MainPart, DocumentError> {
        let name = match self.relationships("")?.target("officeDocument") {
            Some(target) => target.to_owned(),
            None => return Err(DocumentError::NotADocument),
        };
        let content_type = self.content_type(&name)?;
        let kind = DocumentKind::of_content_type(&content_type)?;
        Ok(MainPart { name, kind })
    }

    fn content_type(&mut self, part: &str) -> Result<String, DocumentError> {
        let Some(text) = self.part("[Content_Types].xml")? else {
            return Err(DocumentError::NotADocument);
        };
        let part = key(part);
        let extension = part.rsplit('.').next().unwrap_or_default();
        let mut xml = Xml::new(&text, &self.limits);
        let mut by_extension = String::new();
        loop {
            match xml.next()? {
                Token::Start(element) => {
                    let says = |attribute: &str| element.attribute(attribute).unwrap_or_default();
                    match element.local() {
                        "Override" if key(&says("PartName")) == part => {
                            return Ok(says("ContentType").into_owned());
                        }
                        "Default" if says("Extension").eq_ignore_ascii_case(extension) => {
                            by_extension = says("ContentType").into_owned();
                        }
                        _ => {}
                    }
                }
                Token::Done => return Ok(by_extension),
                Token::Text(_) | Token::End => {}
            }
        }
    }
}

/// The sizes that an archive declares may be lies: so much memory is taken without having seen a byte.
fn capacity(declared: u64) -> usize {
    usize::try_from(declared.min(1024 * 1024)).unwrap_or_default()
}

fn check_beginning<R: Read + Seek>(source: &mut R) -> Result<(), DocumentError> {
    let mut beginning = Vec::new();
    source.seek(SeekFrom::Start(0))?;
    source.by_ref().take(8).read_to_end(&mut beginning)?;
    if beginning == COMPOUND {
        return Err(old_format::refusal_of(source)?);
    }
    if may_be_document(&beginning) {
        Ok(())
    } else {
        Err(DocumentError::NotADocument)
    }
}

fn check(bound: DocumentBound, size: u64, most: u64) -> Result<(), DocumentError> {
    if size > most {
        return Err(too_large(bound, most));
    }
    Ok(())
}

fn too_large(bound: DocumentBound, most: u64) -> DocumentError {
    DocumentError::TooLarge { bound, most }
}
