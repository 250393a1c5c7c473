//! Storage of cached results.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use super::key::{AddressPin, Key};
use crate::ToolOutput;

/// An output and its time.
#[derive(Debug)]
pub(super) struct CachedOutput {
    pub(super) output: ToolOutput,
    pub(super) stored_at: Instant,
}

/// Place of an output, which one call fills while others wait.
pub(super) type Slot = Arc<OnceCell<CachedOutput>>;

/// Limits of a cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheLimits {
    pub(super) entries: usize,
    pub(super) bytes: usize,
    pub(super) age: Duration,
}

/// Cached results. The least recently used one is removed first.
#[derive(Default)]
pub(super) struct Store {
    entries: HashMap<Arc<Key>, Entry>,
    by_use: BTreeMap<u64, Arc<Key>>,
    uses: u64,
    bytes: usize,
}

struct Entry {
    slot: Slot,
    used: u64,
    bytes: usize,
    _pin: AddressPin,
}

impl Store {
    /// Returns the place of `key`: an empty one if there is no result, or only an expired one.
    pub(super) fn slot(
        &mut self,
        key: &Arc<Key>,
        pin: AddressPin,
        now: Instant,
        bounds: CacheLimits,
    ) -> Slot {
        let is_fresh = |slot: &Slot| {
            slot.get()
                .is_none_or(|cached| now.duration_since(cached.stored_at) < bounds.age)
        };
        let reused = self.remove(key).filter(|entry| is_fresh(&entry.slot));
        let entry = reused.unwrap_or_else(|| Entry {
            slot: Slot::default(),
            used: 0,
            bytes: key.size(),
            _pin: pin,
        });
        let slot = Arc::clone(&entry.slot);
        self.insert(key, entry);
        self.shrink(bounds);
        slot
    }

    /// Counts the bytes of a new result, and removes it if it is too large.
    pub(super) fn set_size(
        &mut self,
        key: &Arc<Key>,
        slot: &Slot,
        bytes: usize,
        bounds: CacheLimits,
    ) {
        let Some(mut entry) = self.remove_own(key, slot) else {
            return;
        };
        entry.bytes = entry.bytes.saturating_add(bytes);
        if entry.bytes <= bounds.bytes {
            self.insert(key, entry);
            self.shrink(bounds);
        }
    }

    /// Removes a place that stayed empty, unless another call waits for it.
    pub(super) fn remove_empty(&mut self, key: &Arc<Key>, slot: &Slot) {
        let is_last = Arc::strong_count(slot) <= 2;
        if is_last && !slot.initialized() {
            drop(self.remove_own(key, slot));
        }
    }

    /// Removes all results. Calls that already wait still receive theirs.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.by_use.clear();
        self.bytes = 0;
    }

    fn insert(&mut self, key: &Arc<Key>, entry: Entry) {
        self.uses += 1;
        self.bytes = self.bytes.saturating_add(entry.bytes);
        self.by_use.insert(self.uses, Arc::clone(key));
        let used = self.uses;
        self.entries
            .insert(Arc::clone(key), Entry { used, ..entry });
    }

    fn remove(&mut self, key: &Key) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        self.by_use.remove(&entry.used);
        self.bytes = self.bytes.saturating_sub(entry.bytes);
        Some(entry)
    }

    /// Removes exactly this place: after a clear, the key may have another one.
    fn remove_own(&mut self, key: &Key, slot: &Slot) -> Option<Entry> {
        let is_own = Arc::ptr_eq(&self.entries.get(key)?.slot, slot);
        if is_own { self.remove(key) } else { None }
    }

    fn shrink(&mut self, bounds: CacheLimits) {
        while self.entries.len() > bounds.entries || self.bytes > bounds.bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else {
                return;
            };
            drop(self.remove(&oldest));
        }
    }
}
