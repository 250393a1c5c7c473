//! Repositories that a command creates in a root.

mod config;

use std::ffi::{CStr, CString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, FileType, Mode, fstat, statat};

use super::entries::{create_file, kind, names, open_directory, open_file};
use super::removal::remove;
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
    pub(super) path: PathBuf,
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

    /// Removes everything that could run programs, or the entire repository if that fails. Returns
    /// the affected names.
    pub(super) fn clean(&self) -> io::Result<Vec<String>> {
        let root = self.root.as_fd();
        // Fail closed: a repository that can't be checked is removed, because the user's next `git status` may run it.
        clean_directory(root, REPOSITORY, ".git", clean_repository).or_else(|error| {
            tracing::warn!(%error, "a new repository could not be checked");
            remove(root, REPOSITORY)?;
            Ok(vec![".git".to_owned()])
        })
    }
}

/// Calls `clean` with the directory `name`. Removes anything else: Git follows a file or symlink to a
/// repository elsewhere. Returns the removed names, of which `path` is that of the directory.
fn clean_directory(
    parent: BorrowedFd<'_>,
    name: &CStr,
    path: &str,
    clean: impl FnOnce(BorrowedFd<'_>) -> io::Result<Vec<String>>,
) -> io::Result<Vec<String>> {
    match kind(parent, name)? {
        None => Ok(Vec::new()),
        Some(FileType::Directory) => clean(open_directory(parent, name)?.as_fd()),
        Some(_) => {
            remove(parent, name)?;
            Ok(vec![path.to_owned()])
        }
    }
}

fn clean_repository(repository: BorrowedFd<'_>) -> io::Result<Vec<String>> {
    let mut removed = clean_directory(repository, HOOKS, ".git/hooks", clean_hooks)?;
    if clean_config(repository)? {
        removed.push(".git/config".to_owned());
    }
    Ok(removed)
}

/// Removes everything except sample hooks.
fn clean_hooks(hooks: BorrowedFd<'_>) -> io::Result<Vec<String>> {
    let (mut kept, mut removed) = (0, Vec::new());
    for name in names(hooks)? {
        if kept < MAX_SAMPLES && is_sample(hooks, &name)? {
            kept += 1;
            continue;
        }
        remove(hooks, &name)?;
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
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        create_file(repository, CONFIG, mode)?.write_all(harmless.as_bytes())?;
    }
    Ok(is_changed)
}

/// Returns the configuration and whether its file has other names; `None` if it is too large or not
/// text.
fn read(repository: BorrowedFd<'_>) -> io::Result<Option<(String, bool)>> {
    let file = open_file(repository, CONFIG)?;
    let is_shared = fstat(&file)?.st_nlink != 1;
    let mut content = Vec::new();
    // The size in `stat` may be outdated: a process of an overlapping call can still append to the file.
    file.take(MAX_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MAX_BYTES {
        return Ok(None);
    }
    Ok(String::from_utf8(content)
        .ok()
        .map(|text| (text, is_shared)))
}
