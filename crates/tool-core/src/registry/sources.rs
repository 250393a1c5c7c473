//! Open sources of a registry, and the refresh that each of them has reached.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::ToolName;
use crate::catalog::SourceId;

/// State of the sources of one registry.
#[derive(Default)]
pub(super) struct Sources {
    next: u64,
    pub(super) open: BTreeMap<SourceId, State>,
}

/// State of one source.
pub(super) struct State {
    name: Arc<str>,
    started: u64,
    finished: u64,
    /// Tools that were disabled when they were removed. They are disabled again if they return.
    pub(super) disabled: HashSet<ToolName>,
}

impl Sources {
    pub(super) fn open(&mut self, name: &str) -> Result<SourceId, SourceError> {
        if self.open.values().any(|state| *state.name == *name) {
            return Err(SourceError::NameTaken(name.to_owned()));
        }
        let id = SourceId(self.next);
        self.next += 1;
        let state = State {
            name: name.into(),
            started: 0,
            finished: 0,
            disabled: HashSet::new(),
        };
        self.open.insert(id, state);
        Ok(id)
    }

    pub(super) fn name_of(&self, id: SourceId) -> Option<&str> {
        self.open.get(&id).map(|state| state.name.as_ref())
    }

    /// Returns the number of a refresh that begins now; `None` if the source is closed.
    pub(super) fn begin(&mut self, id: SourceId) -> Option<u64> {
        let state = self.open.get_mut(&id)?;
        state.started += 1;
        Some(state.started)
    }

    pub(super) fn finish(
        &mut self,
        id: SourceId,
        number: u64,
        source: &str,
    ) -> Result<(), SourceError> {
        let closed = || SourceError::Closed(source.to_owned());
        let state = self.open.get_mut(&id).ok_or_else(closed)?;
        if number <= state.finished {
            return Err(SourceError::Stale(source.to_owned()));
        }
        state.finished = number;
        Ok(())
    }
}

/// Reason for a refresh that changed nothing, or for a source that could not be opened.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_core::registry::SourceError;
///
/// let registry = Registry::new();
/// let _mail = registry.source("mail")?;
/// assert_eq!(registry.source("mail").err(), Some(SourceError::NameTaken("mail".into())));
/// # Ok::<_, SourceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Another source has this name.
    #[error("a source named `{0}` is already open; close it first, or use another name")]
    NameTaken(String),
    /// A later refresh of this source was finished first.
    #[error("a later refresh has already updated the tools of `{0}`")]
    Stale(String),
    /// This source was closed.
    #[error("the source `{0}` is closed")]
    Closed(String),
    /// The registry is a view or a snapshot.
    #[error("views and snapshots have no sources; open the source in the registry below")]
    ReadOnly,
}
