//! Roots that a command must not turn into a bare Git repository.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, statat};

use super::removal::remove;
use crate::workspace::LAYOUT;

/// Root that is not a bare repository. Git would run programs that the configuration of one names.
#[derive(Debug)]
pub(super) struct Layout {
    root: OwnedFd,
    /// First entry of the layout that was missing.
    missing: &'static str,
}

impl Layout {
    /// Reads `root`. Returns `None` if it already has the layout of a bare repository.
    pub(super) fn read(root: BorrowedFd<'_>) -> io::Result<Option<Self>> {
        let Some(missing) = LAYOUT.into_iter().find(|name| !exists(root, name)) else {
            return Ok(None);
        };
        let root = root.try_clone_to_owned()?;
        Ok(Some(Self { root, missing }))
    }

    /// Removes a new entry if the root has become a bare repository. Returns its name.
    pub(super) fn restore(&self) -> io::Result<Option<String>> {
        let root = self.root.as_fd();
        if !LAYOUT.into_iter().all(|name| exists(root, name)) {
            return Ok(None);
        }
        // Entries that existed before may belong to the user. One missing entry is enough to make it no repository.
        remove(root, &CString::new(self.missing)?)?;
        Ok(Some(self.missing.to_owned()))
    }
}

fn exists(directory: BorrowedFd<'_>, name: &str) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}
