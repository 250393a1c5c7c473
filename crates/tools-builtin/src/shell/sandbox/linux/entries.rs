//! Entries of directories: listing, opening, creating and removing them. Nothing here follows a
//! symlink, because a command can replace any entry while we look at it.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, chmodat, fstat, openat, renameat_with,
    statat, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::workspace::{Root, Workspace};

/// Returns the names in a directory.
pub(super) fn names(directory: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let name = entry?.file_name().to_owned();
        if ![c".", c".."].contains(&name.as_c_str()) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Returns the type of an entry, or `None` if it does not exist.
pub(super) fn kind(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<FileType>> {
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens a directory.
pub(super) fn open_directory(directory: BorrowedFd<'_>, name: impl Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(directory, name, flags, Mode::empty())?)
}

/// Opens a directory, even if its owner has no permission for it.
pub(super) fn open_accessible(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    match open_directory(directory, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_accessible(directory, name)?;
            open_directory(directory, name)
        }
        opened => opened,
    }
}

/// Calls `change` while the owner of an open directory may write to it.
pub(super) fn while_writable<T>(
    directory: BorrowedFd<'_>,
    change: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    let mode = Mode::from_raw_mode(fstat(directory)?.st_mode);
    set_mode(directory, mode | Mode::RWXU)?;
    let changed = change();
    set_mode(directory, mode)?;
    changed
}

/// Changes the mode of an open entry.
fn set_mode(opened: BorrowedFd<'_>, mode: Mode) -> io::Result<()> {
    // `fchmod` rejects handles opened with `O_PATH`, but their path in `/proc` works.
    let path = format!("/proc/self/fd/{}", opened.as_raw_fd());
    Ok(chmodat(CWD, path, mode, AtFlags::empty())?)
}

/// Opens a file for reading.
pub(super) fn open_file(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<File> {
    // A command may have replaced the file by a FIFO: without `NONBLOCK`, opening one waits for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(directory, name, flags, Mode::empty())?.into())
}

/// Creates a file that does not exist.
pub(super) fn create_file(directory: BorrowedFd<'_>, name: &CStr, mode: Mode) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(directory, name, flags, mode)?.into())
}

/// Removes `name` from `directory`, with everything below it. Succeeds if `name` does not exist.
pub(super) fn remove(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    if !unlink_unless_directory(directory, name)? {
        return Ok(());
    }
    let doomed = open_directory(directory, name)?;
    empty_directory(doomed.as_fd())?;
    Ok(unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}

/// Removes everything in the directory at `path`.
pub(super) fn empty(path: &Path) -> io::Result<()> {
    empty_directory(open_directory(CWD, path)?.as_fd())
}

// Programs may nest directories deeper than the stack or the number of open files allows, so move
// subdirectories up before emptying them.
fn empty_directory(top: BorrowedFd<'_>) -> io::Result<()> {
    let mut next = 0;
    loop {
        let mut directories = Vec::new();
        for name in names(top)? {
            if unlink_unless_directory(top, &name)? {
                directories.push(name);
            }
        }
        if directories.is_empty() {
            return Ok(());
        }
        for name in directories {
            let directory = open_directory(top, &name)?;
            for entry in names(directory.as_fd())? {
                if unlink_unless_directory(directory.as_fd(), &entry)? {
                    move_up(directory.as_fd(), &entry, top, &mut next)?;
                }
            }
            unlinkat(top, &name, AtFlags::REMOVEDIR)?;
        }
    }
}

fn move_up(
    directory: BorrowedFd<'_>,
    name: &CStr,
    top: BorrowedFd<'_>,
    next: &mut u64,
) -> io::Result<()> {
    loop {
        *next += 1;
        let free = format!("toolwright-{next}");
        match renameat_with(directory, name, top, free, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            outcome => return Ok(outcome?),
        }
    }
}

/// Removes `name`, or returns `true` if it is a directory, whose mode then allows opening and moving
/// it.
fn unlink_unless_directory(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(false),
        // Linux reports `EISDIR` for a directory; POSIX says `EPERM`.
        Err(Errno::ISDIR | Errno::PERM) => {
            // Fails if the directory belongs to another user; the next step then fails too.
            let _ = make_accessible(directory, name);
            Ok(true)
        }
        Err(error) => Err(error.into()),
    }
}

/// Changes the mode by handle: an overlapping call may replace the directory by a symlink.
fn make_accessible(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(directory, name, flags, Mode::empty())?;
    set_mode(opened.as_fd(), Mode::RWXU)
}

/// Directories of repositories, which are too large to restore as a whole. What could run programs in them
/// is restored separately.
const REPOSITORIES: [&str; 2] = [".git/modules", ".git/worktrees"];

/// Returns the protected paths that are not too large to restore.
pub(super) fn kept(workspace: &Workspace) -> impl Iterator<Item = &str> {
    let paths = workspace.protected().paths();
    paths.filter(|path| !REPOSITORIES.contains(path))
}

/// Returns the roots that programs may write to.
pub(super) fn writable_roots(workspace: &Workspace) -> impl Iterator<Item = &Root> {
    workspace.roots().filter(|root| !root.is_read_only())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use tool_test::Scratch;

    use super::*;

    #[test]
    fn removes_trees_deeper_than_path_limit() {
        let scratch = Scratch::new().folder("top");
        let top = scratch.path().join("top");
        let mut directory = openat(CWD, &top, OFlags::RDONLY, Mode::empty()).unwrap();
        // More than the usual limit of open files.
        for _ in 0..1200 {
            rustix::fs::mkdirat(&directory, "deeper", Mode::RWXU).unwrap();
            directory = open_directory(directory.as_fd(), c"deeper").unwrap();
        }

        empty(&top).unwrap();

        assert_eq!(fs::read_dir(&top).unwrap().count(), 0);
    }

    #[test]
    fn removes_symlinks_without_following() {
        let scratch = Scratch::new()
            .file("kept/a.txt", "kept")
            .link("top/out", "../kept")
            .file("top/sub/b.txt", "gone");

        empty(&scratch.path().join("top")).unwrap();

        assert!(!scratch.has("top/sub") && !scratch.has("top/out"));
        assert_eq!(scratch.read("kept/a.txt"), "kept");
    }

    #[test]
    fn removes_inaccessible_directories() {
        let scratch = Scratch::new()
            .file("top/closed/deeper/a.txt", "")
            .file("top/toolwright-1", "");
        let closed = scratch.path().join("top/closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        let root = openat(CWD, scratch.path(), OFlags::RDONLY, Mode::empty()).unwrap();

        remove(root.as_fd(), c"top").unwrap();

        assert!(!scratch.has("top"));
    }

    #[test]
    fn directory_is_writable_only_during_the_change() {
        let scratch = Scratch::new().folder("closed");
        let path = scratch.path().join("closed");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o555)).unwrap();
        let closed = openat(CWD, &path, OFlags::PATH, Mode::empty()).unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;

        let during = while_writable(closed.as_fd(), || Ok(mode())).unwrap();
        let failed = while_writable(closed.as_fd(), || Err::<(), _>(io::ErrorKind::Other.into()));

        assert_eq!((during, mode(), failed.is_err()), (0o755, 0o555, true));
    }

    #[test]
    fn keeps_mode_of_symlink_target() {
        let scratch = Scratch::new().file("kept", "").link("link", "kept");
        let kept = scratch.path().join("kept");
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o640)).unwrap();
        let root = openat(CWD, scratch.path(), OFlags::RDONLY, Mode::empty()).unwrap();

        // As if an overlapping call had replaced a directory by the link.
        let outcome = make_accessible(root.as_fd(), c"link");

        let mode = fs::metadata(&kept).unwrap().permissions().mode();
        assert_eq!((outcome.is_err(), mode & 0o777), (true, 0o640));
    }
}
