//! Tools by name, in a form whose copies share what they have in common.

use std::sync::Arc;

use super::entry::Entry;
use super::hash::NameHash;

/// Slots per bucket on average, above which the table gets twice as many buckets.
const FULL: usize = 8;

/// Tools by name. A copy costs a pointer per bucket, and a change of the copy one bucket: so a registry of many tools
/// can be changed often while others read it.
#[derive(Clone)]
pub(crate) struct Table {
    hash: NameHash,
    /// A power of two of them.
    buckets: Vec<Arc<Vec<Slot>>>,
    length: usize,
    next_place: u64,
}

/// Which source a tool came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceId(pub(crate) u64);

/// A tool with what the registry says about it.
#[derive(Clone)]
pub(crate) struct Slot {
    hash: usize,
    /// Lower ones were registered earlier.
    place: u64,
    pub(crate) entry: Arc<Entry>,
    pub(crate) enabled: bool,
    /// Who may take it out or replace it, beside the host.
    pub(crate) owner: Option<SourceId>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            hash: NameHash::new(),
            buckets: vec![Arc::default()],
            length: 0,
            next_place: 0,
        }
    }
}

impl Table {
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<&Slot> {
        let hash = self.hash.of(name);
        let bucket = self.buckets.get(self.bucket_of(hash))?;
        bucket.iter().find(|slot| slot.is_of(hash, name))
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Slot> {
        self.get(name)?;
        let hash = self.hash.of(name);
        let at = self.bucket_of(hash);
        let bucket = Arc::make_mut(self.buckets.get_mut(at)?);
        bucket.iter_mut().find(|slot| slot.is_of(hash, name))
    }

    /// Adds a tool behind all others. Its name must be free.
    pub(crate) fn push(&mut self, entry: Arc<Entry>, owner: Option<SourceId>) {
        if self.length >= self.buckets.len() * FULL {
            self.grow();
        }
        let hash = self.hash.of(entry.name().as_str());
        let at = self.bucket_of(hash);
        if let Some(bucket) = self.buckets.get_mut(at) {
            Arc::make_mut(bucket).push(Slot {
                hash,
                place: self.next_place,
                entry,
                enabled: true,
                owner,
            });
            self.next_place += 1;
            self.length += 1;
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Slot> {
        self.get(name)?;
        let hash = self.hash.of(name);
        let at = self.bucket_of(hash);
        let bucket = Arc::make_mut(self.buckets.get_mut(at)?);
        let place = bucket.iter().position(|slot| slot.is_of(hash, name))?;
        self.length -= 1;
        Some(bucket.swap_remove(place))
    }

    /// All tools, in the order in which they were registered.
    pub(crate) fn ordered(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = self.slots().cloned().collect();
        slots.sort_unstable_by_key(|slot| slot.place);
        slots
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.buckets.iter().flat_map(|bucket| bucket.iter())
    }

    fn bucket_of(&self, hash: usize) -> usize {
        hash & (self.buckets.len() - 1)
    }

    fn grow(&mut self) {
        let mut buckets: Vec<Vec<Slot>> = vec![Vec::new(); self.buckets.len() * 2];
        let mask = buckets.len() - 1;
        for slot in self.slots() {
            if let Some(bucket) = buckets.get_mut(slot.hash & mask) {
                bucket.push(slot.clone());
            }
        }
        self.buckets = buckets.into_iter().map(Arc::new).collect();
    }
}

impl Slot {
    fn is_of(&self, hash: usize, name: &str) -> bool {
        self.hash == hash && self.entry.name().as_str() == name
    }
}
