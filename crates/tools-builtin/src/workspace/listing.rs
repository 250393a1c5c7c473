//! Reading the names in a directory.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::io;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::path::Path;

use cap_std::fs::{Dir, FileType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
use super::path::escaped;
use super::protected_names::is_secret_name;

/// Kind of a directory entry.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::EntryKind;
///
/// assert_eq!(serde_json::to_string(&EntryKind::Directory)?, "\"directory\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, FIFO or socket.
    Other,
}

impl EntryKind {
    pub(super) fn of(kind: FileType) -> Self {
        if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}

/// Buffer size in bytes for reading a directory.
#[cfg(target_os = "linux")]
const BUFFER_BYTES: usize = 16 * 1024;

/// Initial capacity, enough for most directories.
const USUAL_NAMES: usize = 32;
const USUAL_BYTES: usize = 512;

/// Names in a directory: one string, and the range of each name.
#[derive(Debug)]
pub(super) struct EntryNames {
    text: String,
    places: Vec<NameRange>,
}

#[derive(Debug)]
struct NameRange {
    key: u64,
    start: usize,
    end: usize,
    kind: EntryKind,
    raw: Option<Box<OsString>>,
}

/// Name in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name<'n> {
    /// Name as text; bytes that are not UTF-8 are escaped.
    pub(super) text: &'n str,
    /// Name as stored on disk, if it differs from `text`.
    pub(super) raw: Option<&'n OsString>,
    pub(super) kind: EntryKind,
}

impl<'n> Name<'n> {
    /// Returns the name as stored on disk.
    fn path(self) -> &'n Path {
        self.raw.map_or(Path::new(self.text), Path::new)
    }

    /// Compares names by the complete paths below them: a directory sorts like its first file.
    fn in_order_of_paths(self, other: Self) -> Ordering {
        let [left, right] = [self, other].map(|name| name.text.as_bytes());
        let shared = left.len().min(right.len());
        // If one name is a prefix of the other, compare the next byte.
        left.get(..shared)
            .cmp(&right.get(..shared))
            .then_with(|| self.byte_at(shared).cmp(&other.byte_at(shared)))
            .then_with(|| self.path().cmp(other.path()))
    }

    fn byte_at(self, index: usize) -> Option<u8> {
        let slash = (self.kind == EntryKind::Directory).then_some(b'/');
        self.text.as_bytes().get(index).copied().or(slash)
    }

    /// Returns the first eight bytes as a number. If two keys differ, the names sort the same way,
    /// because names do not contain NUL.
    fn key(self) -> u64 {
        let mut bytes = [0; 8];
        let name = self.text.bytes();
        let slash = (self.kind == EntryKind::Directory).then_some(b'/');
        for (slot, byte) in bytes.iter_mut().zip(name.chain(slash)) {
            *slot = byte;
        }
        u64::from_be_bytes(bytes)
    }
}

impl NameRange {
    fn of<'n>(&'n self, text: &'n str) -> Name<'n> {
        Name {
            text: text.get(self.start..self.end).unwrap_or_default(),
            raw: self.raw.as_deref(),
            kind: self.kind,
        }
    }
}

impl EntryNames {
    /// Reads at most `limit` names, sorted by the paths below them, and returns whether these are
    /// all. Set `is_fresh` if the handle was opened for reading and has not been read from.
    pub(super) fn read(directory: &Dir, is_fresh: bool, limit: usize) -> io::Result<(Self, bool)> {
        let mut names = Self {
            text: String::with_capacity(USUAL_BYTES),
            places: Vec::with_capacity(USUAL_NAMES),
        };
        let is_whole = names.fill(directory, is_fresh, limit)?;
        let Self { text, places } = &mut names;
        places.sort_unstable_by(|left, right| {
            let whole = || left.of(text).in_order_of_paths(right.of(text));
            left.key.cmp(&right.key).then_with(whole)
        });
        Ok((names, is_whole))
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<Name<'_>> {
        Some(self.places.get(index)?.of(&self.text))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Name<'_>> {
        self.places.iter().map(|place| place.of(&self.text))
    }

    fn push(&mut self, text: &str, raw: Option<OsString>, kind: EntryKind) {
        // Here and not in each tool, so that no listing, walk or suggestion can show them.
        if is_secret_name(text) {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        let name = Name {
            text,
            raw: raw.as_ref(),
            kind,
        };
        self.places.push(NameRange {
            key: name.key(),
            start,
            end: self.text.len(),
            kind,
            raw: raw.map(Box::new),
        });
    }

    #[cfg(target_os = "linux")]
    fn fill(&mut self, directory: &Dir, is_fresh: bool, limit: usize) -> io::Result<bool> {
        use rustix::fs::{Mode, OFlags, RawDir, openat};

        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || openat(directory, ".", flags, Mode::empty());
        // Reading moves the position of a handle, which other threads may share, so open a separate one.
        let own = (!is_fresh).then(open).transpose()?;
        let handle = own.as_ref().map_or(directory.as_fd(), AsFd::as_fd);
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut listing = RawDir::new(handle, &mut buffer);
        while let Some(entry) = listing.next() {
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") {
                continue;
            }
            if self.len() == limit {
                return Ok(false);
            }
            self.push_entry(directory, bytes, entry.file_type());
        }
        Ok(true)
    }

    #[cfg(target_os = "linux")]
    fn push_entry(&mut self, directory: &Dir, bytes: &[u8], file_type: rustix::fs::FileType) {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};

