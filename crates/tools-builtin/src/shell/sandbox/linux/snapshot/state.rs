//! Content of one protected name.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, Mode, fchmod, fstat, mkdirat, readlinkat, renameat, symlinkat};

use super::super::entries::{create_file, kind, names, open_directory, open_file};
use super::super::removal::remove;

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
pub(super) struct Budget {
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
pub(super) enum State {
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
    pub(super) fn above(name: CString, entry: Self) -> Self {
        Self::Above {
            name,
            entry: Box::new(entry),
        }
    }

    /// Reads `name` in `directory`.
    pub(super) fn read(
        directory: BorrowedFd<'_>,
        name: &CStr,
        budget: &mut Budget,
    ) -> io::Result<Self> {
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
    pub(super) fn restore(&self, directory: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
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
