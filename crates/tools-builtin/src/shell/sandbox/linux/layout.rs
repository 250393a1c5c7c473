//! Roots that a command must not turn into a bare Git repository.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, statat};

use super::removal::remove;
use crate::workspace::LAYOUT;

/// Root that is not a bare repository. Git would run programs that the configuration of one names.
#[derive(Debug)]
pub(super) struct Layout {
    root: OwnedFd,
    /// Entries of the layout that were missing.
    missing: Vec<CString>,
}

impl Layout {
    /// Reads `root`. Returns `None` if it already has the layout of a bare repository.
    pub(super) fn read(root: BorrowedFd<'_>) -> io::Result<Option<Self>> {
        let names = LAYOUT.into_iter().map(CString::new);
        let mut missing = names.collect::<Result<Vec<_>, _>>()?;
        missing.retain(|name| !exists(root, name));
        if missing.is_empty() {
            return Ok(None);
        }
        let root = root.try_clone_to_owned()?;
        Ok(Some(Self { root, missing }))
    }

    /// Removes a new entry if the root has become a bare repository. Returns its name.
    pub(super) fn restore(&self) -> io::Result<Option<String>> {
        let root = self.root.as_fd();
        let Some(name) = self.missing.first().filter(|_| has_all(root)) else {
            return Ok(None);
        };
        remove(root, name)?;
        Ok(Some(name.to_string_lossy().into_owned()))
    }
}

fn has_all(root: BorrowedFd<'_>) -> bool {
    let names = LAYOUT.into_iter().map(CString::new);
    names.flatten().all(|name| exists(root, &name))
}

fn exists(directory: BorrowedFd<'_>, name: &CStr) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}