        let kind = match file_type {
            rustix::fs::FileType::RegularFile => EntryKind::File,
            rustix::fs::FileType::Directory => EntryKind::Directory,
            rustix::fs::FileType::Symlink => EntryKind::Link,
            // Some file systems do not report the kind.
            rustix::fs::FileType::Unknown => {
                kind_of(directory, Path::new(std::ffi::OsStr::from_bytes(bytes)))
            }
            _ => EntryKind::Other,
        };
        if let Ok(text) = std::str::from_utf8(bytes) {
            self.push(text, None, kind);
        } else {
            let raw = OsString::from_vec(bytes.to_owned());
            self.push(&escaped(bytes), Some(raw), kind);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn fill(&mut self, directory: &Dir, _is_fresh: bool, limit: usize) -> io::Result<bool> {
        let mut listing = directory.entries()?;
        for found in listing.by_ref().take(limit) {
            let found = found?;
            let name = found.file_name();
            let text = name.to_string_lossy().into_owned();
            let kind = EntryKind::of(found.file_type()?);
            let raw = (*text != *name).then_some(name);
            self.push(&text, raw, kind);
        }
        Ok(listing.next().is_none())
    }
}

#[cfg(target_os = "linux")]
fn kind_of(directory: &Dir, name: &Path) -> EntryKind {
    let metadata = directory.symlink_metadata(name);
    metadata.map_or(EntryKind::Other, |found| EntryKind::of(found.file_type()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tool_test::Scratch;

    use super::*;

    fn opened(scratch: &Scratch) -> Dir {
        Dir::open_ambient_dir(scratch.path(), cap_std::ambient_authority()).unwrap()
    }

    fn texts(names: &EntryNames) -> Vec<&str> {
        names.iter().map(|name| name.text).collect()
    }

    #[test]
    fn reads_names_up_to_limit() {
        let scratch = Scratch::new()
            .file("b", "")
            .file("a/x", "")
            .file("a.txt", "");
        let directory = opened(&scratch);
        for (limit, count, is_whole) in [(0, 0, false), (2, 2, false), (3, 3, true), (9, 3, true)] {
            let (names, complete) = EntryNames::read(&directory, false, limit).unwrap();

            assert_eq!((names.len(), complete), (count, is_whole), "{limit}");
        }
    }

    #[test]
    fn rereads_used_handle_from_start() {
        let scratch = Scratch::new()
            .file("b", "")
            .file("a/x", "")
            .file("a.txt", "");
        let directory = opened(&scratch);

        for _ in 0..2 {
            let (names, _) = EntryNames::read(&directory, false, 10).unwrap();

            assert_eq!(texts(&names), ["a.txt", "a", "b"]);
            assert_eq!(
                names.get(1).map(|name| name.kind),
                Some(EntryKind::Directory)
            );
            assert_eq!(names.get(3), None);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn reports_kind_of_every_entry() {
        use std::os::unix::ffi::OsStrExt;

        let scratch = Scratch::new()
            .file("file", "")
            .folder("folder")
            .link("link", "nowhere");
        let socket = std::os::unix::net::UnixListener::bind(scratch.path().join("socket")).unwrap();
        let raw = std::ffi::OsStr::from_bytes(b"\xff");
        std::fs::write(scratch.path().join(raw), "").unwrap();
        let directory = opened(&scratch);
        let mut names = EntryNames {
            text: String::new(),
            places: Vec::new(),
        };
        let all = [
            (r"\xFF", EntryKind::File),
            ("file", EntryKind::File),
            ("folder", EntryKind::Directory),
            ("link", EntryKind::Link),
            ("socket", EntryKind::Other),
        ];

        let (listed, _) = EntryNames::read(&directory, false, 10).unwrap();
        for name in ["file", "folder", "link", "socket", "gone"] {
            names.push_entry(&directory, name.as_bytes(), rustix::fs::FileType::Unknown);
        }

        let kinds: Vec<_> = listed.iter().map(|name| (name.text, name.kind)).collect();
        assert_eq!(kinds, all);
        assert_eq!(listed.get(0).unwrap().path(), Path::new(raw));
        let kinds: Vec<_> = names.iter().map(|name| name.kind).collect();
        let expected = [all[1].1, all[2].1, all[3].1, all[4].1, EntryKind::Other];
        assert_eq!(kinds, expected);
        drop(socket);
    }

    fn name(text: &str, is_directory: bool) -> Name<'_> {
        let kind = if is_directory {
            EntryKind::Directory
        } else {
            EntryKind::File
        };
        Name {
            text,
            raw: None,
            kind,
        }
    }

    #[test]
    fn names_and_keys_sort_like_paths_below() {
        // Names contain neither slashes nor NULs.
        let text = "[ab.é\\x01-]{1,10}";
        proptest!(|(left in text, right in text, directories: [bool; 2])| {
            let names = [name(&left, directories[0]), name(&right, directories[1])];
            let [below_left, below_right] = names.map(|name| match name.kind {
                EntryKind::Directory => format!("{}/", name.text),
                _ => name.text.to_owned(),
            });

            let order = names[0].in_order_of_paths(names[1]);
            let keys = names[0].key().cmp(&names[1].key());

            if below_left != below_right && left != right {
                prop_assert_eq!(order, below_left.cmp(&below_right));
            }
            prop_assert!(keys.is_eq() || keys == order);
        });
    }
}
