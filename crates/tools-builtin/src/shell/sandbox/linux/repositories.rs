//! Search for the repositories in a root that the user's Git would enter: nested ones, submodules and
//! linked working trees.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, openat2, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::entries::{kind, names};
use crate::workspace::EntryStamp;

/// Maximum number of directories of a root that are searched.
const MAX_DIRECTORIES: usize = 100_000;

/// Maximum number of repositories of a root.
const MAX_REPOSITORIES: usize = 1000;

/// Maximum depth of the names of submodules, which may contain slashes.
const MAX_DEPTH: usize = 16;

const REPOSITORY: &str = ".git";

/// Searches in all roots. Each remembers the directories, so that the next one reads only those that have
/// changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Searches(Arc<Mutex<BTreeMap<PathBuf, Listings>>>);

/// Listed directories by their path in the root.
type Listings = HashMap<PathBuf, Listing>;

/// Repositories in a root.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) repositories: Vec<Repository>,
    /// Entries named `.git` that are not directories. Git follows such files and links.
    pub(super) pointers: Vec<PathBuf>,
    /// Reason why some repositories may be missing.
    pub(super) unsearched: Option<&'static str>,
}

/// Directory with the settings of a repository or of a linked working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// Path in the root.
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// Whether this is the directory of a linked working tree, whose settings are elsewhere.
    pub(super) is_worktree: bool,
}

/// Device and inode, which a directory keeps when it is moved.
pub(super) type Identity = ((u32, u32), u64);

/// Content of a directory, as far as the search needs it.
#[derive(Debug)]
struct Listing {
    stamp: EntryStamp,
    /// Whether each later change certainly changes the stamp.
    is_settled: bool,
    directories: Vec<OsString>,
    has_repository: bool,
}

impl Searches {
    /// Finds the repositories in the root `handle` with the path `real`. Returns those before an error too; that of the root
    /// itself comes first.
    pub(super) fn find(&self, real: &Path, handle: BorrowedFd<'_>) -> (Found, io::Result<()>) {
        let mut searches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let listings = searches.entry(real.to_owned()).or_default();
        let mut found = Found::default();
        let outcome = search(handle, listings, &mut found);
        (found, outcome)
    }
}

/// Lists all directories of `root`, and replaces `listings` by them.
fn search(root: BorrowedFd<'_>, listings: &mut Listings, found: &mut Found) -> io::Result<()> {
    let now = SystemTime::now();
    let mut before = mem::take(listings);
    let mut open = vec![PathBuf::from(".")];
    while let Some(path) = open.pop() {
        if listings.len() == MAX_DIRECTORIES {
            found.unsearched = Some("the workspace has too many directories");
            break;
        }
        match list(root, &path, before.remove(&path), now) {
            Ok(Some(listing)) => {
                if listing.has_repository {
                    found.add(root, &child(&path, OsStr::new(REPOSITORY)))?;
                }
                open.extend(listing.directories.iter().map(|name| child(&path, name)));
                listings.insert(path, listing);
            }
            Ok(None) => {}
            // The user's Git cannot enter a directory of another user either.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                if is_own(root, &path) {
                    found.unsearched = Some("a directory cannot be read");
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn child(path: &Path, name: &OsStr) -> PathBuf {
    if path == Path::new(".") {
        PathBuf::from(name)
    } else {
        path.join(name)
    }
}

fn is_own(root: BorrowedFd<'_>, path: &Path) -> bool {
    let stat = statat(root, path, AtFlags::SYMLINK_NOFOLLOW);
    stat.is_ok_and(|stat| stat.st_uid == geteuid().as_raw())
}

/// Returns the listing of a directory, or `None` if it no longer is one.
fn list(
    root: BorrowedFd<'_>,
    path: &Path,
    before: Option<Listing>,
    now: SystemTime,
) -> io::Result<Option<Listing>> {
    // A link above the path is found in the listing of its parent, which comes first.
    let Some(stamp) = stamp_of(root, path)?.filter(is_directory) else {
        return Ok(None);
    };
    let is_same = |before: &Listing| before.is_settled && before.stamp == stamp;
    if let Some(before) = before.filter(is_same) {
        return Ok(Some(before));
    }
    let directory = match open_beneath(root, path) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
        directory => directory?,
    };
    read(&directory, now).map(Some)
}

fn read(directory: &OwnedFd, now: SystemTime) -> io::Result<Listing> {
    // Before reading, so that a change in the meantime is detected the next time.
    let stamp = EntryStamp::of_handle(directory)?;
    let mut listing = Listing {
        stamp,
        is_settled: stamp.is_settled(now),
        directories: Vec::new(),
        has_repository: false,
    };
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let bytes = name.to_bytes();
        if matches!(bytes, b"." | b"..") {
            continue;
        }
        // Some file systems ignore the case of names.
        if bytes.eq_ignore_ascii_case(REPOSITORY.as_bytes()) {
            listing.has_repository = true;
            continue;
        }
        let is_directory = match entry.file_type() {
            FileType::Unknown => kind(directory.as_fd(), name)? == Some(FileType::Directory),
            file_type => file_type == FileType::Directory,
        };
        if is_directory {
            listing
                .directories
                .push(OsStr::from_bytes(bytes).to_owned());
        }
    }
    Ok(listing)
}

/// Returns the stamp of an entry; `None` if there is none.
fn stamp_of(root: BorrowedFd<'_>, path: &Path) -> io::Result<Option<EntryStamp>> {
    let stamp = EntryStamp::of_entry(root, path.as_os_str());
    match stamp.map_err(|error| (Errno::from_io_error(&error), error)) {
        Err((Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP), _)) => Ok(None),
        stamp => stamp.map(Some).map_err(|(_, error)| error),
    }
}

