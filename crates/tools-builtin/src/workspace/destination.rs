//! Destinations of writes: the directory handle, and the lock of the file.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::sync::OnceLock;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cap_std::fs::{Dir, Metadata};
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::{check_is_file, disk_error, link_loop};
use super::path::{check_is_given, join, shown};
use super::process_lock::{ProcessLock, ProcessLocks};
use super::root::LocatedPath;
use super::{File, Workspace, beneath, platform};

/// Maximum number of symlinks to follow, as in the operating system.
const MAX_LINKS: usize = 40;

/// Maximum number of directories created by one call.
const MAX_NEW_DIRECTORIES: usize = 100;

/// Placeholder for the name in a directory that is itself to be created.
const PLACEHOLDER: &str = "_";

/// Name in an open directory, of an existing or new entry.
#[derive(Debug)]
pub(super) struct Destination {
    pub(super) directory: Dir,
    pub(super) name: PathBuf,
    /// The number of the root.
    pub(super) root: usize,
    /// Path beneath the root, with symlinks resolved.
    pub(super) real: PathBuf,
    /// Directories that were created for it, outermost first.
    pub(super) created: Vec<PathBuf>,
}

impl Destination {
    /// Returns the metadata of the existing entry. Symlinks are not followed.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.directory.symlink_metadata(&self.name)
    }

    /// Opens the file, whose displayed path is `shown`. Symlinks are not followed.
    pub(super) fn open(&self, parameter: &str, shown: &str) -> Result<File, ToolError> {
        let handle = platform::open_entry(&self.directory, &self.name);
        let handle = handle.map_err(|error| disk_error(parameter, error))?;
        File::of(parameter, handle, shown.to_owned())
    }

    /// Returns the displayed path: the real path if `located` contains `..`.
    pub(super) fn shown(&self, located: &LocatedPath<'_, '_>) -> String {
        match self.real.to_str() {
            Some(real) if located.has_parent_component() => located.root.shown(real),
            _ => located.shown(),
        }
    }

    /// Removes the directories that were created for it, if they are empty.
    pub(super) fn remove_created_directories(&self, workspace: &Workspace) {
        let Some(root) = workspace.root(self.root) else {
            return;
        };
        for directory in self.created.iter().rev() {
            // Not empty: another call has put something in it. Its parents aren't empty either then.
            if root.dir.remove_dir(directory).is_err() {
                return;
            }
        }
    }

    /// Returns the key to lock before writing.
    pub(super) fn key(&self) -> io::Result<Key> {
        let identity = platform::identity(&self.directory.dir_metadata()?);
        Ok(match identity {
            Some(identity) => (Some(identity), self.name.clone()),
            None => (None, Path::new(&self.root.to_string()).join(&self.real)),
        })
    }
}

impl Workspace {
    /// Returns the place at the end of `path`, which may be missing or a dangling symlink.
    pub(super) fn destination(
        &self,
        parameter: &str,
        path: &str,
        create_directories: bool,
    ) -> Result<Destination, ToolError> {
        check_is_given(parameter, path)?;
        let located = self.locate(parameter, path)?.checked_to_change(parameter)?;
        self.destination_of(parameter, &located, path, create_directories)
    }

