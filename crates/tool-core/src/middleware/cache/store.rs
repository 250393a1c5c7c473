//! The results that are kept, within bounds.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use super::key::{Key, Pin};
use crate::ToolOutput;

/// What a tool gave, and when.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) output: ToolOutput,
    pub(super) given_at: Instant,
}

/// The place of an answer, which one call fills while others wait.
pub(super) type Place = Arc<OnceCell<Answer>>;

/// How much is kept, and for how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) entries: usize,
    pub(super) bytes: usize,
    pub(super) age: Duration,
}

/// The results that are kept; the one that was not used for the longest time goes first.
#[derive(Default)]
pub(super) struct Store {
    entries: HashMap<Arc<Key>, Entry>,
    by_use: BTreeMap<u64, Arc<Key>>,
    uses: u64,
    bytes: usize,
}

struct Entry {
    place: Place,
    used: u64,
    bytes: usize,
    _pin: Pin,
}

impl Store {
    /// The place of the answer to `key`; an empty one where there is none, or only one that is too old.
    pub(super) fn place(
        &mut self,
        key: &Arc<Key>,
        pin: Pin,
        now: Instant,
        bounds: Bounds,
    ) -> Place {
        let is_fresh = |place: &Place| {
            place
                .get()
                .is_none_or(|answer| now.duration_since(answer.given_at) < bounds.age)
        };
        let kept = self.remove(key).filter(|entry| is_fresh(&entry.place));
        let entry = kept.unwrap_or_else(|| Entry {
            place: Place::default(),
            used: 0,
            bytes: key.size(),
            _pin: pin,
        });
        let place = Arc::clone(&entry.place);
        self.insert(key, entry);
        self.shrink(bounds);
        place
    }

    /// Makes room for an answer that has come; one that is too large is not kept.
    pub(super) fn answered(&mut self, key: &Arc<Key>, place: &Place, bytes: usize, bounds: Bounds) {
        let Some(mut entry) = self.remove_own(key, place) else {
            return;
        };
        entry.bytes = entry.bytes.saturating_add(bytes);
        if entry.bytes <= bounds.bytes {
            self.insert(key, entry);
            self.shrink(bounds);
        }
    }

    /// Forgets a place that stayed empty, unless somebody else waits for it.
    pub(super) fn failed(&mut self, key: &Arc<Key>, place: &Place) {
        let is_last = Arc::strong_count(place) <= 2;
        if is_last && !place.initialized() {
            drop(self.remove_own(key, place));
        }
    }

    /// Forgets everything. Who waits for an answer still gets it, and nobody after them.
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

    /// Only if it is this very place: after a clear, there may be another one under the same key.
    fn remove_own(&mut self, key: &Key, place: &Place) -> Option<Entry> {
        let is_own = Arc::ptr_eq(&self.entries.get(key)?.place, place);
        if is_own { self.remove(key) } else { None }
    }

    fn shrink(&mut self, bounds: Bounds) {
        while self.entries.len() > bounds.entries || self.bytes > bounds.bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else {
                return;
            };
            drop(self.remove(&oldest));
        }
    }
}
