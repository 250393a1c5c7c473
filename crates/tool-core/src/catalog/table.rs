//! Tools by name. Copies share their unchanged parts.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::entry::Entry;
use crate::ToolName;

/// Parts that are copied on write, so that a change among thousands of tools copies few of them.
const SHARDS: usize = 64;

/// Tools by name. A clone copies one pointer per shard, and a change one shard.
#[derive(Clone)]
pub(crate) struct Table {
    hasher: RandomState,
    shards: Vec<Arc<HashMap<ToolName, Slot, RandomState>>>,
    next_place: u64,
}

/// Source of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceId(pub(crate) u64);

/// Position in the order of registration: the number of the tool, or of the tool after a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(u64, Part);

/// Tools of groups precede the tool that was registered after the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Position within a group.
    OfGroup(SourceId, usize),
    Single,
}

impl Place {
    /// Returns the position of a tool within a group, which was added before the tool number `next`.
    pub(crate) fn of_group(next: u64, group: SourceId, index: usize) -> Self {
        Self(next, Part::OfGroup(group, index))
    }
}

/// A tool and its state in the registry.
#[derive(Clone)]
pub(crate) struct Slot {
    pub(crate) place: Place,
    pub(crate) entry: Arc<Entry>,
    pub(crate) enabled: bool,
    /// Source that may remove or replace the tool, in addition to the host.
    pub(crate) owner: Option<SourceId>,
}

impl Default for Table {
    fn default() -> Self {
        let hasher = RandomState::default();
        let empty = Arc::new(HashMap::with_hasher(hasher.clone()));
        Self {
            hasher,
            // All shards share one map until their first change.
            shards: vec![empty; SHARDS],
            next_place: 0,
        }
    }
}

impl Table {
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<&Slot> {
        self.shards.get(self.shard_of(name))?.get(name)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Slot> {
        self.get(name)?;
        self.shard_mut(name)?.get_mut(name)
    }

    /// Returns the number of the next tool.
    pub(crate) fn next_place(&self) -> u64 {
        self.next_place
    }

    /// Appends a tool. Its name must be free.
    pub(crate) fn push(&mut self, entry: Arc<Entry>, owner: Option<SourceId>) {
        let place = Place(self.next_place, Part::Single);
        self.next_place += 1;
        let name = entry.name().clone();
        if let Some(shard) = self.shard_mut(name.as_str()) {
            let slot = Slot {
                place,
                enabled: true,
                owner,
                entry,
            };
            shard.insert(name, slot);
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Slot> {
        self.get(name)?;
        self.shard_mut(name)?.remove(name)
    }

    /// Returns all tools in the order of registration.
    pub(crate) fn ordered(&self) -> Vec<Slot> {
        let slots = self.shards.iter().flat_map(|shard| shard.values());
        let mut slots: Vec<Slot> = slots.cloned().collect();
        // The host may keep a tool of a group that changes, so two tools may have one position.
        slots.sort_unstable_by(|a, b| {
            let names = || a.entry.name().cmp(b.entry.name());
            a.place.cmp(&b.place).then_with(names)
        });
        slots
    }

    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.len()).sum()
    }

    fn shard_of(&self, name: &str) -> usize {
        // Middle bits: the maps use the others.
        usize::from(self.hasher.hash_one(name).to_le_bytes()[4]) % SHARDS
    }

    fn shard_mut(&mut self, name: &str) -> Option<&mut HashMap<ToolName, Slot, RandomState>> {
        let shard = self.shard_of(name);
        self.shards.get_mut(shard).map(Arc::make_mut)
    }
}