fn is_directory(stamp: &EntryStamp) -> bool {
    stamp.kind() == FileType::Directory
}

/// Opens a directory beneath `root` without following links.
pub(super) fn open_beneath(root: BorrowedFd<'_>, path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    openat2(root, path, flags, Mode::empty(), within)
}

impl Found {
    /// Adds the entry `.git` at `path`, with the submodules and working trees in it.
    fn add(&mut self, root: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
        match stamp_of(root, path)? {
            Some(stamp) if is_directory(&stamp) => self.add_repository(root, path, 0)?,
            Some(_) => self.pointers.push(path.to_owned()),
            // The name has another case than this file system's Git looks for, or is gone.
            None => {}
        }
        Ok(())
    }

    fn add_repository(
        &mut self,
        root: BorrowedFd<'_>,
        path: &Path,
        depth: usize,
    ) -> io::Result<()> {
        self.push(root, path, false)?;
        // The user's Git cannot enter it either. If a command has closed it, restoring it fails.
        if open_beneath(root, path).is_err_and(|error| error == Errno::ACCESS) {
            self.unsearched = Some("a repository cannot be read");
            return Ok(());
        }
        for name in names_in(root, &path.join("worktrees"))? {
            self.push(root, &path.join("worktrees").join(name), true)?;
        }
        self.add_modules(root, &path.join("modules"), depth + 1)
    }

    /// Adds the submodules below `path`, whose names may contain slashes.
    fn add_modules(&mut self, root: BorrowedFd<'_>, path: &Path, depth: usize) -> io::Result<()> {
        if depth > MAX_DEPTH {
            self.unsearched = Some("submodules are nested too deeply");
            return Ok(());
        }
        for name in names_in(root, path)? {
            let path = path.join(name);
            // Git accepts only a directory with this file.
            if statat(root, path.join("HEAD"), AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                self.add_repository(root, &path, depth)?;
            } else {
                self.add_modules(root, &path, depth + 1)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, root: BorrowedFd<'_>, path: &Path, is_worktree: bool) -> io::Result<()> {
        if self.repositories.len() == MAX_REPOSITORIES {
            self.unsearched = Some("the workspace has too many repositories");
            return Ok(());
        }
        if let Some(stamp) = stamp_of(root, path)?.filter(is_directory) {
            self.repositories.push(Repository {
                path: path.to_owned(),
                identity: stamp.identity(),
                is_worktree,
            });
        }
        Ok(())
    }
}

/// Returns the names in a directory; none if it is missing.
fn names_in(root: BorrowedFd<'_>, path: &Path) -> io::Result<Vec<OsString>> {
    let directory = match open_beneath(root, path) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(Vec::new()),
        directory => directory?,
    };
    let names = names(directory.as_fd())?.into_iter();
    Ok(names
        .map(|name| OsStr::from_bytes(name.to_bytes()).to_owned())
        .collect())
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use rustix::fs::{CWD, openat};
    use tool_test::Scratch;

    use super::*;

    fn paths(searches: &Searches, scratch: &Scratch) -> Vec<String> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let root = openat(CWD, scratch.path(), flags, Mode::empty()).unwrap();
        let (found, outcome) = searches.find(scratch.path(), root.as_fd());
        outcome.unwrap();
        assert_eq!(found.unsearched, None);
        let repositories = found.repositories.into_iter();
        let repositories = repositories.map(|repository| repository.path);
        let mut paths: Vec<String> = repositories
            .chain(found.pointers)
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        paths.sort();
        paths
    }

    #[test]
    fn finds_nested_repositories_submodules_and_working_trees() {
        let scratch = Scratch::new()
            .file(".git/HEAD", "")
            .file(".git/modules/a/HEAD", "")
            .file(".git/modules/b/c/HEAD", "")
            .file(".git/modules/a/modules/d/HEAD", "")
            .file(".git/worktrees/w/HEAD", "")
            .file("packages/x/.git/HEAD", "")
            .file("a/.git", "gitdir: ../.git/modules/a\n")
            .link("link", "packages");

        assert_eq!(
            paths(&Searches::default(), &scratch),
            [
                ".git",
                ".git/modules/a",
                ".git/modules/a/modules/d",
                ".git/modules/b/c",
                ".git/worktrees/w",
                "a/.git",
                "packages/x/.git",
            ]
        );
    }

    #[test]
    fn later_search_finds_what_changed() {
        let searches = Searches::default();
        let scratch = Scratch::new().file("a/b/x", "").file("c/d/.git/HEAD", "");
        assert_eq!(paths(&searches, &scratch), ["c/d/.git"]);
        sleep(Duration::from_millis(200));
        assert_eq!(paths(&searches, &scratch), ["c/d/.git"]);

        let scratch = scratch.file("a/b/.git/HEAD", "");
        assert_eq!(paths(&searches, &scratch), ["a/b/.git", "c/d/.git"]);

        std::fs::rename(scratch.path().join("c"), scratch.path().join("a/b/c")).unwrap();
        assert_eq!(paths(&searches, &scratch), ["a/b/.git", "a/b/c/d/.git"]);

        std::fs::remove_dir_all(scratch.path().join("a")).unwrap();
        assert_eq!(paths(&searches, &scratch), [""; 0]);
    }
}
