//! What one name holds.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fchmod, fstat, mkdirat, openat, readlinkat, renameat, statat,
    symlinkat,
};
use rustix::io::Errno;

use super::super::removal::{names, open_folder, remove};

/// How many bytes all protected files may hold.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// How many files and folders may be protected.
const MAX_ENTRIES: usize = 1000;

/// How deep a protected folder may be.
const MAX_DEPTH: usize = 16;

/// The name under which a file is written before it takes its place.
const TEMPORARY: &CStr = c".toolwright-restored.tmp";

/// What may still be kept.
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

/// What one name holds.
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
    Folder {
        mode: Mode,
        entries: BTreeMap<CString, State>,
    },
    /// A folder, or nothing, of which one entry alone is protected.
    Above {
        name: CString,
        entry: Box<State>,
    },
    /// A pipe, a socket or a device, of which only the place is kept.
    Endpoint,
}

impl State {
    /// What `name` of a folder holds, where of it only `entry`, called `name`, is protected.
    pub(super) fn above(name: CString, entry: Self) -> Self {
        Self::Above {
            name,
            entry: Box::new(entry),
        }
    }

    /// Reads what `name` of `folder` holds.
    pub(super) fn read(
        folder: BorrowedFd<'_>,
        name: &CStr,
        budget: &mut Budget,
    ) -> io::Result<Self> {
        budget.entries = budget.entries.checked_sub(1).ok_or_else(too_much)?;
        Ok(match kind(folder, name)? {
            None => Self::Missing,
            Some(FileType::RegularFile) => read_file(folder, name, budget)?,
            Some(FileType::Directory) => read_folder(folder, name, budget)?,
            Some(FileType::Symlink) => Self::Link {
                target: readlinkat(folder, name, Vec::new())?,
            },
            Some(_) => Self::Endpoint,
        })
    }

    /// Makes `name` of `folder` hold this again; true when it did not.
    pub(super) fn restore(&self, folder: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
        match self {
            Self::Missing => restore_missing(folder, name),
            Self::File { mode, content } => restore_file(folder, name, *mode, content),
            Self::Link { target } => restore_link(folder, name, target),
            Self::Folder { mode, entries } => restore_folder(folder, name, *mode, entries),
            Self::Above { name: below, entry } => restore_above(folder, name, below, entry),
            Self::Endpoint => match kind(folder, name)? {
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

fn read_file(folder: BorrowedFd<'_>, name: &CStr, budget: &mut Budget) -> io::Result<State> {
    let file = open_file(folder, name)?;
    let mode = Mode::from_raw_mode(fstat(&file)?.st_mode);
    let mut content = Vec::new();
    File::from(file)
        .take(budget.bytes + 1)
        .read_to_end(&mut content)?;
    budget.bytes = budget
        .bytes
        .checked_sub(content.len() as u64)
        .ok_or_else(too_much)?;
    Ok(State::File { mode, content })
}

fn read_folder(folder: BorrowedFd<'_>, name: &CStr, budget: &mut Budget) -> io::Result<State> {
    budget.depth = budget.depth.checked_sub(1).ok_or_else(too_much)?;
    let opened = open_folder(folder, name)?;
    let mut entries = BTreeMap::new();
    for name in names(opened.as_fd())? {
        let state = State::read(opened.as_fd(), &name, budget)?;
        entries.insert(name, state);
    }
    budget.depth += 1;
    Ok(State::Folder {
        mode: Mode::from_raw_mode(fstat(&opened)?.st_mode),
        entries,
    })
}

fn restore_missing(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
    let is_there = kind(folder, name)?.is_some();
    if is_there {
        remove(folder, name)?;
    }
    Ok(is_there)
}

fn restore_file(
    folder: BorrowedFd<'_>,
    name: &CStr,
    mode: Mode,
    content: &[u8],
) -> io::Result<bool> {
    let found = kind(folder, name)?;
    if found == Some(FileType::RegularFile) && holds(folder, name, mode, content).unwrap_or(false) {
        return Ok(false);
    }
    if found == Some(FileType::Directory) {
        remove(folder, name)?;
    }
    // Whatever else the old file is called, it is not written into.
    remove(folder, TEMPORARY)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, TEMPORARY, flags, Mode::RUSR | Mode::WUSR)?);
    file.write_all(content)?;
    fchmod(&file, mode)?;
    renameat(folder, TEMPORARY, folder, name)?;
    Ok(true)
}

fn restore_link(folder: BorrowedFd<'_>, name: &CStr, target: &CStr) -> io::Result<bool> {
    let found = readlinkat(folder, name, Vec::new()).ok();
    if found.as_deref() == Some(target) {
        return Ok(false);
    }
    remove(folder, name)?;
    symlinkat(target, folder, name)?;
    Ok(true)
}

fn restore_folder(
    folder: BorrowedFd<'_>,
    name: &CStr,
    mode: Mode,
    entries: &BTreeMap<CString, State>,
) -> io::Result<bool> {
    let (opened, mut changed) = folder_at(folder, name)?;
    if Mode::from_raw_mode(fstat(&opened)?.st_mode) != mode {
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
    folder: BorrowedFd<'_>,
    name: &CStr,
    below: &CStr,
    entry: &State,
) -> io::Result<bool> {
    if entry.is_missing() && kind(folder, name)? != Some(FileType::Directory) {
        return restore_missing(folder, name);
    }
    let (opened, changed) = folder_at(folder, name)?;
    Ok(entry.restore(opened.as_fd(), below)? | changed)
}

/// The folder `name`; whatever else is there makes room for it. True when it had to.
fn folder_at(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<(OwnedFd, bool)> {
    if kind(folder, name)? == Some(FileType::Directory) {
        return Ok((open_folder(folder, name)?, false));
    }
    remove(folder, name)?;
    mkdirat(folder, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?;
    Ok((open_folder(folder, name)?, true))
}

fn holds(folder: BorrowedFd<'_>, name: &CStr, mode: Mode, content: &[u8]) -> io::Result<bool> {
    let file = open_file(folder, name)?;
    let stat = fstat(&file)?;
    if Mode::from_raw_mode(stat.st_mode) != mode
        || usize::try_from(stat.st_size).ok() != Some(content.len())
    {
        return Ok(false);
    }
    let mut found = Vec::with_capacity(content.len());
    File::from(file)
        .take(content.len() as u64 + 1)
        .read_to_end(&mut found)?;
    Ok(found == content)
}

fn open_file(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?)
}

fn kind(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<FileType>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn too_much() -> io::Error {
    io::ErrorKind::FileTooLarge.into()
}
