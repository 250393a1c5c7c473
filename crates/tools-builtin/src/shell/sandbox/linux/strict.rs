//! What may be written in a root of which some names may not.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

use super::protected::PROTECTED;
use super::removal::{names, open_folder};
use crate::shell::sandbox::SandboxUnavailable;

/// How many entries may be granted one by one.
const MAX_GRANTED: usize = 10_000;

/// Everything that is in `root` now, as near to it as may be, without what is protected. Links lead to where other
/// rules hold, and are left out.
pub(super) fn unprotected(root: BorrowedFd<'_>) -> Result<Vec<OwnedFd>, SandboxUnavailable> {
    let mut granted = Vec::new();
    // The handle of a root names a folder and does not list it.
    open_folder(root, c".")
        .and_then(|root| collect(root.as_fd(), "", &mut granted))
        .map_err(|error| SandboxUnavailable::Protected(".", error))?;
    Ok(granted)
}

fn collect(folder: BorrowedFd<'_>, above: &str, granted: &mut Vec<OwnedFd>) -> io::Result<()> {
    for name in names(folder)? {
        let path = path_of(above, &name);
        let holds_protected = PROTECTED
            .iter()
            .any(|protected| is_at_or_below(protected, &path));
        let Some(entry) = open(folder, &name)? else {
            continue;
        };
        if holds_protected {
            // A file or link in the place of `.git` is as good as the names in it.
            if let Ok(opened) = open_folder(folder, &name)
                && !PROTECTED.contains(&path.as_str())
            {
                collect(opened.as_fd(), &path, granted)?;
            }
        } else if granted.len() == MAX_GRANTED {
            return Err(io::ErrorKind::FileTooLarge.into());
        } else {
            granted.push(entry);
        }
    }
    Ok(())
}

fn path_of(above: &str, name: &CString) -> String {
    let name = name.to_string_lossy();
    if above.is_empty() {
        name.into_owned()
    } else {
        format!("{above}/{name}")
    }
}

fn is_at_or_below(protected: &str, path: &str) -> bool {
    protected
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A handle of a file or folder; nothing for what is neither, or gone.
fn open(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        outcome => outcome?,
    };
    let kind = FileType::from_raw_mode(fstat(&opened)?.st_mode);
    let is_granted = matches!(kind, FileType::RegularFile | FileType::Directory);
    Ok(is_granted.then_some(opened))
}
