//! Empty files for commands that may write to one missing file, and to nothing else in its directory.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, ResolveFlags, Timespec, Timestamps, futimens, openat2, unlinkat,
};

use super::entries::create_file;
use crate::workspace::EntryStamp;

/// Mode of new files, from which the system removes the user's mask.
const MODE: u32 = 0o666;

/// Time of the last change of a file that nothing has written to. Every write, truncation or `touch` sets
/// another one, so that an empty file that a command wanted is not taken for an unused one.
const UNTOUCHED: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// Empty file that a call may write to. It is removed when this is dropped, unless something has written
/// to it.
#[derive(Debug)]
pub(super) struct NewFile {
    directory: OwnedFd,
    name: CString,
    created: EntryStamp,
}

impl NewFile {
    /// Creates the file at `path`, without following symlinks. Returns `None` if the entry exists or the
    /// user cannot create it; the command then fails or succeeds like any other.
    pub(super) fn create(path: &Path) -> Option<Self> {
        // A directory, in which nothing is created for the command.
        if path.as_os_str().as_bytes().ends_with(b"/") {
            return None;
        }
        Self::create_at(path.parent()?, path.file_name()?.as_bytes()).ok()
    }

    fn create_at(directory: &Path, name: &[u8]) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let links = ResolveFlags::NO_SYMLINKS;
        // Keep the handle: at the end, the file must be removed from this directory, even if it has another path then.
        let directory = openat2(CWD, directory, flags, Mode::empty(), links)?;
        let name = CString::new(name)?;
        let file = create_file(directory.as_fd(), &name, Mode::from_raw_mode(MODE))?;
        let times = Timestamps {
            last_access: UNTOUCHED,
            last_modification: UNTOUCHED,
        };
        futimens(&file, &times)?;
        // File systems round times.
        let created = EntryStamp::of_handle(&file)?;
        Ok(Self {
            directory,
            name,
            created,
        })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        let now = EntryStamp::of_entry(&self.directory, OsStr::from_bytes(self.name.to_bytes()));
        if now.is_ok_and(|now| now == self.created)
            && let Err(error) = unlinkat(&self.directory, &self.name, AtFlags::empty())
        {
            tracing::warn!(%error, "an unused file of a command could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, FileTimes};
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use tool_test::Scratch;

    use super::*;

    fn scratch() -> (Scratch, std::path::PathBuf) {
        let scratch = Scratch::new();
        let path = scratch.path().canonicalize().unwrap().join("new.txt");
        (scratch, path)
    }

    #[test]
    fn unused_file_is_removed() {
        let (scratch, path) = scratch();

        let file = NewFile::create(&path).unwrap();

        assert_eq!(scratch.read("new.txt"), "");
        drop(file);
        assert!(!scratch.has("new.txt"));
    }

    #[test]
    fn changed_or_replaced_file_is_kept() {
        let changes: [fn(&Path); 5] = [
            |path| fs::write(path, "x").unwrap(),
            |path| fs::write(path, "").unwrap(),
            |path| {
                let now = FileTimes::new().set_modified(SystemTime::now());
                File::options()
                    .write(true)
                    .open(path)
                    .unwrap()
                    .set_times(now)
                    .unwrap();
            },
            |path| {
                fs::remove_file(path).unwrap();
                fs::write(path, "").unwrap();
            },
            |path| fs::hard_link(path, path.with_extension("other")).unwrap(),
        ];
        for (number, change) in changes.iter().enumerate() {
            let (scratch, path) = scratch();
            let file = NewFile::create(&path).unwrap();

            change(&path);
            drop(file);

            assert!(scratch.has("new.txt"), "{number}");
        }
    }

    #[test]
    fn existing_entries_and_symlinks_are_left_alone() {
        let (scratch, path) = scratch();
        let scratch = scratch.file("target", "kept").folder("directory");
        symlink("target", &path).unwrap();
        symlink("directory", path.with_file_name("link")).unwrap();

        for entry in [
            "new.txt",
            "target",
            "directory",
            "directory/",
            "missing/",
            "missing/new.txt",
            "link/new.txt",
        ] {
            assert!(
                NewFile::create(&path.with_file_name(entry)).is_none(),
                "{entry}"
            );
        }
        assert_eq!(scratch.read("target"), "kept");
        assert!(!scratch.has("directory/new.txt") && !scratch.has("missing"));
    }
}
