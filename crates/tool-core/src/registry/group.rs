//! Groups: tools that are registered while a credential exists.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::edit::Draft;
use super::source::Prepared;
use super::sources::{Credential, CredentialState, Group, GroupReport, GroupState, ReadCredential};
use super::{Registry, SourceError};
use crate::Tool;
use crate::catalog::SourceId;

/// Tools that are created from a credential and registered while it exists.
///
/// [`Registry::group`] reads the credential, and [`Registry::refresh`] reads it again. The tools are created again only if
/// the credential has changed. They are listed at the position of the group in the order of registration, even if the
/// credential appears later.
///
/// # Examples
/// ```
/// use std::convert::Infallible;
/// use std::sync::{Arc, Mutex};
/// use serde_json::json;
/// use tool_core::registry::{GroupState, ToolGroup};
/// use tool_core::{DynamicTool, Registry, Tool, ToolDefinition, ToolOutput};
///
/// let key = Arc::new(Mutex::new(None::<String>));
/// let configured = Arc::clone(&key);
/// let group = ToolGroup::new(
///     "web_search",
///     move || configured.lock().ok()?.clone(),
///     |_key| {
///         let definition = ToolDefinition::new("web_search", "Searches.", json!({"type": "object"}));
///         let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("found")) });
///         Ok::<_, Infallible>(vec![Arc::new(tool) as Arc<dyn Tool>])
///     },
/// );
/// let registry = Registry::new();
/// assert_eq!(registry.group(group)?.state, GroupState::Absent);
///
/// *key.lock().unwrap() = Some("k-1".to_owned());
/// registry.refresh();
/// assert_eq!(registry.list().len(), 1);
/// # Ok::<_, tool_core::registry::SourceError>(())
/// ```
pub struct ToolGroup {
    name: String,
    read_credential: Arc<ReadCredential>,
}

impl ToolGroup {
    /// Creates a group. `credential` returns the credential if it exists, and `tools` creates the tools from it.
    ///
    /// [`Registry::group`] and [`Registry::refresh`] call both on their own thread, so they should not block; use a
    /// [`ToolSource`](super::ToolSource) for tools of a server. A panic counts as a failure.
    #[must_use]
    pub fn new<C, E>(
        name: impl Into<String>,
        credential: impl Fn() -> Option<C> + Send + Sync + 'static,
        tools: impl Fn(&C) -> Result<Vec<Arc<dyn Tool>>, E> + Send + Sync + 'static,
    ) -> Self
    where
        C: PartialEq + Send + Sync + 'static,
        E: fmt::Display,
    {
        let read_credential = move |known: Option<&Credential>| {
            let Some(found) = credential() else {
                return CredentialState::Absent;
            };
            if known.and_then(|known| known.downcast_ref()) == Some(&found) {
                return CredentialState::Unchanged;
            }
            match tools(&found) {
                Ok(tools) => CredentialState::Present(Arc::new(found), tools),
                Err(error) => CredentialState::Failed(error.to_string()),
            }
        };
        Self {
            name: name.into(),
            read_credential: Arc::new(read_credential),
        }
    }

    /// Returns the name of the group.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for ToolGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolGroup({:?})", self.name)
    }
}

impl Registry {
    /// Adds a group of tools. If its tools cannot be created, the failure is logged and contained in the report.
    ///
    /// # Errors
    /// Returns [`SourceError::NameTaken`] if a source or group has this name, and [`SourceError::ReadOnly`] for views and
    /// snapshots.
    pub fn group(&self, group: ToolGroup) -> Result<GroupReport, SourceError> {
        self.group_at(None, group)
    }

