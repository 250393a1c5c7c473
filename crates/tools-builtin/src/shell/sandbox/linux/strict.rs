//! Write access to a root without its protected names.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

use super::entries::{names, open_directory};
use crate::shell::sandbox::SandboxUnavailable;
use crate::workspace::{Root, Workspace};

/// Maximum number of entries of a root that are granted separately.
const MAX_GRANTED: usize = 10_000;

/// Returns handles of all current entries in `root` without the protected names, as few as
/// possible. Symlinks are omitted, because other rules apply to their targets.
pub(super) fn unprotected(
    workspace: &Workspace,
    root: &Root,
) -> Result<Vec<OwnedFd>, SandboxUnavailable> {
    let mut search = Search {
        workspace,
        granted: Vec::new(),
    };
    // Root handles are opened with `O_PATH` and cannot list entries.
    open_directory(root.handle().as_fd(), c".")
        .and_then(|root| search.collect(root.as_fd(), ""))
        .map_err(|error| SandboxUnavailable::Protected(".".to_owned(), error))?;
    Ok(search.granted)
}

struct Search<'w> {
    workspace: &'w Workspace,
    granted: Vec<OwnedFd>,
}

impl Search<'_> {
    /// Descends only into directories that contain protected names.
    fn collect(&mut self, directory: BorrowedFd<'_>, above: &str) -> io::Result<()> {
        for name in names(directory)? {
            let path = path_of(above, &name);
            let Some((entry, kind)) = open(directory, &name)? else {
                continue;
            };
            let protected = self.workspace.protected();
            if kind == FileType::Directory && protected.is_above(Path::new(&path)) {
                let directory = open_directory(directory, &name)?;
                self.collect(directory.as_fd(), &path)?;
            } else if self.granted.len() == MAX_GRANTED {
                return Err(io::ErrorKind::FileTooLarge.into());
            } else if !protected.covers(None, Path::new(&path)) {
                self.granted.push(entry);
            }
        }
        Ok(())
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

/// Opens a file or directory. Returns `None` for other types and missing names.
fn open(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<(OwnedFd, FileType)>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match openat(directory, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        outcome => outcome?,
    };
    let kind = FileType::from_raw_mode(fstat(&opened)?.st_mode);
    let is_granted = matches!(kind, FileType::RegularFile | FileType::Directory);
    Ok(is_granted.then_some((opened, kind)))
}
