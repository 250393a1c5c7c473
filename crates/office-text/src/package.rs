//! Archive of a document, its parts, and the relationships between them.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use zip::ZipArchive;

use super::error::{DocumentBound, DocumentError, DocumentLimits};
use super::kind::check_signature;
use super::xml::Xml;

/// Number of bytes to read per allowed entry when the archive is opened. Suffices for long names.
const BYTES_PER_ENTRY: u64 = 400;
const MIN_BYTES_TO_OPEN: u64 = 256 * 1024;
/// Size in bytes up to which a part may have any compression ratio.
const ANY_RATIO_BYTES: u64 = 4 * 1024 * 1024;

/// Open document.
pub(super) struct Package<R> {
    archive: ZipArchive<LimitedReader<BufReader<R>>>,
    entries: HashMap<String, usize>,
    limits: DocumentLimits,
    left: u64,
}

impl<R: Read + Seek> Package<R> {
    pub(super) fn open(mut source: R, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let length = source.seek(SeekFrom::End(0))?;
        check_signature(&mut source)?;
        check(DocumentBound::FileBytes, length, limits.max_file_bytes)?;
        let entries = limits.max_entries as u64;
        let to_open = (entries * BYTES_PER_ENTRY).max(MIN_BYTES_TO_OPEN);
        let meter = Rc::new(Cell::new(to_open));
        let metered = LimitedReader {
            source: BufReader::new(source),
            left: Rc::clone(&meter),
        };
        let archive = ZipArchive::new(metered).map_err(|error| match error {
            zip::result::ZipError::Io(error)
                if error.kind() == std::io::ErrorKind::QuotaExceeded =>
            {
                DocumentError::too_large(DocumentBound::Entries, entries)
            }
            other => DocumentError::of_archive(other),
        })?;
        // `part` limits the size of each part.
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

    /// Indexes the parts and checks the archive for duplicate and overlapping entries.
    fn index(&mut self) -> Result<(), DocumentError> {
        let count = self.archive.len() as u64;
        check(
            DocumentBound::Entries,
            count,
            self.limits.max_entries as u64,
        )?;
        if self
            .archive
            .has_overlapping_files()
            .map_err(DocumentError::of_archive)?
        {
            return Err(DocumentError::OverlappingEntries);
        }
        for index in 0..self.archive.len() {
            if let Some(Ok(name)) = self.archive.name_for_index(index)
                // Another program could show the other part than the one that is read here.
                && self.entries.insert(key(&name), index).is_some()
            {
                return Err(DocumentError::Damaged("two parts have the same name"));
            }
        }
        Ok(())
    }

    /// Returns the text of a part if it exists.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<String>, DocumentError> {
        let Some(&index) = self.entries.get(&key(name)) else {
            return Ok(None);
        };
        let most = self.limits.max_part_bytes.min(self.left);
        let entry = self
            .archive
            .by_index(index)
            .map_err(DocumentError::of_archive)?;
        let packed = entry.compressed_size().max(1);
        let ratio_bytes = packed.saturating_mul(self.limits.max_ratio);
        let allowed = most.min(ratio_bytes.max(ANY_RATIO_BYTES));
        let mut bytes = Vec::new();
        // Not by the declared size, which may be wrong. One more byte tells a part at the limit from a larger one.
        entry.take(allowed + 1).read_to_end(&mut bytes)?;
        let size = bytes.len() as u64;
        if size > allowed {
            return Err(self.over(allowed, most));
        }
        self.left -= size;
        // The format allows UTF-16 too, but no known program writes it.
        let text = String::from_utf8(bytes);
        text.map(Some)
            .map_err(|_| DocumentError::Damaged("a part is not in UTF-8"))
    }

    /// Returns the error for the limit that a part exceeded.
    fn over(&self, allowed: u64, most: u64) -> DocumentError {
        let limits = &self.limits;
        if allowed < most {
            DocumentError::too_large(DocumentBound::Ratio, limits.max_ratio)
        } else if most < limits.max_part_bytes {
            DocumentError::too_large(DocumentBound::TotalBytes, limits.max_total_bytes)
        } else {
            DocumentError::too_large(DocumentBound::PartBytes, limits.max_part_bytes)
        }
    }

    /// Returns the text of a required part.
    pub(super) fn needed(&mut self, name: &str) -> Result<String, DocumentError> {
        self.part(name)?
            .ok_or(DocumentError::Damaged("a part is missing"))
    }

    /// Returns the text of the first related part of a type, or an empty string.
    pub(super) fn related(
        &mut self,
        links: &Relationships,
        kind: &str,
    ) -> Result<String, DocumentError> {
        match links.target(kind) {
            Some(target) => Ok(self.part(target)?.unwrap_or_default()),
            None => Ok(String::new()),
        }
    }

    pub(super) fn limits(&self) -> DocumentLimits {
        self.limits
    }

    /// Returns the relationships of a part, which may be empty.
    pub(super) fn relationships(&mut self, source: &str) -> Result<Relationships, DocumentError> {
        match self.part(&relationships_of(source))? {
            Some(text) => Relationships::parse(source, &text, &self.limits),
            None => Ok(Relationships::default()),
        }
    }

