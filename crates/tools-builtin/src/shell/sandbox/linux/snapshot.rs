//! Snapshot and restoration of the protected names of a workspace. Landlock cannot exclude a name
//! from a directory that it allows, so we undo such changes after the call.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FileType, Mode, fchmod, fstat, mkdirat, readlinkat, renameat, symlinkat};
use rustix::io::Errno;

use super::entries::{
    create_file, kept, kind, names, open_directory, open_file, remove, writable_roots,
};
use super::new_repository::{Layout, NewRepository};
use crate::shell::sandbox::SandboxUnavailable;
use crate::workspace::{Root, Workspace};

/// Content of the protected names of a workspace.
#[derive(Debug)]
pub(super) struct Snapshot {
    places: Mutex<Vec<Place>>,
    layouts: Vec<Layout>,
    repositories: Vec<NewRepository>,
}

/// Result of a restoration.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Restoration {
    /// Names that were changed and restored.
    pub(super) changed: Vec<String>,
    /// Names in new repositories that were removed or reduced to harmless settings.
    pub(super) removed: Vec<String>,
    /// Names that were changed and could not be restored.
    pub(super) failed: Vec<String>,
}

#[derive(Debug)]
struct Place {
    root: OwnedFd,
    name: String,
    /// Path of the name, with links in the root's path resolved.
    path: PathBuf,
    /// First component of the name; `state` is its content.
    first: CString,
    state: State,
}

impl Snapshot {
    /// Reads the protected names in the writable roots.
    ///
    /// # Errors
    /// Returns an error if a name cannot be read or exceeds the limits.
    pub(super) fn take(workspace: &Workspace) -> Result<Self, SandboxUnavailable> {
        let mut budget = Budget::default();
        let (mut places, mut repositories) = (Vec::new(), Vec::new());
        for root in writable_roots(workspace) {
            let fail = |name: &str, error| SandboxUnavailable::Protected(name.to_owned(), error);
            let repository = expected(workspace, root).map_err(|error| fail(".git", error))?;
            let is_replaced = |name: &str| repository.is_some() && NewRepository::covers(name);
            for name in kept(workspace).filter(|name| !is_replaced(name)) {
                let place = Place::read(root, name, &mut budget);
                places.push(place.map_err(|error| fail(name, error))?);
            }
            repositories.extend(repository);
        }
        Ok(Self {
            places: Mutex::new(places),
            repositories,
            layouts: layouts(workspace)
                .map_err(|error| SandboxUnavailable::Protected(".".to_owned(), error))?,
        })
    }

    /// Restores the content of all names, except those for which write access was `granted`.
    pub(super) fn restore(&self, granted: &[PathBuf]) -> Restoration {
        // Concurrent calls share the snapshot and must not restore it at the same time.
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let mut restored = Restoration::default();
        let is_granted = |place: &&Place| granted.iter().any(|path| path.starts_with(&place.path));
        for place in places.iter().filter(|place| !is_granted(place)) {
            match place.state.restore(place.root.as_fd(), &place.first) {
                Ok(false) => {}
                Ok(true) => restored.changed.push(place.name.clone()),
                Err(error) => {
                    tracing::warn!(%error, name = place.name, "a protected name could not be restored");
                    restored.failed.push(place.name.clone());
                }
            }
        }
        // Who grants a directory above the root does not mean the hooks in it.
        let is_granted = |repository: &&NewRepository| {
            let mut granted = granted.iter();
            granted.any(|path| repository.path.parent() == Some(path))
        };
        let repositories = self.repositories.iter();
        for repository in repositories.filter(|repository| !is_granted(repository)) {
            match repository.clean() {
                Ok(names) => restored.removed.extend(names),
                Err(error) => {
                    tracing::warn!(%error, "a new repository could not be checked");
                    restored.failed.push(".git".to_owned());
                }
            }
        }
        for layout in &self.layouts {
            match layout.restore() {
                Ok(name) => restored.changed.extend(name),
                Err(error) => {
                    tracing::warn!(%error, "an entry of a bare repository could not be removed");
                    restored.failed.push("HEAD".to_owned());
                }
            }
        }
        restored
    }
}

/// Returns the check of a repository that a command may create in `root`.
fn expected(workspace: &Workspace, root: &Root) -> io::Result<Option<NewRepository>> {
    if workspace.protected().covers_repositories() {
        return NewRepository::expected(root);
    }
    Ok(None)
}

