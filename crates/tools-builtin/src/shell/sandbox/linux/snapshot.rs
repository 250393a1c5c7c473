//! Snapshot and restoration of the protected names of a workspace. Landlock cannot exclude a name
//! from a directory that it allows, so we undo such changes after the call.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::content::{Budget, Content, read_path};
use super::entries::{kept, kind, open_directory, writable_roots};
use super::nested::NestedRepositories;
use super::new_repository::{self, Layout};
use super::record::{self, Held, Record};
use super::repositories::Searches;
use super::restoration::Restoration;
use super::script::Script;
use crate::shell::sandbox::SandboxUnavailable;
use crate::workspace::{Root, Workspace};

/// Content of the protected names of a workspace.
#[derive(Debug)]
pub(super) struct Snapshot {
    places: Mutex<Vec<Place>>,
    layouts: Vec<Layout>,
    nested: Vec<NestedRepositories>,
    /// What restores the names if this process ends.
    held: Option<Held>,
}

/// Protected names that a call may change.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowed {
    /// Paths with write access, without symlinks.
    pub(super) granted: Vec<PathBuf>,
    /// Whether the command is Git and may change harmless settings.
    pub(super) git_settings: bool,
}

impl Allowed {
    fn covers(&self, place: &Place) -> bool {
        let is_granted = self
            .granted
            .iter()
            .any(|path| path.starts_with(&place.path));
        is_granted || self.git_settings && place.has_harmless_change()
    }
}

#[derive(Debug)]
struct Place {
    root: OwnedFd,
    /// Path of the root, without links.
    directory: PathBuf,
    name: String,
    /// Path of the name, with links in the root's path resolved.
    path: PathBuf,
    /// First component of the name, with this content.
    first: CString,
    content: Content,
}

impl Snapshot {
    /// Reads the protected names in the writable roots.
    ///
    /// # Errors
    /// Returns an error if a name cannot be read or exceeds the limits.
    pub(super) fn take(
        workspace: &Workspace,
        searches: &Searches,
    ) -> Result<Self, SandboxUnavailable> {
        let mut budget = Budget::default();
        let fail = |name: &str, error| SandboxUnavailable::Protected(name.to_owned(), error);
        let mut places = Vec::new();
        for root in writable_roots(workspace) {
            let repository = kind(root.handle().as_fd(), c".git");
            let repository = repository.map_err(|error| fail(".git", error))?;
            // A new repository keeps what is harmless of these.
            let is_new = repository.is_none() && workspace.protected().covers_repositories();
            let is_replaced = |name: &str| is_new && [".git/hooks", ".git/config"].contains(&name);
            for name in kept(workspace).filter(|name| !is_replaced(name)) {
                let place = Place::read(root, name, &mut budget);
                places.push(place.map_err(|error| fail(name, error))?);
            }
        }
        Ok(Self {
            places: Mutex::new(places),
            nested: NestedRepositories::read(workspace, searches, &mut budget)
                .map_err(|error| fail(".git", error))?,
            layouts: layouts(workspace).map_err(|error| fail(".", error))?,
            held: None,
        })
    }

    /// Restores the names if this process ends before the snapshot is dropped.
    pub(super) fn hold_in(mut self, record: &Arc<Record>) -> Self {
        let held = record.hold(&self.script());
        self.held = held.inspect_err(record::warn).ok();
        self
    }

    /// Sets whether the names could not be restored, so that it must be tried again after the end of this process.
    pub(super) fn set_lost(&self, is_lost: bool) {
        if let Some(held) = &self.held {
            held.set_lost(is_lost);
        }
    }

    /// Returns the script that restores the names without this process. It makes no exceptions, such as
    /// for settings that the command may change.
    pub(super) fn script(&self) -> Script {
        let mut script = Script::default();
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        for place in places.iter() {
            script.restore(&place.directory, &place.first, &place.content);
        }
        for layout in &self.layouts {
            layout.add_to(&mut script);
        }
        for nested in &self.nested {
            nested.add_to(&mut script);
        }
        script
    }

    /// Restores the content of all names, except what the call was allowed to change.
    pub(super) fn restore(&self, allowed: &Allowed) -> Restoration {
        // Concurrent calls share the snapshot and must not restore it at the same time.
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let mut restored = Restoration::default();
        restore_places(&places, allowed, &mut restored);
        for nested in &self.nested {
            nested.restore(allowed.git_settings, &mut restored);
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

fn restore_places(places: &[Place], allowed: &Allowed, restored: &mut Restoration) {
    for place in places.iter().filter(|place| !allowed.covers(place)) {
        match place.content.restore(place.root.as_fd(), &place.first) {
            Ok(false) => {}
            Ok(true) => restored.changed.push(place.name.clone()),
            Err(error) => {
                tracing::warn!(%error, name = place.name, "a protected name could not be restored");
                restored.failed.push(place.name.clone());
            }
        }
    }
}

/// Returns the writable roots that are not bare repositories.
fn layouts(workspace: &Workspace) -> io::Result<Vec<Layout>> {
    let roots = writable_roots(workspace).filter(|_| workspace.protected().covers_repositories());
    let layouts = roots.map(Layout::read);
    layouts.filter_map(Result::transpose).collect()
}

impl Place {
    /// Returns whether these are settings of a repository, with only harmless changes.
    fn has_harmless_change(&self) -> bool {
        let repository = || open_directory(self.root.as_fd(), c".git").ok();
        self.name == ".git/config"
            && repository().is_some_and(|opened| {
                new_repository::has_harmless_change(opened.as_fd(), &self.content)
            })
    }

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
            directory: root.real_path().to_owned(),
            name: name.to_owned(),
            path: root.real_path().join(name),
            first: first.clone(),
            content: read_path(handle, first, below, budget)?,
        })
    }
}
