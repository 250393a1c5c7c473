//! State of the sources and groups of one registry.

use std::any::Any;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::SourceError;
use crate::catalog::SourceId;
use crate::{RegisterError, Tool, ToolName};

/// State of the sources and groups of one registry.
#[derive(Default)]
pub(super) struct Sources {
    next: u64,
    pub(super) open: BTreeMap<SourceId, State>,
    pub(super) groups: Vec<Group>,
}

/// State of one source.
pub(super) struct State {
    name: Arc<str>,
    started: u64,
    finished: u64,
    /// Tools that were disabled when they were removed. They are disabled again if they return.
    pub(super) disabled: HashSet<ToolName>,
}

/// A group and its last refresh.
pub(super) struct Group {
    pub(super) source: SourceId,
    /// Number of the tool that was registered after the group.
    pub(super) place: u64,
    pub(super) read_credential: Arc<ReadCredential>,
    pub(super) credential: Option<Credential>,
    pub(super) report: GroupReport,
}

pub(super) type Credential = Arc<dyn Any + Send + Sync>;
/// Reads the credential, compares it with the known one, and creates the tools.
pub(super) type ReadCredential = dyn Fn(Option<&Credential>) -> CredentialState + Send + Sync;

/// Result of reading a credential.
pub(super) enum CredentialState {
    Absent,
    Unchanged,
    Present(Credential, Vec<Arc<dyn Tool>>),
    Failed(String),
}

/// State of a group.
///
/// # Examples
/// See [`ToolGroup`](super::ToolGroup).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupState {
    /// There is no credential, so the tools are not registered.
    Absent,
    /// The tools are registered.
    Present {
        /// Names of the tools.
        tools: Vec<String>,
    },
    /// The tools could not be created and are not registered. The next refresh tries again.
    Failed {
        /// Reason, for the host.
        reason: String,
    },
}

/// Result of the last refresh of a group.
///
/// # Examples
/// See [`ToolGroup`](super::ToolGroup).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupReport {
    /// Name of the group.
    pub name: String,
    /// State of the group.
    pub state: GroupState,
    /// Tools that could not be registered.
    pub refused: Vec<RegisterError>,
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

    pub(super) fn group(&mut self, source: SourceId) -> Option<&mut Group> {
        self.groups.iter_mut().find(|group| group.source == source)
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
