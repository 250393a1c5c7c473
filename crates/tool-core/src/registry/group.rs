//! Tools that are there while a credential is.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::edit::Draft;
use super::source::Prepared;
use super::{Registry, SourceError};
use crate::catalog::SourceId;
use crate::{RegisterError, Tool};

type Credential = Arc<dyn Any + Send + Sync>;
type Look = dyn Fn(Option<&Credential>) -> Seen + Send + Sync;

/// Tools that are there while a credential is, and made from it.
///
/// [`Registry::group`] looks for the credential at once, and [`Registry::refresh`] looks again. The tools are made
/// anew only when the credential is another one.
///
/// # Examples
/// ```
/// use std::convert::Infallible;
/// use std::sync::{Arc, Mutex};
/// use serde_json::json;
/// use tool_core::{DynamicTool, GroupState, Registry, Tool, ToolDefinition, ToolGroup, ToolOutput};
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
/// # Ok::<_, tool_core::SourceError>(())
/// ```
pub struct ToolGroup {
    name: String,
    look: Arc<Look>,
}

impl ToolGroup {
    /// Creates a group. `credential` says whether the credential is there, and `tools` makes tools from it.
    ///
    /// Both are run by [`Registry::group`] and [`Registry::refresh`] on the thread that calls these, and should
    /// not wait for anything; tools that a server must be asked for are a [`Source`](super::Source). A panic in
    /// them counts as a failure.
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
        let look = move |known: Option<&Credential>| {
            let Some(found) = credential() else {
                return Seen::Absent;
            };
            if known.and_then(|known| known.downcast_ref()) == Some(&found) {
                return Seen::Unchanged;
            }
            match tools(&found) {
                Ok(tools) => Seen::Present(Arc::new(found), tools),
                Err(error) => Seen::Failed(error.to_string()),
            }
        };
        Self {
            name: name.into(),
            look: Arc::new(look),
        }
    }

    /// The group's name.
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

/// What became of a group.
///
/// # Examples
/// See [`ToolGroup`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupState {
    /// The credential is not there, and neither are the tools.
    Absent,
    /// These tools are there.
    Present {
        /// Their names.
        tools: Vec<String>,
    },
    /// The tools could not be made, and none of them is there. The next refresh tries again.
    Failed {
        /// Why, for the host.
        reason: String,
    },
}

/// What became of a group when it was last looked at.
///
/// # Examples
/// See [`ToolGroup`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupReport {
    /// The group's name.
    pub name: String,
    /// What became of it.
    pub state: GroupState,
    /// Tools of it that could not be registered.
    pub refused: Vec<RegisterError>,
}

/// What a look at the credential showed.
enum Seen {
    Absent,
    Unchanged,
    Present(Credential, Vec<Arc<dyn Tool>>),
    Failed(String),
}

/// A group in a registry.
pub(super) struct Group {
    source: SourceId,
    look: Arc<Look>,
    credential: Option<Credential>,
    report: GroupReport,
}

impl Registry {
    /// Adds a group of tools, there while its credential is. A group whose tools cannot be made is logged and left
    /// out; the report says why.
    ///
    /// # Errors
    /// [`SourceError::NameTaken`] when a source or a group of this name is there.
    pub fn group(&self, group: ToolGroup) -> Result<GroupReport, SourceError> {
        let source = self.0.edit(|draft| {
            let source = draft.sources.open(&group.name)?;
            draft.sources.groups.push(Group {
                source,
                look: group.look,
                credential: None,
                report: GroupReport {
                    name: group.name.clone(),
                    state: GroupState::Absent,
                    refused: Vec::new(),
                },
            });
            Ok(source)
        })?;
        self.look_at(source);
        let report = self
            .0
            .edit(|draft| draft.group(source).map(|group| group.report.clone()));
        report.map_err(|()| SourceError::Closed(group.name))
    }

    /// Looks for the credentials of all groups again, in the order in which these were added, and says what became
    /// of them.
    #[expect(
        clippy::must_use_candidate,
        reason = "`groups` says the same at any time"
    )]
    pub fn refresh(&self) -> Vec<GroupReport> {
        let sources = self.read_groups(|group| group.source);
        for source in sources {
            self.look_at(source);
        }
        self.groups()
    }

    /// What became of the groups when they were last looked at.
    #[must_use]
    pub fn groups(&self) -> Vec<GroupReport> {
        self.read_groups(|group| group.report.clone())
    }

    fn read_groups<T>(&self, read: impl FnMut(&Group) -> T) -> Vec<T> {
        let all = self
            .0
            .edit(|draft| Ok::<_, ()>(draft.sources.groups.iter().map(read).collect()));
        all.unwrap_or_default()
    }

    /// Looks at one group. Nothing is locked while the host's own code runs; a look that began later wins.
    fn look_at(&self, source: SourceId) {
        let begun = self.0.edit(|draft| {
            let group = draft.group(source)?;
            let (look, known) = (Arc::clone(&group.look), group.credential.clone());
            let number = draft.sources.begin(source).ok_or(())?;
            Ok::<_, ()>((look, known, number))
        });
        let Ok((look, known, number)) = begun else {
            return;
        };
        let looked = || match look(known.as_ref()) {
            Seen::Unchanged => (known.clone(), None, None),
            Seen::Absent => (None, Some(Vec::new()), None),
            // A tool may panic here too, when it is asked for its definition.
            Seen::Present(credential, tools) => (Some(credential), Some(self.prepare(tools)), None),
            Seen::Failed(reason) => (None, Some(Vec::new()), Some(reason)),
        };
        let panicked = || Some("making the tools panicked".to_owned());
        let (credential, prepared, reason) = catch_unwind(AssertUnwindSafe(looked))
            .unwrap_or_else(|_| (None, Some(Vec::new()), panicked()));
        // A look that is stale changes nothing, which is right.
        let _ = self
            .0
            .edit(|draft| draft.saw(source, number, credential, prepared, reason));
    }
}

impl Draft<'_> {
    fn group(&mut self, source: SourceId) -> Result<&mut Group, ()> {
        let mut groups = self.sources.groups.iter_mut();
        groups.find(|group| group.source == source).ok_or(())
    }

    fn saw(
        &mut self,
        source: SourceId,
        number: u64,
        credential: Option<Credential>,
        prepared: Option<Prepared>,
        reason: Option<String>,
    ) -> Result<(), ()> {
        let name = self.group(source)?.report.name.clone();
        let Some(prepared) = prepared else {
            return self.sources.finish(source, number, &name).map_err(|_| ());
        };
        let refreshed = self
            .refresh(source, number, &name, prepared)
            .map_err(|_| ())?;
        let tools = self.names_of(source);
        let state = match reason {
            Some(reason) => {
                tracing::warn!(group = name, reason, "the tools of a group cannot be made");
                GroupState::Failed { reason }
            }
            None if credential.is_none() => GroupState::Absent,
            None => GroupState::Present { tools },
        };
        for refused in &refreshed.refused {
            tracing::warn!(group = name, %refused, "a tool of a group is left out");
        }
        let group = self.group(source)?;
        group.credential = credential;
        group.report = GroupReport {
            name,
            state,
            refused: refreshed.refused,
        };
        Ok(())
    }
}
