//! What providers were told about one set of tools.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::{Converted, Dialect, ToolDefinition};

/// Conversions kept, one for each dialect and its options.
const MAX_CONVERSIONS: usize = 64;

/// What providers were told about one set of tools: a list that only grows, so that reading it takes no lock.
#[derive(Default)]
pub(crate) struct Conversions(OnceLock<Box<Link>>);

struct Link {
    id: Cow<'static, str>,
    converted: Arc<Converted>,
    next: Conversions,
}

impl Conversions {
    /// What `dialect` makes of the definitions, made once.
    pub(crate) fn of<'d>(
        &self,
        dialect: &dyn Dialect,
        definitions: impl FnOnce() -> &'d [ToolDefinition],
    ) -> Arc<Converted> {
        let id = dialect.id();
        if let Some(known) = self.iter().find(|link| link.id == id) {
            return Arc::clone(&known.converted);
        }
        let converted = Arc::new(dialect.convert(definitions()));
        self.add(id, &converted);
        converted
    }

    /// The tool that some provider was told about under `wire_name`.
    pub(crate) fn name_of(&self, wire_name: &str) -> Option<&str> {
        self.iter()
            .find_map(|link| link.converted.names.get(wire_name))
            .map(String::as_str)
    }

    fn iter(&self) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.0.get(), |link| link.next.0.get()).map(AsRef::as_ref)
    }

    fn add(&self, id: Cow<'static, str>, converted: &Arc<Converted>) {
        let mut link = Box::new(Link {
            id,
            converted: Arc::clone(converted),
            next: Self::default(),
        });
        let mut end = self;
        for _ in 0..MAX_CONVERSIONS {
            match end.0.set(link) {
                Ok(()) => return,
                // Another one is there, or came first.
                Err(back) => link = back,
            }
            match end.0.get() {
                Some(other) if other.id != link.id => end = &other.next,
                _ => return,
            }
        }
    }
}
