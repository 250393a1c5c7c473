//! The registered tools: an immutable table, with what is derived from it on demand.

mod entry;
mod error;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use foldhash::fast::RandomState;

use crate::definition::Loading;
use crate::search::SearchOptions;
use crate::{Dialect, ProviderTools, ToolDefinition, ToolName};

pub(crate) use entry::Entry;
pub use error::RegisterError;

/// The immutable tools of a registry at one moment. Each edit creates new ones.
#[derive(Default)]
pub(crate) struct Tools {
    table: Table,
    generation: u64,
    ordered: OnceLock<Vec<Slot>>,
    definitions: OnceLock<Vec<ToolDefinition>>,
    conversions: Conversions,
    /// Set if definitions are deferred.
    search: Option<Box<Search>>,
}

/// What was there before definitions were deferred.
pub(crate) struct Search {
    pub(crate) below: Arc<Tools>,
    pub(crate) options: Arc<SearchOptions>,
    /// Tools whose definitions are shown because a search has found them.
    pub(crate) found: Vec<String>,
}

impl Tools {
    pub(crate) fn new(table: Table, generation: u64) -> Self {
        Self {
            table,
            generation,
            ..Self::default()
        }
    }

    /// Creates tools of which some are deferred.
    pub(crate) fn searchable(table: Table, search: Search) -> Self {
        Self {
            generation: search.below.generation,
            table,
            search: Some(Box::new(search)),
            ..Self::default()
        }
    }

    #[inline]
    pub(crate) fn search(&self) -> Option<&Search> {
        self.search.as_deref()
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns an enabled tool.
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        let slot = self.table.get(name)?;
        slot.enabled.then(|| slot.entry.as_ref())
    }

    pub(crate) fn is_disabled(&self, name: &str) -> bool {
        self.table.get(name).is_some_and(|slot| !slot.enabled)
    }

    /// Returns the names of the enabled tools in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.enabled().map(|slot| slot.entry.name().as_str())
    }

    /// Returns the definitions that are not deferred.
    pub(crate) fn list(&self) -> &[ToolDefinition] {
        self.definitions.get_or_init(|| {
            let shown = self.enabled().filter(|slot| !slot.deferred);
            shown.map(|slot| slot.entry.definition().clone()).collect()
        })
    }

    /// Converts the definitions. The dialect chooses between the deferred ones and the tools that search.
    pub(crate) fn definitions(&self, dialect: &dyn Dialect) -> Arc<ProviderTools> {
        if self.search.is_none() {
            return self.conversions.of(dialect, || self.list().into());
        }
        let all = || {
            let definition = |slot: &Slot| match slot.entry.definition().clone() {
                deferred if slot.deferred => deferred.loaded(Loading::Deferred),
                shown => shown,
            };
            self.enabled().map(definition).collect()
        };
        self.conversions.of(dialect, || Cow::Owned(all()))
    }

    /// Returns the tool that a dialect named `wire_name`.
    pub(crate) fn by_wire_name(&self, wire_name: &str) -> Option<&Entry> {
        let converted = self.conversions.read();
        let mut names = converted.iter().map(|(_, converted)| &converted.names);
        self.get(names.find_map(|names| names.get(wire_name))?)
    }

    /// Returns all tools, including disabled ones, in the order of registration.
    pub(crate) fn ordered(&self) -> &[Slot] {
        self.ordered.get_or_init(|| self.table.ordered())
    }

    fn enabled(&self) -> impl Iterator<Item = &Slot> {
        self.ordered().iter().filter(|slot| slot.enabled)
    }
}

/// Tools by name.
#[derive(Clone, Default)]
pub(crate) struct Table {
    slots: HashMap<ToolName, Slot, RandomState>,
    next_place: u64,
}

/// Source of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceId {
    pub(crate) number: u64,
    /// Place of its tools among all others: where they were when the source was opened.
    pub(crate) place: u64,
}

/// A tool and its state in the registry.
#[derive(Clone)]
pub(crate) struct Slot {
    place: Place,
    pub(crate) entry: Arc<Entry>,
    pub(crate) enabled: bool,
    /// Whether a model sees the definition only after a search.
    pub(crate) deferred: bool,
    /// Source that may remove or replace the tool, in addition to the host.
    pub(crate) owner: Option<SourceId>,
}

/// Place of a tool: that of its source, if it has one, and its number in the order of registration. Sources come before
/// tools that were registered after them.
type Place = (u64, u64, u64);

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
        let number = self.next_place;
        let place = match owner {
            // Where the source was opened, not where it was ready: the order must not depend on which server is faster.
            Some(source) => (source.place, source.number, number),
            None => (number, u64::MAX, number),
        };
        let slot = Slot {
            place,
            enabled: true,
            deferred: false,
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
        // A replaced tool keeps its place: providers cache the definitions, and another order would miss the cache.
        slots.sort_unstable_by_key(|slot| slot.place);
        slots
    }

    /// Returns the place of the next tool.
    pub(crate) fn next_place(&self) -> u64 {
        self.next_place
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }
}

/// Maximum number of cached conversions, one per dialect and its options.
const MAX_CONVERSIONS: usize = 64;

/// Cached conversions of the definitions, by the id of the dialect.
#[derive(Default)]
struct Conversions(RwLock<Vec<(Cow<'static, str>, Arc<ProviderTools>)>>);

impl Conversions {
    /// Returns the cached conversion of `dialect`, or converts the definitions.
    fn of<'d>(
        &self,
        dialect: &dyn Dialect,
        definitions: impl FnOnce() -> Cow<'d, [ToolDefinition]>,
    ) -> Arc<ProviderTools> {
        let id = dialect.id();
        if let Some((_, known)) = self.read().iter().find(|(known, _)| *known == id) {
            return Arc::clone(known);
        }
        // Without the lock: the dialect is foreign code, and a thousand definitions take milliseconds.
        let converted = Arc::new(dialect.convert(&definitions()));
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MAX_CONVERSIONS && !known.iter().any(|(other, _)| *other == id) {
            known.push((id, Arc::clone(&converted)));
        }
        converted
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<(Cow<'static, str>, Arc<ProviderTools>)>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}
