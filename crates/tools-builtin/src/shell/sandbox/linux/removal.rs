//! Removing what a program left, whatever it is.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, Mode, OFlags, RenameFlags, chmodat, openat, renameat_with, unlinkat,
};
use rustix::io::Errno;

/// Removes `name` from `folder`, with everything below it. What is not there is no error.
pub(super) fn remove(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    if unlink(folder, name)? == Unlinked::Done {
        return Ok(());
    }
    let doomed = open_folder(folder, name)?;
    empty_folder(doomed.as_fd())?;
    Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?)
}

/// Removes everything that is in the folder at `path`.
pub(super) fn empty(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(CWD, path, flags, Mode::empty())?;
    empty_folder(folder.as_fd())
}

/// The names in a folder.
pub(super) fn names(folder: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if ![c".", c".."].contains(&name.as_c_str()) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Opens a folder; a link is not followed.
pub(super) fn open_folder(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?)
}

// A program may nest folders deeper than there is stack, and descriptors: folders are moved up before they are emptied.
fn empty_folder(top: BorrowedFd<'_>) -> io::Result<()> {
    let mut next = 0;
    loop {
        let mut folders = Vec::new();
        for name in names(top)? {
            if unlink(top, &name)? == Unlinked::Folder {
                folders.push(name);
            }
        }
        if folders.is_empty() {
            return Ok(());
        }
        for name in folders {
            let folder = open_folder(top, &name)?;
            for entry in names(folder.as_fd())? {
                if unlink(folder.as_fd(), &entry)? == Unlinked::Folder {
                    move_up(folder.as_fd(), &entry, top, &mut next)?;
                }
            }
            unlinkat(top, &name, AtFlags::REMOVEDIR)?;
        }
    }
}

fn move_up(
    folder: BorrowedFd<'_>,
    name: &CStr,
    top: BorrowedFd<'_>,
    next: &mut u64,
) -> io::Result<()> {
    loop {
        *next += 1;
        let free = format!("toolwright-{next}");
        match renameat_with(folder, name, top, free, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            outcome => return Ok(outcome?),
        }
    }
}

/// What became of a name.
#[derive(Debug, PartialEq, Eq)]
enum Unlinked {
    Done,
    /// It is a folder, which can be opened now, and moved.
    Folder,
}

fn unlink(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<Unlinked> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(Unlinked::Done),
        Err(Errno::ISDIR | Errno::PERM) => {
            // Fails where it is another user's, and then so does what comes next.
            let _ = chmodat(folder, name, Mode::RWXU, AtFlags::empty());
            Ok(Unlinked::Folder)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use tool_test::Scratch;

    use super::*;

    #[test]
    fn what_is_nested_deeper_than_a_path_may_be_is_removed() {
        let scratch = Scratch::new().folder("top");
        let top = scratch.path().join("top");
        let mut folder = openat(CWD, &top, OFlags::RDONLY, Mode::empty()).unwrap();
        // More than a process usually has handles, too.
        for _ in 0..1200 {
            rustix::fs::mkdirat(&folder, "deeper", Mode::RWXU).unwrap();
            folder = open_folder(folder.as_fd(), c"deeper").unwrap();
        }

        empty(&top).unwrap();

        assert_eq!(fs::read_dir(&top).unwrap().count(), 0);
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let scratch = Scratch::new()
            .file("kept/a.txt", "kept")
            .link("top/out", "../kept")
            .file("top/sub/b.txt", "gone");

        empty(&scratch.path().join("top")).unwrap();

        assert!(!scratch.has("top/sub") && !scratch.has("top/out"));
        assert_eq!(scratch.read("kept/a.txt"), "kept");
    }

    #[test]
    fn a_folder_that_was_closed_and_a_name_that_was_taken_are_no_obstacle() {
        let scratch = Scratch::new()
            .file("top/closed/deeper/a.txt", "")
            .file("top/toolwright-1", "");
        let closed = scratch.path().join("top/closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        let root = openat(CWD, scratch.path(), OFlags::RDONLY, Mode::empty()).unwrap();

        remove(root.as_fd(), c"top").unwrap();

        assert!(!scratch.has("top"));
    }
}
