//! Content of protected names: read before a command, and put back after it.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, Mode, fchmod, fstat, mkdirat, readlinkat, renameat, symlinkat};
use rustix::io::Errno;

use super::entries::{
    create_file, kind, names, open_accessible, open_directory, open_file, remove, while_writable,
};

/// Suffix of hooks that Git never runs.
pub(super) const SAMPLE: &[u8] = b".sample";

/// Reads `first`. If it is a directory, only the path `below` is protected.
pub(super) fn read_path(
    directory: BorrowedFd<'_>,
    first: &CString,
    below: &[CString],
    budget: &mut Budget,
) -> io::Result<Content> {
    let [next, rest @ ..] = below else {
        return Content::read(directory, first, budget);
    };
    let entry = match open_directory(directory, first) {
        Ok(opened) => read_path(opened.as_fd(), next, rest, budget)?,
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => {
                let above = |entry, name: &CString| Content::above(name.clone(), entry);
                rest.iter().rev().fold(Content::Missing, above)
            }
            // A file or symlink determines the meaning of the path below it, so store it instead.
            Some(Errno::NOTDIR | Errno::LOOP) => return Content::read(directory, first, budget),
            _ => return Err(error),
        },
    };
    Ok(Content::above(next.clone(), entry))
}

/// Maximum total bytes of protected files.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum number of protected files and directories.
const MAX_ENTRIES: usize = 8000;

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
pub(super) enum Content {
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
        entries: BTreeMap<CString, Content>,
        /// Whether samples of hooks are neither read nor restored.
        omits_samples: bool,
    },
    /// Directory, or missing name, in which only one entry is protected.
    Above {
        name: CString,
        entry: Box<Content>,
    },
    /// Pipe, socket or device, of which only the existence is checked.
    Endpoint,
}

impl Content {
    /// Creates the state of a directory in which only `entry`, called `name`, is protected.
    fn above(name: CString, entry: Self) -> Self {
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
        Self::read_with(directory, name, false, budget)
    }

    /// Reads the directory of hooks `name` in `directory`, without the samples.
    pub(super) fn read_hooks(
        directory: BorrowedFd<'_>,
        name: &CStr,
        budget: &mut Budget,
    ) -> io::Result<Self> {
        Self::read_with(directory, name, true, budget)
    }

    fn read_with(
        directory: BorrowedFd<'_>,
        name: &CStr,
        omits_samples: bool,
        budget: &mut Budget,
    ) -> io::Result<Self> {
        budget.entries = budget.entries.checked_sub(1).ok_or_else(too_much)?;
        Ok(match kind(directory, name)? {
            None => Self::Missing,
            Some(FileType::RegularFile) => read_file(directory, name, budget)?,
            Some(FileType::Directory) => read_directory(directory, name, omits_samples, budget)?,
            Some(FileType::Symlink) => Self::Link {
                target: readlinkat(directory, name, Vec::new())?,
            },
            Some(_) => Self::Endpoint,
        })
    }

    /// Restores `name` in `directory`, even if its owner may not write there. Returns `true` if it was changed.
    ///
    /// A file that cannot be restored is removed, so that nothing runs what it contains.
    pub(super) fn restore(&self, directory: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
        match self.restore_once(directory, name) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                while_writable(directory, || self.restore_once(directory, name))
            }
            outcome => outcome,
        }
    }

    fn restore_once(&self, directory: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
        match self {
            Self::Missing => restore_missing(directory, name),
            Self::File { mode, content } => restore_file(directory, name, *mode, content),
            Self::Link { target } => restore_link(directory, name, target),
            Self::Directory {
                mode,
                entries,
                omits_samples,
            } => restore_directory(directory, name, *mode, entries, *omits_samples),
            Self::Above { name: below, entry } => restore_above(directory, name, below, entry),
            Self::Endpoint => match kind(directory, name)? {
                Some(_) => Ok(false),
                None => Err(io::ErrorKind::NotFound.into()),
            },
        }
    }

    /// Returns the text of a file.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::File { content, .. } => std::str::from_utf8(content).ok(),
            Self::Above { entry, .. } => entry.text(),
            _ => None,
        }
    }

    /// Returns whether nothing exists under the name.
    pub(super) fn is_missing(&self) -> bool {
        match self {
            Self::Missing => true,
            Self::Above { entry, .. } => entry.is_missing(),
            _ => false,
        }
    }
}

