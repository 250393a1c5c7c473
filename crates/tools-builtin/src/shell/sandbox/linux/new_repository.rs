//! Repositories that a command creates in a root.

mod config;

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::Errno;

use super::removal::{names, open_directory, remove};
use crate::workspace::Root;

const REPOSITORY: &CStr = c".git";
const HOOKS: &CStr = c"hooks";
const CONFIG: &CStr = c"config";

/// Suffix of hooks that Git never runs.
const SAMPLE: &[u8] = b".sample";

/// Maximum bytes of a sample hook and of the configuration.
const MAX_BYTES: u64 = 64 * 1024;

/// Maximum number of sample hooks.
const MAX_SAMPLES: usize = 64;

/// Root without a repository. A repository that a command creates in it keeps its sample hooks and
/// harmless settings: Git would run other hooks and settings outside the sandbox later.
#[derive(Debug)]
pub(super) struct NewRepository {
    root: OwnedFd,
    /// Path of the repository, with links in the root's path resolved.
    path: PathBuf,
}

impl NewRepository {
    /// Returns `None` if `root` contains `.git`.
    pub(super) fn expected(root: &Root) -> io::Result<Option<Self>> {
        let handle = root.handle().as_fd();
        if kind(handle, REPOSITORY)?.is_some() {
            return Ok(None);
        }
        Ok(Some(Self {
            root: handle.try_clone_to_owned()?,
            path: root.real_path().join(".git"),
        }))
    }

    /// Returns whether a rule for `name` is replaced by the rules for new repositories.
    pub(super) fn covers(name: &str) -> bool {
        [".git/hooks", ".git/config"].contains(&name)
    }

    pub(super) fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Removes everything that could run programs, or the entire repository if that fails. Returns
    /// the affected names.
    pub(super) fn clean(&self) -> io::Result<Vec<String>> {
        let root = self.root.as_fd();
        clean(root).or_else(|error| {
            tracing::warn!(%error, "a new repository could not be checked");
            remove(root, REPOSITORY)?;
            Ok(vec![".git".to_owned()])
        })
    }
}

fn clean(root: BorrowedFd<'_>) -> io::Result<Vec<String>> {
    match kind(root, REPOSITORY)? {
        None => return Ok(Vec::new()),
        Some(FileType::Directory) => {}
        // Git follows a file or symlink to a repository elsewhere.
        Some(_) => {
            remove(root, REPOSITORY)?;
            return Ok(vec![".git".to_owned()]);
        }
    }
    let repository = open_directory(root, REPOSITORY)?;
    let mut removed = clean_hooks(repository.as_fd())?;
    if clean_config(repository.as_fd())? {
        removed.push(".git/config".to_owned());
    }
    Ok(removed)
}

/// Removes everything except sample hooks.
fn clean_hooks(repository: BorrowedFd<'_>) -> io::Result<Vec<String>> {
    match kind(repository, HOOKS)? {
        None => return Ok(Vec::new()),
        Some(FileType::Directory) => {}
        Some(_) => {
            remove(repository, HOOKS)?;
            return Ok(vec![".git/hooks".to_owned()]);
        }
    }
    let hooks = open_directory(repository, HOOKS)?;
    let (mut kept, mut removed) = (0, Vec::new());
    for name in names(hooks.as_fd())? {
        if kept < MAX_SAMPLES && is_sample(hooks.as_fd(), &name)? {
            kept += 1;
            continue;
        }
        remove(hooks.as_fd(), &name)?;
        if removed.len() < MAX_SAMPLES {
            removed.push(format!(".git/hooks/{}", name.to_string_lossy()));
        }
    }
    removed.sort();
    Ok(removed)
}

fn is_sample(hooks: BorrowedFd<'_>, name: &CString) -> io::Result<bool> {
    let stat = statat(hooks, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let is_small = u64::try_from(stat.st_size).is_ok_and(|size| size <= MAX_BYTES);
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    Ok(is_small && is_file && name.to_bytes().ends_with(SAMPLE))
}

/// Removes all settings except harmless ones. Returns whether something was removed.
fn clean_config(repository: BorrowedFd<'_>) -> io::Result<bool> {
    let Some(kind) = kind(repository, CONFIG)? else {
        return Ok(false);
    };
    let found = (kind == FileType::RegularFile)
        .then(|| read(repository))
        .transpose()?
        .flatten();
    let (text, is_shared) = found.unwrap_or_default();
    let harmless = config::harmless(&text);
    let is_changed = kind != FileType::RegularFile || text.is_empty() || harmless != text;
    if is_changed || is_shared {
        // Replace the file: its inode may have other names.
        remove(repository, CONFIG)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let file = openat(repository, CONFIG, flags | OFlags::CLOEXEC, mode)?;
        File::from(file).write_all(harmless.as_bytes())?;
    }
    Ok(is_changed)
}

/// Returns the configuration and whether its file has other names; `None` if it is too large or not
/// text.
fn read(repository: BorrowedFd<'_>) -> io::Result<Option<(String, bool)>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(repository, CONFIG, flags, Mode::empty())?;
    let is_shared = fstat(&file)?.st_nlink != 1;
    let mut content = Vec::new();
    File::from(file)
        .take(MAX_BYTES + 1)
        .read_to_end(&mut content)?;
    if content.len() as u64 > MAX_BYTES {
        return Ok(None);
    }
    Ok(String::from_utf8(content)
        .ok()
        .map(|text| (text, is_shared)))
}

fn kind(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<FileType>> {
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