    /// Adds a group before the tool number `place`, or after all tools.
    pub(super) fn group_at(
        &self,
        place: Option<u64>,
        group: ToolGroup,
    ) -> Result<GroupReport, SourceError> {
        let base = self.editable().ok_or(SourceError::ReadOnly)?;
        let source = base.edit(|draft| {
            let source = draft.sources.open(&group.name)?;
            let place = place.unwrap_or_else(|| draft.table().next_place());
            draft.sources.groups.push(Group {
                source,
                place,
                read_credential: group.read_credential,
                credential: None,
                report: GroupReport {
                    name: group.name.clone(),
                    state: GroupState::Absent,
                    refused: Vec::new(),
                },
            });
            Ok(source)
        })?;
        self.refresh_one(source);
        base.edit(|draft| {
            let known = draft.sources.group(source);
            known
                .map(|known| known.report.clone())
                .ok_or(SourceError::Closed(group.name))
        })
    }

    /// Reads the credentials of all groups again, in the order in which the groups were added, and returns their reports.
    #[expect(
        clippy::must_use_candidate,
        reason = "`groups` returns the same reports later"
    )]
    pub fn refresh(&self) -> Vec<GroupReport> {
        let sources = self.read_groups(|group| group.source);
        for source in sources {
            self.refresh_one(source);
        }
        self.groups()
    }

    /// Returns the reports of the last refresh of all groups.
    #[must_use]
    pub fn groups(&self) -> Vec<GroupReport> {
        self.read_groups(|group| group.report.clone())
    }

    fn read_groups<T>(&self, read: impl FnMut(&Group) -> T) -> Vec<T> {
        let read =
            |draft: &mut Draft<'_>| Ok::<_, ()>(draft.sources.groups.iter().map(read).collect());
        self.base.edit(read).unwrap_or_default()
    }

    /// Refreshes one group. Host code runs without the lock; the refresh that began last wins.
    fn refresh_one(&self, source: SourceId) {
        let started = self.base.edit(|draft| {
            let group = draft.sources.group(source).ok_or(())?;
            let (read_credential, known) =
                (Arc::clone(&group.read_credential), group.credential.clone());
            let number = draft.sources.begin(source).ok_or(())?;
            Ok::<_, ()>((read_credential, known, number))
        });
        let Ok((read_credential, known, number)) = started else {
            return;
        };
        let looked = || match read_credential(known.as_ref()) {
            CredentialState::Unchanged => (known.clone(), None, None),
            CredentialState::Absent => (None, Some(Vec::new()), None),
            // `definition` of a tool may panic, too.
            CredentialState::Present(credential, tools) => {
                let entries = tools.into_iter().map(|tool| self.base.entry(tool));
                (Some(credential), Some(entries.collect()), None)
            }
            CredentialState::Failed(reason) => (None, Some(Vec::new()), Some(reason)),
        };
        let panicked = || Some("creating the tools panicked".to_owned());
        let (credential, prepared, reason) = catch_unwind(AssertUnwindSafe(looked))
            .unwrap_or_else(|_| (None, Some(Vec::new()), panicked()));
        // A stale refresh must change nothing.
        let _ = self
            .base
            .edit(|draft| draft.saw(source, number, credential, prepared, reason));
    }
}

impl Draft<'_> {
    fn saw(
        &mut self,
        source: SourceId,
        number: u64,
        credential: Option<Credential>,
        prepared: Option<Prepared>,
        reason: Option<String>,
    ) -> Result<(), ()> {
        let group = self.sources.group(source).ok_or(())?;
        let name = group.report.name.clone();
        let Some(prepared) = prepared else {
            return self.sources.finish(source, number, &name).map_err(|_| ());
        };
        let refreshed = self
            .refresh(source, number, &name, prepared)
            .map_err(|_| ())?;
        let tools = self.names_of(source);
        let state = match reason {
            Some(reason) => {
                tracing::warn!(
                    group = name,
                    reason,
                    "the tools of a group could not be created"
                );
                GroupState::Failed { reason }
            }
            None if credential.is_none() => GroupState::Absent,
            None => GroupState::Present { tools },
        };
        for refused in &refreshed.refused {
            tracing::warn!(group = name, %refused, "a tool of a group was rejected");
        }
        let group = self.sources.group(source).ok_or(())?;
        group.credential = credential;
        group.report = GroupReport {
            name,
            state,
            refused: refreshed.refused,
        };
        Ok(())
    }
}
