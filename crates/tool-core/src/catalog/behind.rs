//! What stands behind a tool that a view shows.

use std::sync::Arc;

use serde_json::Value;

use super::Entry;

/// From the arguments of a face to those of the tool behind it.
pub(crate) type Inwards = Box<dyn Fn(Value) -> Value + Send + Sync>;

/// What stands behind a tool that a view shows: the tool below, and how arguments get there.
pub(crate) struct Behind {
    entry: Arc<Entry>,
    /// Nothing, where the arguments are the same.
    inwards: Option<Inwards>,
    /// The name under which the tool is registered.
    registered_as: Arc<str>,
}

impl Behind {
    #[cfg(feature = "typed")]
    pub(crate) fn new(entry: Arc<Entry>, inwards: Option<Inwards>) -> Self {
        let registered_as = entry
            .registered_as()
            .map_or_else(|| entry.name().as_str().into(), Arc::clone);
        Self {
            entry,
            inwards,
            registered_as,
        }
    }

    pub(super) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// Whether `front` is called as the tool below is, and with the same arguments.
    pub(super) fn is_called_as(&self, front: &Entry) -> bool {
        self.inwards.is_none() && self.entry.name() == front.name()
    }

    pub(super) fn registered_as(&self) -> &Arc<str> {
        &self.registered_as
    }

    /// The arguments as the tool below has them.
    pub(super) fn arguments(&self, shown: Value) -> Value {
        match &self.inwards {
            Some(inwards) => inwards(shown),
            None => shown,
        }
    }
}