/// Returns the writable roots that are not bare repositories.
fn layouts(workspace: &Workspace) -> io::Result<Vec<Layout>> {
    let roots = writable_roots(workspace).filter(|_| workspace.protected().covers_repositories());
    let layouts = roots.map(|root| Layout::read(root.handle().as_fd()));
    layouts.filter_map(Result::transpose).collect()
}

impl Place {
    fn read(root: &Root, name: &str, budget: &mut Budget) -> io::Result<Self> {
        let handle = root.handle().as_fd();
        let parts: Vec<CString> = name
            .split('/')
            .map(CString::new)
            .collect::<Result<_, _>>()?;
        let [first, below @ ..] = parts.as_slice() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        Ok(Self {
            root: handle.try_clone_to_owned()?,
            name: name.to_owned(),
            path: root.real_path().join(name),
            first: first.clone(),
            state: read_path(handle, first, below, budget)?,
        })
    }
}

/// Reads `first`. If it is a directory, only the path `below` is protected.
fn read_path(
    directory: BorrowedFd<'_>,
    first: &CString,
    below: &[CString],
    budget: &mut Budget,
) -> io::Result<State> {
    let [next, rest @ ..] = below else {
        return State::read(directory, first, budget);
    };
    let state = match open_directory(directory, first) {
        Ok(opened) => read_path(opened.as_fd(), next, rest, budget)?,
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => {
                let above = |state, name: &CString| State::above(name.clone(), state);
                rest.iter().rev().fold(State::Missing, above)
            }
            // A file or symlink determines the meaning of the path below it, so store it instead.
            Some(Errno::NOTDIR | Errno::LOOP) => return State::read(directory, first, budget),
            _ => return Err(error),
        },
    };
    Ok(State::above(next.clone(), state))
}

/// Maximum total bytes of the protected files.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum number of protected files and directories.
const MAX_ENTRIES: usize = 1000;

/// Maximum depth of protected directories.
const MAX_DEPTH: usize = 16;

/// Name of a temporary file, which is renamed when it is complete.
const TEMPORARY: &CStr = c".toolwright-restored.tmp";

/// Remaining limits of a snapshot.
#[derive(Debug)]
struct Budget {
    bytes: u64,
    entries: usize,
    depth: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: MAX_BYTES,
            entries: MAX_ENTRIES,
            depth: MAX_DEPTH,
        }
    }
}

/// Content of one name.
#[derive(Debug, PartialEq, Eq)]
enum State {
    Missing,
    File {
        mode: Mode,
        content: Vec<u8>,
    },
    Link {
        target: CString,
    },
    Directory {
        mode: Mode,
        entries: BTreeMap<CString, State>,
    },
    /// Directory, or missing name, in which only one entry is protected.
    Above {
        name: CString,
        entry: Box<State>,
    },
    /// Pipe, socket or device, of which only the existence is checked.
    Endpoint,
}

impl State {
    /// Creates the state of a directory in which only `entry`, called `name`, is protected.
    fn above(name: CString, entry: Self) -> Self {
        Self::Above {
            name,
            entry: Box::new(entry),
        }
    }

    /// Reads `name` in `directory`.
    fn read(directory: BorrowedFd<'_>, name: &CStr, budget: &mut Budget) -> io::Result<Self> {
        budget.entries = budget.entries.checked_sub(1).ok_or_else(too_much)?;
        Ok(match kind(directory, name)? {
            None => Self::Missing,
            Some(FileType::RegularFile) => read_file(directory, name, budget)?,
            Some(FileType::Directory) => read_directory(directory, name, budget)?,
            Some(FileType::Symlink) => Self::Link {
                target: readlinkat(directory, name, Vec::new())?,
            },
            Some(_) => Self::Endpoint,
        })
    }

    /// Restores `name` in `directory`. Returns `true` if it was changed.
    fn restore(&self, directory: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
        match self {
            Self::Missing => restore_missing(directory, name),
            Self::File { mode, content } => restore_file(directory, name, *mode, content),
            Self::Link { target } => restore_link(directory, name, target),
            Self::Directory { mode, entries } => restore_directory(directory, name, *mode, entries),
            Self::Above { name: below, entry } => restore_above(directory, name, below, entry),
            Self::Endpoint => match kind(directory, name)? {
                Some(_) => Ok(false),
                None => Err(io::ErrorKind::NotFound.into()),
            },
        }
    }

    fn is_missing(&self) -> bool {
        match self {
            Self::Missing => true,
            Self::Above { entry, .. } => entry.is_missing(),
            _ => false,
        }
    }
}

