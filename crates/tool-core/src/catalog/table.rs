//! Tools by name.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::entry::Entry;
use crate::ToolName;

/// Tools by name.
#[derive(Clone, Default)]
pub(crate) struct Table {
    slots: HashMap<ToolName, Slot, RandomState>,
    next_place: u64,
}

/// Source of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceId(pub(crate) u64);

/// A tool and its state in the registry.
#[derive(Clone)]
pub(crate) struct Slot {
    /// Number of the tool in the order of registration.
    place: u64,
    pub(crate) entry: Arc<Entry>,
    pub(crate) enabled: bool,
    /// Source that may remove or replace the tool, in addition to the host.
    pub(crate) owner: Option<SourceId>,
}

impl Table {
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<&Slot> {
        self.slots.get(name)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Slot> {
        self.slots.get_mut(name)
    }

    /// Appends a tool. Its name must be free.
    pub(crate) fn push(&mut self, entry: Arc<Entry>, owner: Option<SourceId>) {
        let slot = Slot {
            place: self.next_place,
            enabled: true,
            owner,
            entry,
        };
        self.next_place += 1;
        self.slots.insert(slot.entry.name().clone(), slot);
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Slot> {
        self.slots.remove(name)
    }

    /// Returns all tools in the order of registration.
    pub(crate) fn ordered(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = self.slots.values().cloned().collect();
        slots.sort_unstable_by_key(|slot| slot.place);
        slots
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }
}
