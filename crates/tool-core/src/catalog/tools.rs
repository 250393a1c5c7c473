//! The tools of a registry at one moment.

use std::sync::{Arc, OnceLock};

use super::conversions::Conversions;
use super::entry::Entry;
use super::table::{Slot, Table};
use crate::{Converted, Dialect, Refused, ToolDefinition};

/// The tools of a registry at one moment. Never changed: each edit makes a new one.
#[derive(Default)]
pub(crate) struct Tools {
    table: Table,
    generation: u64,
    left_out: Vec<Refused>,
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

    /// The same with tools that a view could not show.
    #[cfg(feature = "typed")]
    pub(crate) fn with_left_out(self, left_out: Vec<Refused>) -> Self {
        Self { left_out, ..self }
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn left_out(&self) -> &[Refused] {
        &self.left_out
    }

    /// The tool that can be called under `name`.
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        let slot = self.table.get(name)?;
        slot.enabled.then(|| slot.entry.as_ref())
    }

    /// Whether there is such a tool, switched off.
    pub(crate) fn is_disabled(&self, name: &str) -> bool {
        self.table.get(name).is_some_and(|slot| !slot.enabled)
    }

    /// The names of the tools that can be called, in the order in which they were registered.
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

    pub(crate) fn definitions(&self, dialect: &dyn Dialect) -> Arc<Converted> {
        self.conversions.of(dialect, || self.list())
    }

    /// The tool that some provider was told about under `wire_name`.
    pub(crate) fn by_wire_name(&self, wire_name: &str) -> Option<&Entry> {
        self.get(self.conversions.name_of(wire_name)?)
    }

    /// All tools, also those that are switched off, in the order in which they were registered.
    pub(crate) fn ordered(&self) -> &[Slot] {
        self.ordered.get_or_init(|| self.table.ordered())
    }

    fn enabled(&self) -> impl Iterator<Item = &Slot> {
        self.ordered().iter().filter(|slot| slot.enabled)
    }
}
