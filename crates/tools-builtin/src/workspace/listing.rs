//! Reading the names in a directory.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
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

/// Name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// Name as text; bytes that are not UTF-8 are escaped.
    pub(super) text: String,
    /// Name as stored on disk, if it differs from `text`.
    pub(super) raw: Option<OsString>,
    pub(super) kind: EntryKind,
}

impl Name {
    /// Returns the name as stored on disk.
    pub(super) fn stored(&self) -> &OsStr {
        self.raw.as_deref().unwrap_or(self.text.as_ref())
    }

    /// Compares names by the complete paths below them: a directory sorts like its first file.
    fn in_order_of_paths(&self, other: &Self) -> Ordering {
        let order = self.bytes().cmp(other.bytes());
        order.then_with(|| self.stored().cmp(other.stored()))
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        let slash = (self.kind == EntryKind::Directory).then_some(b'/');
        self.text.bytes().chain(slash)
    }
}

/// Reads at most `limit` names, sorted by the paths below them, and returns whether these are
/// all. Set `is_fresh` if the handle was opened for reading and has not been read from.
pub(super) fn read_names(
    directory: &Dir,
    is_fresh: bool,
    limit: usize,
) -> io::Result<(Vec<Name>, bool)> {
    let mut names = Vec::new();
    let is_whole = fill(&mut names, directory, is_fresh, limit)?;
    names.sort_unstable_by(Name::in_order_of_paths);
    Ok((names, is_whole))
}

fn push(names: &mut Vec<Name>, text: String, raw: Option<OsString>, kind: EntryKind) {
    // Here and not in each tool, so that no listing, walk or suggestion can show them.
    if !is_secret_name(&text) {
        names.push(Name { text, raw, kind });
    }
}

#[cfg(target_os = "linux")]
fn fill(names: &mut Vec<Name>, directory: &Dir, is_fresh: bool, limit: usize) -> io::Result<bool> {
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
        if names.len() == limit {
            return Ok(false);
        }
        push_entry(names, directory, bytes, entry.file_type());
    }
    Ok(true)
}

#[cfg(target_os = "linux")]
fn push_entry(
    names: &mut Vec<Name>,
    directory: &Dir,
    bytes: &[u8],
    file_type: rustix::fs::FileType,
) {
    use std::os::unix::ffi::OsStringExt;

    let stored = OsString::from_vec(bytes.to_owned());
    let kind = match file_type {
        rustix::fs::FileType::RegularFile => EntryKind::File,
        rustix::fs::FileType::Directory => EntryKind::Directory,
        rustix::fs::FileType::Symlink => EntryKind::Link,
        // Some file systems do not report the kind.
        rustix::fs::FileType::Unknown => kind_of(directory, Path::new(&stored)),
        _ => EntryKind::Other,
    };
    match stored.into_string() {
        Ok(text) => push(names, text, None, kind),
        Err(raw) => push(names, escaped(bytes), Some(raw), kind),
    }
}

#[cfg(not(target_os = "linux"))]
fn fill(names: &mut Vec<Name>, directory: &Dir, _is_fresh: bool, limit: usize) -> io::Result<bool> {
    let mut listing = directory.entries()?;
    for found in listing.by_ref().take(limit) {
        let found = found?;
        let name = found.file_name();
        let text = name.to_string_lossy().into_owned();
        let kind = EntryKind::of(found.file_type()?);
        let raw = (*text != *name).then_some(name);
        push(names, text, raw, kind);
    }
    Ok(listing.next().is_none())
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

    fn texts(names: &[Name]) -> Vec<&str> {
        names.iter().map(|name| name.text.as_str()).collect()
    }

    #[test]
    fn reads_names_up_to_limit() {
        let scratch = Scratch::new()
            .file("b", "")
            .file("a/x", "")
            .file("a.txt", "");
        let directory = opened(&scratch);
        for (limit, count, is_whole) in [(0, 0, false), (2, 2, false), (3, 3, true), (9, 3, true)] {
            let (names, complete) = read_names(&directory, false, limit).unwrap();

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
            let (names, _) = read_names(&directory, false, 10).unwrap();

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
        let mut names = Vec::new();
        let all = [
            (r"\xFF", EntryKind::File),
            ("file", EntryKind::File),
            ("folder", EntryKind::Directory),
            ("link", EntryKind::Link),
            ("socket", EntryKind::Other),
        ];

        let (listed, _) = read_names(&directory, false, 10).unwrap();
        for name in ["file", "folder", "link", "socket", "gone"] {
            push_entry(
                &mut names,
                &directory,
                name.as_bytes(),
                rustix::fs::FileType::Unknown,
            );
        }

        let kinds: Vec<_> = listed.iter().map(|name| (&*name.text, name.kind)).collect();
        assert_eq!(kinds, all);
        assert_eq!(listed[0].stored(), raw);
        let kinds: Vec<_> = names.iter().map(|name| name.kind).collect();
        let expected = [all[1].1, all[2].1, all[3].1, all[4].1, EntryKind::Other];
        assert_eq!(kinds, expected);
        drop(socket);
    }

    fn name(text: &str, is_directory: bool) -> Name {
        let kind = if is_directory {
            EntryKind::Directory
        } else {
            EntryKind::File
        };
        Name {
            text: text.to_owned(),
            raw: None,
            kind,
        }
    }

    #[test]
    fn names_sort_like_paths_below() {
        // Names contain neither slashes nor NULs.
        let text = "[ab.é\\x01-]{1,10}";
        proptest!(|(left in text, right in text, directories: [bool; 2])| {
            let names = [name(&left, directories[0]), name(&right, directories[1])];
            let [below_left, below_right] = names.each_ref().map(|name| match name.kind {
                EntryKind::Directory => format!("{}/", name.text),
                _ => name.text.clone(),
            });

            let order = names[0].in_order_of_paths(&names[1]);

            if below_left != below_right && left != right {
                prop_assert_eq!(order, below_left.cmp(&below_right));
            }
        });
    }
}
