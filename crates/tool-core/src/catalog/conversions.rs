//! Cached conversions of one set of tools.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::{Dialect, ProviderTools, ToolDefinition};

/// Maximum number of cached conversions, one per dialect and its options.
const MAX_CONVERSIONS: usize = 64;

/// Cached conversions: an append-only list, so that reads take no lock.
#[derive(Default)]
pub(crate) struct Conversions(OnceLock<Box<Link>>);

struct Link {
    id: Cow<'static, str>,
    converted: Arc<ProviderTools>,
    next: Conversions,
}

impl Conversions {
    /// Returns the cached conversion of `dialect`, or converts the definitions.
    pub(crate) fn of<'d>(
        &self,
        dialect: &dyn Dialect,
        definitions: impl FnOnce() -> &'d [ToolDefinition],
    ) -> Arc<ProviderTools> {
        let id = dialect.id();
        if let Some(known) = self.iter().find(|link| link.id == id) {
            return Arc::clone(&known.converted);
        }
        let converted = Arc::new(dialect.convert(definitions()));
        self.add(id, &converted);
        converted
    }

    /// Returns the tool that a dialect named `wire_name`.
    pub(crate) fn name_of(&self, wire_name: &str) -> Option<&str> {
        self.iter()
            .find_map(|link| link.converted.names.get(wire_name))
            .map(String::as_str)
    }

    fn iter(&self) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.0.get(), |link| link.next.0.get()).map(AsRef::as_ref)
    }

    fn add(&self, id: Cow<'static, str>, converted: &Arc<ProviderTools>) {
        let mut link = Box::new(Link {
            id,
            converted: Arc::clone(converted),
            next: Self::default(),
        });
        let mut end = self;
        for _ in 0..MAX_CONVERSIONS {
            match end.0.set(link) {
                Ok(()) => return,
                // Another thread was first.
                Err(back) => link = back,
            }
            match end.0.get() {
                Some(other) if other.id != link.id => end = &other.next,
                _ => return,
            }
        }
    }
}
