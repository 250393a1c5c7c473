//! Reading what is in a folder.

use std::ffi::OsString;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
#[cfg(target_os = "linux")]
use std::path::Path;

use cap_std::fs::Dir;

use super::EntryKind;

/// How much of a folder is asked for at once.
#[cfg(target_os = "linux")]
const BUFFER_BYTES: usize = 32 * 1024;

/// One name in a folder.
pub(super) struct Name {
    /// As text; what is no UTF-8 is shown as `�`.
    pub(super) text: String,
    /// The name itself where the text is another.
    pub(super) raw: Option<OsString>,
    pub(super) kind: EntryKind,
}

/// At most `limit` names of a folder in no order, and whether these are all. A handle that is fresh was opened for
/// reading, and nobody has read from it.
#[cfg(target_os = "linux")]
pub(super) fn names(folder: &Dir, is_fresh: bool, limit: usize) -> io::Result<(Vec<Name>, bool)> {
    use rustix::fs::{Mode, OFlags, RawDir, openat};

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let own = if is_fresh {
        None
    } else {
        Some(openat(folder, ".", flags, Mode::empty())?)
    };
    let handle = own.as_ref().map_or(folder.as_fd(), AsFd::as_fd);
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let mut listing = RawDir::new(handle, buffer.spare_capacity_mut());
    let mut names = Vec::new();
    while let Some(entry) = listing.next() {
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

#[cfg(target_os = "linux")]
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
#[cfg(not(target_os = "linux"))]
pub(super) fn names(folder: &Dir, _is_fresh: bool, limit: usize) -> io::Result<(Vec<Name>, bool)> {
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

#[cfg(target_os = "linux")]
fn kind_of(folder: &Dir, name: &Path) -> EntryKind {
    folder
        .symlink_metadata(name)
        .map_or(EntryKind::Other, |metadata| {
            EntryKind::of(metadata.file_type())
        })
}