    /// Returns the place of the file itself. A symlink at the end of `path` is followed, each step
    /// beneath the root's handle.
    pub(super) fn resolved_destination(
        &self,
        parameter: &str,
        path: &str,
        create_directories: bool,
    ) -> Result<Destination, ToolError> {
        check_is_given(parameter, path)?;
        let mut located = self.locate(parameter, path)?.checked_to_change(parameter)?;
        // One link at a time, so that each step is resolved beneath the handle and checked like a path of the model.
        for _ in 0..MAX_LINKS {
            let destination = self.destination_of(parameter, &located, path, create_directories)?;
            match destination.metadata() {
                Ok(metadata) if metadata.is_symlink() => {
                    located.relative = self.link_target(parameter, &destination, &located)?.into();
                }
                Ok(metadata) => {
                    check_is_file(parameter, &metadata, "Use another path.")?;
                    return Ok(destination);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(destination),
                Err(error) => return Err(disk_error(parameter, error)),
            }
        }
        Err(link_loop(parameter))
    }

    /// Returns the target path of the symlink at `destination`.
    fn link_target(
        &self,
        parameter: &str,
        destination: &Destination,
        located: &LocatedPath<'_, '_>,
    ) -> Result<String, ToolError> {
        let target = destination
            .directory
            .read_link_contents(&destination.name)
            .map_err(|error| disk_error(parameter, error))?;
        // An absolute target is resolved from `/`, so it would leave the handle even if it names a place inside.
        if target.has_root() {
            let escape = io::Error::from(io::ErrorKind::PermissionDenied);
            return Err(self.path_error(parameter, located, escape));
        }
        let Some(target) = target.to_str() else {
            let sentence = "is a symlink whose target is not UTF-8";
            return Err(ToolError::file_not_found(parameter, sentence)
                .suggest("Use the target path directly."));
        };
        let directory = located.relative.rsplit_once('/');
        let directory = directory.map_or(".", |(directory, _)| directory);
        Ok(format!("{directory}/{target}"))
    }

    /// Returns the place at `real` beneath a root. No parent may be a symlink.
    pub(super) fn real_destination(&self, root: usize, real: &Path) -> io::Result<Destination> {
        let dir = &self.root(root).ok_or(io::ErrorKind::NotFound)?.dir;
        let name = real.file_name().ok_or(io::ErrorKind::NotFound)?;
        Ok(Destination {
            directory: beneath::open_real_directory(dir, real.parent().unwrap_or(Path::new("")))?,
            name: name.into(),
            root,
            real: real.to_owned(),
            created: Vec::new(),
        })
    }

    /// Creates the directory at a path that does not exist.
    pub(super) fn new_directory(
        &self,
        parameter: &str,
        located: &LocatedPath<'_, '_>,
    ) -> Result<Destination, ToolError> {
        let inner = LocatedPath::new(located.root, format!("{}/{PLACEHOLDER}", located.relative));
        let mut destination = self.destination_of(parameter, &inner, &located.relative, true)?;
        destination.real.pop();
        Ok(destination)
    }

    /// Returns the place at `located`, to which the path as `written` by the model leads.
    fn destination_of(
        &self,
        parameter: &str,
        located: &LocatedPath<'_, '_>,
        written: &str,
        create_directories: bool,
    ) -> Result<Destination, ToolError> {
        let (directory, name) = split(parameter, &located.relative)?;
        let root = located.root;
        let above = LocatedPath::new(root, directory);
        let (real, missing) = self.reach(parameter, &above)?;
        if !missing.is_empty() && !create_directories {
            return Err(missing_parent(parameter).suggest(
                "Create the directory first. Set `create_directories` to create it with this call.",
            ));
        }
        let real_directory: PathBuf = std::iter::once(real.as_path())
            .chain(missing.iter().map(Path::new))
            .collect();
        let destination = real_directory.join(name);
        // Before anything is created, including the parents.
        self.check_change(parameter, root, &destination, missing.len())?;
        self.check_link(parameter, written, &destination)?;
        let fail = |error| self.path_error(parameter, &above, error);
        let opened = beneath::open_real_directory(&root.dir, &real).map_err(fail)?;
        let (directory, created) =
            beneath::create_directories(opened, &real, &missing).map_err(fail)?;
        Ok(Destination {
            directory,
            name: name.into(),
            root: root.number,
            real: destination,
            created,
        })
    }

    /// Rejects a link to a file that other programs run. The plan of the call asks by the path as written, so approval
    /// would not be about it.
    fn check_link(&self, parameter: &str, written: &str, real: &Path) -> Result<(), ToolError> {
        let names = self.protected();
        let written = self.key_of(written);
        if !names.is_run_by_others(real) || names.is_run_by_others(Path::new(&written)) {
            return Ok(());
        }
        let sentence = "leads through a link to a file that other programs run";
        Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
            .suggest("Use the path of the file without links."))
    }

