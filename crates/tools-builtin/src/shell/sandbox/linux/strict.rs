//! What may be written in a root of which some names may not.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

use super::protected;
use super::removal::{names, open_folder};
use crate::shell::sandbox::SandboxUnavailable;
use crate::workspace::{Root, Workspace};

/// How many entries of a root may be granted one by one.
const MAX_GRANTED: usize = 10_000;

/// Everything that is in `root` now, as near to it as may be, without what is protected. Links lead to where other
/// rules hold, and are left out.
pub(super) fn unprotected(
    workspace: &Workspace,
    root: &Root,
) -> Result<Vec<OwnedFd>, SandboxUnavailable> {
    let mut search = Search {
        workspace,
        granted: Vec::new(),
    };
    // The handle of a root names a folder and does not list it.
    open_folder(root.handle().as_fd(), c".")
        .and_then(|root| search.collect(root.as_fd(), ""))
        .map_err(|error| SandboxUnavailable::Protected(".".to_owned(), error))?;
    Ok(search.granted)
}

struct Search<'w> {
    workspace: &'w Workspace,
    granted: Vec<OwnedFd>,
}

impl Search<'_> {
    /// Goes no deeper than there are protected names.
    fn collect(&mut self, folder: BorrowedFd<'_>, above: &str) -> io::Result<()> {
        for name in names(folder)? {
            let path = path_of(above, &name);
            let Some((entry, kind)) = open(folder, &name)? else {
                continue;
            };
            if kind == FileType::Directory && self.holds_protected(&path) {
                let folder = open_folder(folder, &name)?;
                self.collect(folder.as_fd(), &path)?;
            } else if self.granted.len() == MAX_GRANTED {
                return Err(io::ErrorKind::FileTooLarge.into());
            } else if !self.workspace.protects(Path::new(&path)) {
                self.granted.push(entry);
            }
        }
        Ok(())
    }

    fn holds_protected(&self, path: &str) -> bool {
        let is_below = |name: &str| {
            name.strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        protected::names(self.workspace).any(is_below)
    }
}

fn path_of(above: &str, name: &CStr) -> String {
    let name = name.to_string_lossy();
    if above.is_empty() {
        name.into_owned()
    } else {
        format!("{above}/{name}")
    }
}

/// A handle of a file or folder; nothing for what is neither, or gone.
fn open(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<(OwnedFd, FileType)>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        outcome => outcome?,
    };
    let kind = FileType::from_raw_mode(fstat(&opened)?.st_mode);
    let is_granted = matches!(kind, FileType::RegularFile | FileType::Directory);
    Ok(is_granted.then_some((opened, kind)))
}