fn read_file(directory: BorrowedFd<'_>, name: &CStr, budget: &mut Budget) -> io::Result<Content> {
    let file = open_file(directory, name)?;
    let mode = Mode::from_raw_mode(fstat(&file)?.st_mode);
    let mut content = Vec::new();
    file.take(budget.bytes + 1).read_to_end(&mut content)?;
    budget.bytes = budget
        .bytes
        .checked_sub(content.len() as u64)
        .ok_or_else(too_much)?;
    Ok(Content::File { mode, content })
}

fn read_directory(
    directory: BorrowedFd<'_>,
    name: &CStr,
    omits_samples: bool,
    budget: &mut Budget,
) -> io::Result<Content> {
    budget.depth = budget.depth.checked_sub(1).ok_or_else(too_much)?;
    let opened = open_directory(directory, name)?;
    let mut entries = BTreeMap::new();
    for name in names(opened.as_fd())? {
        if omits_samples && is_sample(&name) {
            continue;
        }
        let content = Content::read(opened.as_fd(), &name, budget)?;
        entries.insert(name, content);
    }
    budget.depth += 1;
    Ok(Content::Directory {
        mode: Mode::from_raw_mode(fstat(&opened)?.st_mode),
        entries,
        omits_samples,
    })
}

fn is_sample(name: &CStr) -> bool {
    name.to_bytes().ends_with(SAMPLE)
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
    if replace_file(directory, name, mode, content).is_err() {
        // Removing the changed file frees space on a full disk. If that isn't enough, at least nothing runs the file.
        remove(directory, name)?;
        replace_file(directory, name, mode, content)?;
    }
    Ok(true)
}

/// Replaces a file instead of writing to it: its inode may have other names.
fn replace_file(
    directory: BorrowedFd<'_>,
    name: &CStr,
    mode: Mode,
    content: &[u8],
) -> io::Result<()> {
    remove(directory, TEMPORARY)?;
    let mut file = create_file(directory, TEMPORARY, Mode::RUSR | Mode::WUSR)?;
    file.write_all(content)?;
    fchmod(&file, mode)?;
    Ok(renameat(directory, TEMPORARY, directory, name)?)
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
    entries: &BTreeMap<CString, Content>,
    omits_samples: bool,
) -> io::Result<bool> {
    let (opened, mut changed) = directory_at(directory, name)?;
    if Mode::from_raw_mode(fstat(&opened)?.st_mode) != mode {
        // The mode first: without write permission, the entries below couldn't be restored.
        fchmod(&opened, mode)?;
        changed = true;
    }
    for found in names(opened.as_fd())? {
        let is_kept = entries.contains_key(&found) || omits_samples && is_sample(&found);
        if !is_kept {
            // What was missing before is removed again.
            changed |= Content::Missing.restore(opened.as_fd(), &found)?;
        }
    }
    let mut outcome = Ok(());
    for (entry, content) in entries {
        // One entry that cannot be restored must not keep the others changed.
        match content.restore(opened.as_fd(), entry) {
            Ok(is_changed) => changed |= is_changed,
            Err(error) => outcome = Err(error),
        }
    }
    outcome.map(|()| changed)
}

fn restore_above(
    directory: BorrowedFd<'_>,
    name: &CStr,
    below: &CStr,
    entry: &Content,
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
        return Ok((open_accessible(directory, name)?, false));
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
