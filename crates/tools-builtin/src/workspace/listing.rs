//! Reading what is in a folder.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use cap_std::fs::Dir;

use super::EntryKind;

/// One name in a folder.
pub(super) struct Name {
    /// As text; what is no UTF-8 is shown as `�`.
    pub(super) text: String,
    /// The name itself where the text is another.
    pub(super) raw: Option<OsString>,
    pub(super) kind: EntryKind,
}

/// At most `limit` names of a folder in no order, and whether these are all.
#[cfg(unix)]
pub(super) fn names(folder: &Dir, limit: usize) -> io::Result<(Vec<Name>, bool)> {
    use rustix::fs::{Mode, OFlags, openat};

    // A handle of its own: the folder's may be one that cannot be read from, and others may read at the same time.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::new(openat(folder, ".", flags, Mode::empty())?)? {
        let entry = entry?;
        let bytes = entry.file_name().to_bytes();
        if matches!(bytes, b"." | b"..") {
            continue;
        }
        if names.len() == limit {
            return Ok((names, false));
        }
        names.push(name(folder, bytes, entry.file_type()));
    }
    Ok((names, true))
}

#[cfg(unix)]
fn name(folder: &Dir, bytes: &[u8], told: rustix::fs::FileType) -> Name {
    use std::os::unix::ffi::OsStringExt;

    let (text, raw) = match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (
            String::from_utf8_lossy(bytes).into_owned(),
            Some(OsString::from_vec(bytes.to_owned())),
        ),
    };
    let kind = match told {
        rustix::fs::FileType::RegularFile => EntryKind::File,
        rustix::fs::FileType::Directory => EntryKind::Directory,
        rustix::fs::FileType::Symlink => EntryKind::Link,
        // Some file systems leave the kind out of a listing.
        rustix::fs::FileType::Unknown => {
            kind_of(folder, Path::new(raw.as_deref().unwrap_or(text.as_ref())))
        }
        _ => EntryKind::Other,
    };
    Name { text, raw, kind }
}

/// At most `limit` names of a folder in no order, and whether these are all.
#[cfg(not(unix))]
pub(super) fn names(folder: &Dir, limit: usize) -> io::Result<(Vec<Name>, bool)> {
    let mut listing = folder.entries()?;
    let mut names = Vec::new();
    for found in listing.by_ref().take(limit) {
        let found = found?;
        let name = found.file_name();
        let text = name.to_string_lossy().into_owned();
        names.push(Name {
            kind: EntryKind::of(found.file_type()?),
            raw: (*text != *name).then_some(name),
            text,
        });
    }
    Ok((names, listing.next().is_none()))
}

#[cfg(unix)]
fn kind_of(folder: &Dir, name: &Path) -> EntryKind {
    folder
        .symlink_metadata(name)
        .map_or(EntryKind::Other, |metadata| {
            EntryKind::of(metadata.file_type())
        })
}