    /// Returns the name of the main part, from the relationships of the archive.
    pub(super) fn main_part(&mut self) -> Result<String, DocumentError> {
        // Not by a fixed name such as `word/document.xml`, which the format does not require.
        let links = self.relationships("")?;
        let name = links.target("officeDocument");
        name.map(str::to_owned).ok_or(DocumentError::NotADocument)
    }
}

fn check(bound: DocumentBound, size: u64, most: u64) -> Result<(), DocumentError> {
    if size > most {
        return Err(DocumentError::too_large(bound, most));
    }
    Ok(())
}

#[derive(Debug)]
pub(super) struct Relationship {
    /// Last segment of the type, such as `styles`. The rest differs in the strict format.
    kind: String,
    /// Name of a part, or an external address.
    pub(super) target: String,
    pub(super) external: bool,
}

/// Relationships of one part by id.
#[derive(Debug, Default)]
pub(super) struct Relationships(BTreeMap<String, Relationship>);

impl Relationships {
    pub(super) fn parse(
        source: &str,
        text: &str,
        limits: &DocumentLimits,
    ) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut all = BTreeMap::new();
        while let Some(element) = xml.next_start()? {
            if element.local() == "Relationship" {
                let value = |attribute: &str| element.attribute(attribute).unwrap_or_default();
                let external = value("TargetMode") == "External";
                let target = value("Target");
                let link = Relationship {
                    kind: value("Type")
                        .rsplit('/')
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                    target: if external {
                        target.into_owned()
                    } else {
                        resolve(source, &target)
                    },
                    external,
                };
                all.insert(value("Id").into_owned(), link);
            }
        }
        Ok(Self(all))
    }

    pub(super) fn by_id(&self, id: &str) -> Option<&Relationship> {
        self.0.get(id)
    }

    /// Returns the relationships of a type that refer to parts.
    pub(super) fn parts(&self, kind: &str) -> impl Iterator<Item = &Relationship> {
        self.0
            .values()
            .filter(move |one| one.kind == kind && !one.external)
    }

    /// Returns the first internal target of a type.
    pub(super) fn target(&self, kind: &str) -> Option<&str> {
        self.parts(kind).next().map(|one| one.target.as_str())
    }
}

/// Normalizes a part name for comparison: lowercase, without a leading slash.
pub(super) fn key(name: &str) -> String {
    // The format compares names without case, and some archives have backslashes.
    name.trim_start_matches(['/', '\\'])
        .replace('\\', "/")
        .to_ascii_lowercase()
}

/// Resolves the target of a relationship of `source`.
pub(super) fn resolve(source: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    // A target that starts with a slash is relative to the archive.
    let folder = match source.rfind('/') {
        Some(end) if !target.starts_with('/') => source.get(..end).unwrap_or_default(),
        _ => "",
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    segments.join("/")
}

/// Returns the name of the part with the relationships of `source`. An empty `source` is the
/// archive.
pub(super) fn relationships_of(source: &str) -> String {
    match source.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/_rels/{name}.rels"),
        None => format!("_rels/{source}.rels"),
    }
}

/// Source with a read limit. `ZipArchive::new` itself does not limit the number of bytes that it
/// reads.
#[derive(Debug)]
pub(super) struct LimitedReader<R> {
    source: R,
    /// Number of bytes that may be read, which can be changed later.
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.get() == 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let most = usize::try_from(self.left.get()).unwrap_or(usize::MAX);
        let room = most.min(buffer.len());
        let read = self
            .source
            .read(buffer.get_mut(..room).unwrap_or_default())?;
        self.left.set(self.left.get() - read as u64);
        Ok(read)
    }
}

impl<R: Seek> Seek for LimitedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn resolves_targets_relative_to_source() {
        for (source, target, expected) in [
            ("", "word/document.xml", "word/document.xml"),
            ("", "/word/document.xml", "word/document.xml"),
            ("word/document.xml", "styles.xml", "word/styles.xml"),
            ("ppt/slides/slide1.xml", "../notes/n.xml", "ppt/notes/n.xml"),
            ("word/document.xml", "/odd/styles.xml", "odd/styles.xml"),
            ("word/document.xml", "../../../../x.xml", "x.xml"),
            ("document.xml", "./a.xml#b", "a.xml"),
        ] {
            assert_eq!(resolve(source, target), expected, "{source} {target}");
        }
    }

    #[test]
    fn names_relationship_parts() {
        for (source, expected) in [
            ("", "_rels/.rels"),
            ("document.xml", "_rels/document.xml.rels"),
            ("word/document.xml", "word/_rels/document.xml.rels"),
        ] {
            assert_eq!(relationships_of(source), expected);
        }
    }

    #[test]
    fn exceeding_limit_is_error_not_eof() {
        let mut metered = LimitedReader {
            source: Cursor::new(b"12345"),
            left: Rc::new(Cell::new(3)),
        };
        let mut text = String::new();

        let error = metered.read_to_string(&mut text).unwrap_err();

        assert_eq!(
            (text.as_str(), error.kind()),
            ("123", io::ErrorKind::QuotaExceeded)
        );
    }
}
