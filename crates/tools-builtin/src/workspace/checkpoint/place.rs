//! Where the checkpoints of a workspace are kept.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::CheckpointError;
use super::state::{COMPACT_FROM, CheckpointState, StatePlace};
use super::store::{Store, default_directory, open_above};
use super::tree::Digest;
use crate::workspace::Workspace;

impl Workspace {
    /// Returns whether checkpoints are enabled.
    #[cfg(feature = "shell")]
    pub(crate) fn has_checkpoints(&self) -> bool {
        !matches!(self.shared.checkpoints.place, StatePlace::Nowhere)
    }

    /// Returns whether the last checkpoint failed, or does not hold everything outside build outputs.
    #[cfg(feature = "shell")]
    pub(crate) fn has_gaps(&self) -> bool {
        self.shared.checkpoints.has_gaps()
    }

    /// Opens the store of this workspace, unless it is open.
    pub(super) fn open_store(&self, state: &mut CheckpointState) -> Result<(), CheckpointError> {
        if state.store.is_some() {
            return Ok(());
        }
        let place = self.state_path()?;
        if self.holds(&place) {
            return Err(CheckpointError::InWorkspace);
        }
        state.store = Some(Store::open(&place, &self.state_name())?);
        state.compact_at = COMPACT_FROM;
        Ok(())
    }

    /// Returns the directory for what this workspace keeps outside its roots.
    pub(in crate::workspace) fn state_path(&self) -> Result<PathBuf, CheckpointError> {
        let place = match &self.shared.checkpoints.place {
            StatePlace::Standard => default_directory(),
            StatePlace::At(path) => Some(path.clone()),
            StatePlace::Nowhere => return Err(CheckpointError::Disabled),
        };
        let place = place.ok_or(CheckpointError::NoDirectory)?;
        Ok(std::path::absolute(place)?)
    }

    /// Opens this directory, which is created with access for the user only. Returns `None` if there is none outside the roots.
    pub(in crate::workspace) fn open_state_directory(&self) -> Option<Dir> {
        let place = self.state_path().ok().filter(|place| !self.holds(place))?;
        let opened = open_above(&place);
        opened
            .inspect_err(|error| tracing::debug!(%error, "files are not locked between processes"))
            .ok()
    }

    /// Returns this directory, its path and the name of the workspace in it.
    #[cfg(feature = "shell")]
    pub(crate) fn state_place(&self) -> Option<(Dir, PathBuf, String)> {
        let path = self.state_path().ok()?;
        Some((self.open_state_directory()?, path, self.state_name()))
    }

    /// Returns the name of this workspace in the directory, which depends on its roots.
    pub(in crate::workspace) fn state_name(&self) -> String {
        let roots = self.roots().map(|root| root.real_path().as_os_str());
        let roots = roots.collect::<Vec<_>>().join("\0".as_ref());
        let name = Digest::of(roots.as_encoded_bytes()).to_hexadecimal();
        name.chars().take(32).collect()
    }

    /// Returns whether a path, or what its symlinks lead to, is in a root.
    #[expect(
        clippy::disallowed_methods,
        reason = "the path of the host, not of a model"
    )]
    fn holds(&self, path: &Path) -> bool {
        let existing = path.ancestors().find_map(|above| above.canonicalize().ok());
        let mut paths = existing.as_deref().into_iter().chain([path]);
        paths.any(|path| {
            let mut roots = self.roots();
            roots.any(|root| path.starts_with(root.real_path()) || path.starts_with(root.path()))
        })
    }
}