fn read_file(directory: BorrowedFd<'_>, name: &CStr, budget: &mut Budget) -> io::Result<State> {
    let file = open_file(directory, name)?;
    let mode = Mode::from_raw_mode(fstat(&file)?.st_mode);
    let mut content = Vec::new();
    file.take(budget.bytes + 1).read_to_end(&mut content)?;
    budget.bytes = budget
        .bytes
        .checked_sub(content.len() as u64)
        .ok_or_else(too_much)?;
    Ok(State::File { mode, content })
}

fn read_directory(
    directory: BorrowedFd<'_>,
    name: &CStr,
    budget: &mut Budget,
) -> io::Result<State> {
    budget.depth = budget.depth.checked_sub(1).ok_or_else(too_much)?;
    let opened = open_directory(directory, name)?;
    let mut entries = BTreeMap::new();
    for name in names(opened.as_fd())? {
        let state = State::read(opened.as_fd(), &name, budget)?;
        entries.insert(name, state);
    }
    budget.depth += 1;
    Ok(State::Directory {
        mode: Mode::from_raw_mode(fstat(&opened)?.st_mode),
        entries,
    })
}

fn restore_missing(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
    let exists = kind(directory, name)?.is_some();
    if exists {
        remove(directory, name)?;
    }
    Ok(exists)
}

fn restore_file(
    directory: BorrowedFd<'_>,
    name: &CStr,
    mode: Mode,
    content: &[u8],
) -> io::Result<bool> {
    let found = kind(directory, name)?;
    if found == Some(FileType::RegularFile)
        && holds(directory, name, mode, content).unwrap_or(false)
    {
        return Ok(false);
    }
    // `rename` can't replace a directory by a file.
    if found == Some(FileType::Directory) {
        remove(directory, name)?;
    }
    // Replace the file: its inode may have other names.
    remove(directory, TEMPORARY)?;
    let mut file = create_file(directory, TEMPORARY, Mode::RUSR | Mode::WUSR)?;
    file.write_all(content)?;
    fchmod(&file, mode)?;
    renameat(directory, TEMPORARY, directory, name)?;
    Ok(true)
}

fn restore_link(directory: BorrowedFd<'_>, name: &CStr, target: &CStr) -> io::Result<bool> {
    let found = readlinkat(directory, name, Vec::new()).ok();
    if found.as_deref() == Some(target) {
        return Ok(false);
    }
    remove(directory, name)?;
    symlinkat(target, directory, name)?;
    Ok(true)
}

fn restore_directory(
    directory: BorrowedFd<'_>,
    name: &CStr,
    mode: Mode,
    entries: &BTreeMap<CString, State>,
) -> io::Result<bool> {
    let (opened, mut changed) = directory_at(directory, name)?;
    if Mode::from_raw_mode(fstat(&opened)?.st_mode) != mode {
        // The mode first: without write permission, the entries below couldn't be restored.
        fchmod(&opened, mode)?;
        changed = true;
    }
    for found in names(opened.as_fd())? {
        if !entries.contains_key(&found) {
            remove(opened.as_fd(), &found)?;
            changed = true;
        }
    }
    for (entry, state) in entries {
        changed |= state.restore(opened.as_fd(), entry)?;
    }
    Ok(changed)
}

fn restore_above(
    directory: BorrowedFd<'_>,
    name: &CStr,
    below: &CStr,
    entry: &State,
) -> io::Result<bool> {
    if entry.is_missing() && kind(directory, name)? != Some(FileType::Directory) {
        return restore_missing(directory, name);
    }
    let (opened, changed) = directory_at(directory, name)?;
    Ok(entry.restore(opened.as_fd(), below)? | changed)
}

/// Opens the directory `name`; replaces anything else. Returns `true` if it did.
fn directory_at(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<(OwnedFd, bool)> {
    if kind(directory, name)? == Some(FileType::Directory) {
        return Ok((open_directory(directory, name)?, false));
    }
    remove(directory, name)?;
    mkdirat(directory, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?;
    Ok((open_directory(directory, name)?, true))
}

fn holds(directory: BorrowedFd<'_>, name: &CStr, mode: Mode, content: &[u8]) -> io::Result<bool> {
    let file = open_file(directory, name)?;
    let stat = fstat(&file)?;
    if Mode::from_raw_mode(stat.st_mode) != mode
        || usize::try_from(stat.st_size).ok() != Some(content.len())
    {
        return Ok(false);
    }
    let mut found = Vec::with_capacity(content.len());
    file.take(content.len() as u64 + 1)
        .read_to_end(&mut found)?;
    Ok(found == content)
}

fn too_much() -> io::Error {
    io::ErrorKind::FileTooLarge.into()
}