    /// Returns the existing part of a directory's path, with symlinks resolved, and the missing
    /// names.
    pub(super) fn reach<'p>(
        &self,
        parameter: &str,
        directory: &'p LocatedPath<'_, '_>,
    ) -> Result<(PathBuf, Vec<&'p str>), ToolError> {
        let parts: Vec<&str> = directory
            .relative
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        for end in (0..=parts.len()).rev() {
            let (there, missing) = parts.split_at(end);
            if missing.len() > MAX_NEW_DIRECTORIES {
                break;
            }
            match beneath::real_path(&directory.root.dir, &there.join("/")) {
                // `..` after a missing directory cannot be resolved: do not create anything.
                Ok(_) if missing.contains(&"..") => {
                    let missing = io::Error::from(io::ErrorKind::NotFound);
                    let error = self.path_error(parameter, directory, missing);
                    let is_outside = *error.code() == ErrorCode::PathOutsideWorkspace;
                    let not_found = missing_parent(parameter)
                        .suggest("Create the directory first, or use a path without `..`.");
                    return Err(if is_outside { error } else { not_found });
                }
                Ok(real) => return Ok((real, missing.to_vec())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.path_error(parameter, directory, error)),
            }
        }
        let sentence = format!("has more than {MAX_NEW_DIRECTORIES} directories that do not exist");
        Err(ToolError::invalid_arguments(parameter, sentence).suggest("Choose a shorter path."))
    }
}

fn missing_parent(parameter: &str) -> ToolError {
    let sentence = "is in a directory that does not exist";
    ToolError::about(ErrorCode::FileNotFound, parameter, sentence)
}

fn split<'p>(parameter: &str, path: &'p str) -> Result<(&'p str, &'p str), ToolError> {
    let (directory, name) = path.rsplit_once('/').unwrap_or((".", path));
    if matches!(name, "" | "." | "..") {
        let path = shown(path);
        let suggestion = if path.split('/').any(|part| part == "..") {
            "Use the path of a file inside the workspace.".to_owned()
        } else {
            let example = join(&path, "name.txt");
            format!("Use the path of a file, such as `{example}`.")
        };
        let error = ToolError::about(ErrorCode::NotAFile, parameter, "is a directory");
        return Err(error.suggest(suggestion));
    }
    Ok((if directory.is_empty() { "." } else { directory }, name))
}

/// Interval at which a waiting writer checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Identifies a file by directory and name: replacing a file changes its inode, but not that of its
/// directory.
pub(super) type Key = (Option<(u64, u64)>, PathBuf);

/// Files that are being written.
#[derive(Debug, Default)]
pub(super) struct Locks {
    held: Mutex<HashSet<Key>>,
    freed: Condvar,
    /// Locks of other processes.
    pub(super) processes: ProcessLocks,
    /// Held while several files are changed together.
    pub(super) together: Mutex<()>,
    /// Directory of the locks between processes.
    #[cfg(target_os = "linux")]
    pub(super) state: OnceLock<Option<Dir>>,
}

/// Lock of one file, released on drop.
#[derive(Debug)]
pub(super) struct Lock {
    locks: Arc<Locks>,
    key: Key,
    pub(super) between_processes: Option<Arc<ProcessLock>>,
}

impl Locks {
    /// Waits until no other writer has the lock.
    pub(super) fn acquire(
        self: &Arc<Self>,
        key: Key,
        cancellation: &CancellationToken,
    ) -> Result<Lock, ToolError> {
        let mut held = self.held();
        while held.contains(&key) {
            if cancellation.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            held = self
                .freed
                // Cancelling a token doesn't notify the condition, so check it at intervals.
                .wait_timeout(held, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        held.insert(key.clone());
        Ok(Lock {
            locks: Arc::clone(self),
            key,
            between_processes: None,
        })
    }

    fn held(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.between_processes.take());
        self.locks.held().remove(&self.key);
        self.locks.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use tool_core::ErrorCode;

    use super::*;

    #[test]
    fn waiting_writer_can_be_cancelled() {
        let locks = Arc::new(Locks::default());
        let key: Key = (Some((1, 2)), "a".into());
        let none = CancellationToken::new();
        let first = locks.acquire(key.clone(), &none).unwrap();
        let cancelled = CancellationToken::new();
        cancelled.cancel();

        let refused = locks.acquire(key.clone(), &cancelled).unwrap_err();

        assert_eq!(refused.code(), &ErrorCode::Cancelled);
        drop(first);
        assert!(locks.acquire(key, &none).is_ok());
    }
}
