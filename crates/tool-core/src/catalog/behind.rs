//! What stands behind a tool that a view shows.

use std::sync::Arc;

use serde_json::Value;

use super::Entry;
#[cfg(feature = "typed")]
use crate::Arguments;
#[cfg(feature = "typed")]
use crate::present::Mapping;

/// What stands behind a tool that a view shows: the tool below, and how arguments get there.
#[cfg(feature = "typed")]
pub(crate) struct Behind {
    entry: Arc<Entry>,
    /// From the innermost to the outermost.
    mappings: Vec<Mapping>,
    /// The name under which the tool is registered.
    registered_as: Arc<str>,
}

#[cfg(feature = "typed")]
impl Behind {
    pub(crate) fn new(entry: Arc<Entry>, mappings: Vec<Mapping>) -> Self {
        let registered_as = entry
            .registered_as()
            .map_or_else(|| entry.name().as_str().into(), Arc::clone);
        Self {
            entry,
            mappings,
            registered_as,
        }
    }

    pub(crate) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// Whether `front` is called as the tool below is, and with the same arguments.
    pub(crate) fn is_called_as(&self, front: &Entry) -> bool {
        self.mappings.is_empty() && self.entry.name() == front.name()
    }

    pub(crate) fn registered_as(&self) -> &Arc<str> {
        &self.registered_as
    }

    /// The arguments as the tool below has them.
    pub(crate) fn arguments(&self, shown: Value) -> Value {
        self.mappings.iter().rev().fold(shown, |shown, mapping| {
            let shown = Arguments::from_value(shown);
            let own = mapping.own(&shown).map(|own| own.to_value());
            own.unwrap_or_else(|| shown.to_value())
        })
    }
}

/// Nothing: views need types.
#[cfg(not(feature = "typed"))]
pub(crate) enum Behind {}

#[cfg(not(feature = "typed"))]
impl Behind {
    pub(crate) fn entry(&self) -> &Arc<Entry> {
        match *self {}
    }

    pub(crate) fn is_called_as(&self, _front: &Entry) -> bool {
        match *self {}
    }

    pub(crate) fn registered_as(&self) -> &Arc<str> {
        match *self {}
    }

    pub(crate) fn arguments(&self, _shown: Value) -> Value {
        match *self {}
    }
}
