//! What the protected names of a workspace hold, and how they are given it back.

mod state;

#[cfg(test)]
mod tests;

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use super::protected::{kept, writable_roots};
use super::removal::open_folder;
use crate::shell::sandbox::SandboxUnavailable;
use crate::workspace::Workspace;
use state::{Budget, State};

/// What the protected names of a workspace hold.
#[derive(Debug)]
pub(super) struct Snapshot {
    places: Mutex<Vec<Place>>,
}

/// What became of the protected names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Restored {
    /// Names that were changed, and hold again what they held.
    pub(super) changed: Vec<String>,
    /// Names that were changed and could not be put back.
    pub(super) failed: Vec<String>,
}

#[derive(Debug)]
struct Place {
    root: OwnedFd,
    name: String,
    /// The first part of the name, and what is there.
    first: CString,
    state: State,
}

impl Snapshot {
    /// Reads what the protected names in the writable roots hold.
    ///
    /// # Errors
    /// One of them cannot be read, or holds too much.
    pub(super) fn take(workspace: &Workspace) -> Result<Self, SandboxUnavailable> {
        let mut budget = Budget::default();
        let mut places = Vec::new();
        for root in writable_roots(workspace) {
            for name in kept(workspace) {
                let place = Place::read(root.handle().as_fd(), name, &mut budget);
                let fail = |error| SandboxUnavailable::Protected(name.to_owned(), error);
                places.push(place.map_err(fail)?);
            }
        }
        Ok(Self {
            places: Mutex::new(places),
        })
    }

    /// Gives the names back what they held.
    pub(super) fn restore(&self) -> Restored {
        // Calls that end at once share the snapshot, and would be in each other's way.
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let mut restored = Restored::default();
        for place in places.iter() {
            match place.state.restore(place.root.as_fd(), &place.first) {
                Ok(false) => {}
                Ok(true) => restored.changed.push(place.name.clone()),
                Err(error) => {
                    tracing::warn!(%error, name = place.name, "a protected name could not be put back");
                    restored.failed.push(place.name.clone());
                }
            }
        }
        restored
    }
}

impl Place {
    fn read(root: BorrowedFd<'_>, name: &str, budget: &mut Budget) -> io::Result<Self> {
        let parts: Vec<CString> = name
            .split('/')
            .map(CString::new)
            .collect::<Result<_, _>>()?;
        let [first, below @ ..] = parts.as_slice() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        Ok(Self {
            root: root.try_clone_to_owned()?,
            name: name.to_owned(),
            first: first.clone(),
            state: read_path(Some(root), first, below, budget)?,
        })
    }
}

/// What is at `first`, of which only the path `below` is protected, if it is a folder.
fn read_path(
    folder: Option<BorrowedFd<'_>>,
    first: &CString,
    below: &[CString],
    budget: &mut Budget,
) -> io::Result<State> {
    let Some(folder) = folder else {
        return missing(below, budget);
    };
    let [next, rest @ ..] = below else {
        return State::read(folder, first, budget);
    };
    let opened = match open_folder(folder, first) {
        Ok(opened) => Some(opened),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // A file or a link decides what the names below it mean, and is kept in their place.
        Err(error) if is_no_folder(&error) => return State::read(folder, first, budget),
        Err(error) => return Err(error),
    };
    let state = read_path(opened.as_ref().map(AsFd::as_fd), next, rest, budget)?;
    Ok(State::above(next.clone(), state))
}

fn missing(below: &[CString], budget: &mut Budget) -> io::Result<State> {
    match below {
        [] => Ok(State::Missing),
        [next, rest @ ..] => {
            let state = read_path(None, next, rest, budget)?;
            Ok(State::above(next.clone(), state))
        }
    }
}

fn is_no_folder(error: &io::Error) -> bool {
    [Errno::NOTDIR, Errno::LOOP]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
