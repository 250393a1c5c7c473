//! Snapshot and restoration of the protected names of a workspace.

mod state;

#[cfg(test)]
mod tests;

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use super::entries::open_directory;
use super::layout::Layout;
use super::new_repository::NewRepository;
use super::protected::{kept, writable_roots};
use crate::shell::sandbox::SandboxUnavailable;
use crate::workspace::{Root, Workspace};
use state::{Budget, State};

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
