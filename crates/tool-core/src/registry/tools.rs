//! The tools of a registry at one moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Entry, RegisterError};
use crate::{Converted, Dialect, ToolDefinition, ToolName};

/// Conversions kept per generation, one for each dialect and its options.
const MAX_CONVERSIONS: usize = 64;

/// The tools of a registry at one moment. Never changed: each edit makes a new one.
#[derive(Default)]
pub(crate) struct Tools {
    by_name: HashMap<ToolName, Arc<Entry>>,
    order: Vec<Arc<Entry>>,
    definitions: OnceLock<Vec<ToolDefinition>>,
    conversions: Mutex<HashMap<String, Arc<Converted>>>,
}

impl Tools {
    pub(crate) fn of(order: Vec<Arc<Entry>>) -> Self {
        let by_name = order
            .iter()
            .map(|entry| (entry.name().clone(), Arc::clone(entry)))
            .collect();
        Self {
            by_name,
            order,
            ..Self::default()
        }
    }

    pub(crate) fn with(&self, entry: Entry) -> Result<Self, RegisterError> {
        if let Some(existing) = self.get(entry.name().as_str()) {
            return Err(RegisterError::taken(existing, &entry));
        }
        let mut order = self.order.clone();
        order.push(Arc::new(entry));
        Ok(Self::of(order))
    }

    pub(crate) fn with_replaced(&self, entry: Entry) -> Self {
        let entry = Arc::new(entry);
        let mut order = self.order.clone();
        match order.iter_mut().find(|known| known.name() == entry.name()) {
            Some(place) => *place = entry,
            None => order.push(entry),
        }
        Self::of(order)
    }

    pub(crate) fn without(&self, name: &str) -> Self {
        Self::of(
            self.order
                .iter()
                .filter(|entry| entry.name().as_str() != name)
                .cloned()
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(|entry| entry.name().as_str())
    }

    pub(crate) fn list(&self) -> &[ToolDefinition] {
        self.definitions.get_or_init(|| {
            self.order
                .iter()
                .map(|entry| entry.definition().clone())
                .collect()
        })
    }

    pub(crate) fn definitions(&self, dialect: &dyn Dialect) -> Arc<Converted> {
        let id = dialect.id();
        let known = self.lock().get(id.as_ref()).map(Arc::clone);
        known.unwrap_or_else(|| {
            let converted = Arc::new(dialect.convert(self.list()));
            let mut conversions = self.lock();
            if conversions.len() < MAX_CONVERSIONS {
                conversions.insert(id.into_owned(), Arc::clone(&converted));
            }
            converted
        })
    }

    /// The entry that some provider was told about under `wire_name`.
    pub(crate) fn by_wire_name(&self, wire_name: &str) -> Option<&Arc<Entry>> {
        let conversions = self.lock();
        let name = conversions
            .values()
            .find_map(|converted| converted.names.get(wire_name))?;
        self.by_name.get(name.as_str())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Converted>>> {
        self.conversions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
