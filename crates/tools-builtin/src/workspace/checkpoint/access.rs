//! Reading entries and changing their modes, without following links.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::{FileType, Mode, OFlags, chmod, openat, readlinkat};

use super::UNSTABLE_RETRIES;
use super::tree::{Item, Stamp};
use crate::workspace::platform;

/// Sets the permission bits of the entry `name`, which may be unreadable but not a symlink.
pub(super) fn set_mode(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let entry: OwnedFd = openat(dir, name, flags, Mode::empty())?;
    if Stamp::of_handle(&entry)?.kind() == FileType::Symlink {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // A handle without access accepts no `fchmod`; its name in /proc leads to the same entry.
    let handle = format!("/proc/self/fd/{}", entry.as_raw_fd());
    Ok(chmod(handle, Mode::from_raw_mode(mode))?)
}

/// Runs `work` while the owner has these permissions for the entry, whose mode is `mode`.
pub(super) fn unlocked<T>(
    dir: &Dir,
    name: &OsStr,
    mode: u32,
    needed: u32,
    work: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    set_mode(dir, name, mode | needed)?;
    let outcome = work();
    set_mode(dir, name, mode)?;
    outcome
}

/// Outcome of reading a file.
pub(super) enum Reading {
    Stable(Vec<u8>, Stamp),
    TooLarge,
    Unstable,
}

/// Reads a regular file that does not change in the meantime.
pub(super) fn read(dir: &Dir, name: &OsStr, limit: u64) -> io::Result<Reading> {
    for _ in 0..=UNSTABLE_RETRIES {
        // The open doesn't wait for a FIFO, and the kind is that of the handle: between the stat and
        // the open, the name could become anything.
        let mut file = platform::open_entry(dir, Path::new(name))?;
        let before = Stamp::of_handle(&file)?;
        if before.kind() != FileType::RegularFile {
            return Ok(Reading::Unstable);
        }
        if before.size > limit {
            return Ok(Reading::TooLarge);
        }
        let mut content = Vec::with_capacity(usize::try_from(before.size).unwrap_or_default());
        (&mut file).take(limit + 1).read_to_end(&mut content)?;
        if Stamp::of_handle(&file)? == before && content.len() as u64 == before.size {
            return Ok(Reading::Stable(content, before));
        }
    }
    Ok(Reading::Unstable)
}

/// Returns the symlink `name` with this stamp as text.
pub(super) fn link(dir: &Dir, name: &OsStr, stamp: &Stamp) -> Item {
    // It fails if the link was replaced in the meantime.
    readlinkat(dir, name, Vec::new()).map_or(Item::Other(stamp.mode), |target| {
        Item::Link(OsString::from_vec(target.into_bytes()))
    })
}
