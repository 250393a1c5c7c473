//! The tools of a registry at one moment.

use std::sync::{Arc, OnceLock};

use super::conversions::Conversions;
use super::entry::Entry;
use super::table::{Slot, Table};
use crate::{Dialect, ProviderTools, ToolDefinition};

/// The immutable tools of a registry at one moment. Each edit creates new ones.
#[derive(Default)]
pub(crate) struct Tools {
    table: Table,
    generation: u64,
    ordered: OnceLock<Vec<Slot>>,
    definitions: OnceLock<Vec<ToolDefinition>>,
    conversions: Conversions,
}

impl Tools {
    pub(crate) fn new(table: Table, generation: u64) -> Self {
        Self {
            table,
            generation,
            ..Self::default()
        }
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

    /// Returns the names of the enabled tools in the order of registration.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.enabled().map(|slot| slot.entry.name().as_str())
    }

    pub(crate) fn list(&self) -> &[ToolDefinition] {
        self.definitions.get_or_init(|| {
            self.enabled()
                .map(|slot| slot.entry.definition().clone())
                .collect()
        })
    }

    pub(crate) fn definitions(&self, dialect: &dyn Dialect) -> Arc<ProviderTools> {
        self.conversions.of(dialect, || self.list())
    }

    /// Returns the tool that a dialect named `wire_name`.
    pub(crate) fn by_wire_name(&self, wire_name: &str) -> Option<&Entry> {
        self.get(self.conversions.name_of(wire_name)?)
    }

    /// Returns all tools, including disabled ones, in the order of registration.
    pub(crate) fn ordered(&self) -> &[Slot] {
        self.ordered.get_or_init(|| self.table.ordered())
    }

    fn enabled(&self) -> impl Iterator<Item = &Slot> {
        self.ordered().iter().filter(|slot| slot.enabled)
    }
}
