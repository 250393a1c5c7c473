//! The store of a workspace, and its last scans.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::Store;
use super::tree::{Digest, Directory, Item};
use super::{CheckpointError, MAX_STORE_BYTES, Scanned};

/// Size in bytes of a store below which it is not compacted.
pub(super) const COMPACT_FROM: u64 = 256 * 1024 * 1024;

/// Checkpoints of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Checkpoints {
    pub(super) place: StatePlace,
    state: Mutex<CheckpointState>,
    /// Whether the last checkpoint failed, or does not hold everything.
    has_gaps: AtomicBool,
}

/// Where the stores of checkpoints are.
#[derive(Debug, Clone, Default)]
pub(crate) enum StatePlace {
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
    pub(crate) fn at(place: StatePlace) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    #[cfg(feature = "shell")]
    pub(super) fn has_gaps(&self) -> bool {
        self.has_gaps.load(Ordering::Relaxed)
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
        if let Item::File(digest) = node.item {
            live.insert(digest);
        }
        if let Some(below) = &node.below {
            add_digests(below, live);
        }
    }
}
