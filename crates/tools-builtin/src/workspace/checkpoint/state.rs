//! The store of a workspace, and its last scans.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{Store, default_directory};
use super::tree::{Digest, Directory, NodeItem};
use super::{CheckpointError, MAX_STORE_BYTES, Scanned};
use crate::workspace::Workspace;

/// Size in bytes of a store below which it is not compacted.
const COMPACT_FROM: u64 = 256 * 1024 * 1024;

/// Checkpoints of a workspace.
#[derive(Debug, Default)]
pub(in crate::workspace) struct Checkpoints {
    place: StatePlace,
    state: Mutex<CheckpointState>,
    /// Whether the last checkpoint failed, or does not hold everything.
    has_gaps: AtomicBool,
}

/// Where the stores of checkpoints are.
#[derive(Debug, Clone, Default)]
pub(in crate::workspace) enum StatePlace {
    #[default]
    Standard,
    At(PathBuf),
    Nowhere,
}

#[derive(Debug, Default)]
pub(super) struct CheckpointState {
    pub(super) store: Option<Store>,
    /// Last scans.
    pub(super) latest: Vec<Scanned>,
    pub(super) open: Arc<()>,
    /// Size of the store from which it is compacted.
    pub(super) compact_at: u64,
}

impl Workspace {
    /// Returns whether checkpoints are enabled.
    #[cfg(feature = "shell")]
    pub(crate) fn has_checkpoints(&self) -> bool {
        !matches!(self.shared.checkpoints.place, StatePlace::Nowhere)
    }

    /// Returns whether the last checkpoint failed, or does not hold everything outside build outputs.
    #[cfg(feature = "shell")]
    pub(crate) fn has_gaps(&self) -> bool {
        self.shared.checkpoints.has_gaps.load(Ordering::Relaxed)
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

impl CheckpointState {
    pub(super) fn store(&mut self) -> Result<&mut Store, CheckpointError> {
        self.store.as_mut().ok_or(CheckpointError::Disabled)
    }

    /// Drops the contents that nothing needs any more, once there may be many.
    pub(super) fn compact_if_large(&mut self) -> Result<(), CheckpointError> {
        let Some(store) = &mut self.store else {
            return Ok(());
        };
        // An open checkpoint needs the contents of its own scan.
        if store.bytes() < self.compact_at || Arc::strong_count(&self.open) > 1 {
            return Ok(());
        }
        let mut live = HashSet::new();
        for scanned in &self.latest {
            add_digests(&scanned.tree, &mut live);
        }
        store.compact(live)?;
        let (bytes, half_full) = (store.bytes(), store.bytes().midpoint(MAX_STORE_BYTES));
        self.compact_at = (2 * bytes).clamp(COMPACT_FROM.min(half_full), half_full);
        Ok(())
    }
}

impl Checkpoints {
    pub(in crate::workspace) fn at(place: StatePlace) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    pub(super) fn set_gaps(&self, has_gaps: bool) {
        self.has_gaps.store(has_gaps, Ordering::Relaxed);
    }

    pub(super) fn state(&self) -> MutexGuard<'_, CheckpointState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add_digests(directory: &Directory, live: &mut HashSet<Digest>) {
    for node in &directory.nodes {
        match &node.item {
            NodeItem::File(digest) => {
                live.insert(*digest);
            }
            NodeItem::Directory(below) => add_digests(below, live),
            _ => {}
        }
    }
}
