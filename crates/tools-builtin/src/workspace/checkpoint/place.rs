//! Where the checkpoints of a workspace are kept.

use std::path::Path;

use super::CheckpointError;
use super::state::{COMPACT_FROM, CheckpointState, StatePlace};
use super::store::{Store, default_directory};
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
        let place = match &self.shared.checkpoints.place {
            StatePlace::Standard => default_directory(),
            StatePlace::At(path) => Some(path.clone()),
            StatePlace::Nowhere => return Err(CheckpointError::Disabled),
        };
        let place = std::path::absolute(place.ok_or(CheckpointError::NoDirectory)?)?;
        if self.holds(&place) {
            return Err(CheckpointError::InWorkspace);
        }
        let roots = self.roots().map(|root| root.real_path().as_os_str());
        let name = Digest::of(
            roots
                .collect::<Vec<_>>()
                .join("\0".as_ref())
                .as_encoded_bytes(),
        );
        let name: String = name.to_hexadecimal().chars().take(32).collect();
        state.store = Some(Store::open(&place, &name)?);
        state.compact_at = COMPACT_FROM;
        Ok(())
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
