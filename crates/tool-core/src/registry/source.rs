//! Tools that come and go together, because they come from one place.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use super::Registry;
use super::edit::Draft;
use super::group::Group;
use crate::catalog::{Entry, SourceId};
use crate::{RegisterError, Tool, ToolName};

/// Everything that is known about the sources of one registry.
#[derive(Default)]
pub(super) struct Sources {
    next: u64,
    open: BTreeMap<SourceId, State>,
    pub(super) groups: Vec<Group>,
}

struct State {
    name: Arc<str>,
    begun: u64,
    finished: u64,
    /// Tools that were switched off when they went away, and stay so when they come back.
    disabled: HashSet<ToolName>,
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
            begun: 0,
            finished: 0,
            disabled: HashSet::new(),
        };
        self.open.insert(id, state);
        Ok(id)
    }

    pub(super) fn name_of(&self, id: SourceId) -> Option<&str> {
        self.open.get(&id).map(|state| state.name.as_ref())
    }

    /// The number of a refresh that begins now; `None` when the source is closed.
    pub(super) fn begin(&mut self, id: SourceId) -> Option<u64> {
        let state = self.open.get_mut(&id)?;
        state.begun += 1;
        Some(state.begun)
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

/// A refresh that changed nothing, or a source that could not be opened.
///
/// # Examples
/// ```
/// use tool_core::{Registry, SourceError};
///
/// let registry = Registry::new();
/// let _mail = registry.source("mail")?;
/// assert_eq!(registry.source("mail").err(), Some(SourceError::NameTaken("mail".into())));
/// # Ok::<_, SourceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Another source, or a group, has this name.
    #[error("a source named `{0}` is already open; close it first, or use another name")]
    NameTaken(String),
    /// A refresh of this source that began later was finished before.
    #[error("the tools of `{0}` were refreshed by a later refresh meanwhile")]
    Stale(String),
    /// This source was closed.
    #[error("the source `{0}` is closed")]
    Closed(String),
}

/// The owner of tools that come from one place, such as a server: it replaces all of them at once and never touches
/// the tools of others. Clones are one source.
///
/// Dropping it leaves the tools; [`Source::close`] takes them out.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{DynamicTool, Registry, SourceError, ToolDefinition, ToolOutput};
///
/// let tool = |name: &str| {
///     let definition = ToolDefinition::new(name, "From a server.", json!({"type": "object"}));
///     DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) })
/// };
/// let registry = Registry::new();
/// let server = registry.source("server")?;
/// server.begin().finish([tool("a"), tool("b")])?;
///
/// // Begun before the server is asked, so that a slow answer cannot overwrite a newer one.
/// let slow = server.begin();
/// let refreshed = server.begin().finish([tool("b"), tool("c")])?;
/// assert_eq!((refreshed.added, refreshed.removed), (vec!["c".to_owned()], vec!["a".to_owned()]));
/// assert_eq!(slow.finish([tool("a")]), Err(SourceError::Stale("server".into())));
/// # Ok::<_, SourceError>(())
/// ```
#[derive(Clone)]
pub struct Source {
    registry: Registry,
    id: SourceId,
    name: Arc<str>,
}

impl Registry {
    /// Opens a source of tools.
    ///
    /// # Errors
    /// [`SourceError::NameTaken`] when a source or a group of this name is there.
    pub fn source(&self, name: &str) -> Result<Source, SourceError> {
        let id = self.0.edit(|draft| draft.sources.open(name))?;
        Ok(Source {
            registry: self.clone(),
            id,
            name: name.into(),
        })
    }
}

impl Source {
    /// The source's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Begins a refresh: to be called before the tools are asked for.
    #[must_use = "a refresh changes nothing until it is finished"]
    pub fn begin(&self) -> Refresh {
        let begin = |draft: &mut Draft<'_>| draft.sources.begin(self.id).ok_or(());
        // A closed source says so when the refresh is finished.
        let number = self.registry.0.edit(begin).unwrap_or_default();
        Refresh {
            source: self.clone(),
            number,
        }
    }

    /// Takes the source's tools out and gives its name back. Returns the names of these tools.
    #[expect(
        clippy::must_use_candidate,
        reason = "the names are for whoever wants to log them"
    )]
    pub fn close(self) -> Vec<String> {
        let closed = self.registry.0.edit(|draft| {
            let removed = draft.keep_of(self.id, &BTreeSet::new());
            draft.sources.open.remove(&self.id);
            Ok::<_, ()>(removed)
        });
        closed.unwrap_or_default()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({:?})", self.name)
    }
}

/// A refresh of a source's tools that has begun.
///
/// # Examples
/// See [`Source`].
#[derive(Debug)]
#[must_use = "a refresh changes nothing until it is finished"]
pub struct Refresh {
    source: Source,
    number: u64,
}

/// What a refresh changed. The names are in the order in which the tools were given.
///
/// # Examples
/// See [`Source`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refreshed {
    /// Tools that were not there before; they stand behind all others.
    pub added: Vec<String>,
    /// Tools that were there before and keep their places.
    pub replaced: Vec<String>,
    /// Tools that are gone.
    pub removed: Vec<String>,
    /// Tools that could not be registered. They do not spoil the others.
    pub refused: Vec<RegisterError>,
}

impl Refresh {
    /// Replaces the source's tools by these. A tool that the host switched off stays so, also when it was gone for a
    /// while; a name that belongs to somebody else is refused.
    ///
    /// # Errors
    /// [`SourceError::Stale`] when a refresh that began later was finished first, and [`SourceError::Closed`].
    pub fn finish<T: Tool + 'static>(
        self,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<Refreshed, SourceError> {
        let Source { registry, id, name } = &self.source;
        let tools = tools.into_iter().map(|tool| Arc::new(tool) as _).collect();
        let prepared = registry.prepare(tools);
        registry
            .0
            .edit(|draft| draft.refresh(*id, self.number, name, prepared))
    }
}

/// Tools on their way in.
pub(super) type Prepared = Vec<Result<Entry, RegisterError>>;

impl Registry {
    /// Makes entries of tools, outside of any lock because compiling schemas takes its time.
    pub(super) fn prepare(&self, tools: Vec<Arc<dyn Tool>>) -> Prepared {
        let current = self.0.tools.load_full();
        let entry = |tool: Arc<dyn Tool>| {
            let known = current.table().get(tool.definition().name());
            Entry::in_place_of(known.map(|slot| slot.entry.as_ref()), tool)
        };
        tools.into_iter().map(entry).collect()
    }
}

impl Draft<'_> {
    /// Replaces the tools of one source.
    pub(super) fn refresh(
        &mut self,
        id: SourceId,
        number: u64,
        source: &str,
        prepared: Prepared,
    ) -> Result<Refreshed, SourceError> {
        self.sources.finish(id, number, source)?;
        let mut refreshed = Refreshed::default();
        let mut given = BTreeSet::new();
        for entry in prepared {
            let name = entry.as_ref().ok().map(|entry| entry.name().clone());
            match entry.and_then(|entry| self.put_of(id, entry, &given)) {
                Ok(true) => refreshed
                    .replaced
                    .extend(name.iter().map(ToString::to_string)),
                Ok(false) => refreshed.added.extend(name.iter().map(ToString::to_string)),
                Err(error) => {
                    refreshed.refused.push(error);
                    continue;
                }
            }
            given.extend(name);
        }
        refreshed.removed = self.keep_of(id, &given);
        Ok(refreshed)
    }

    /// Adds or replaces a tool of one source, and says whether it was there.
    fn put_of(
        &mut self,
        id: SourceId,
        entry: Entry,
        given: &BTreeSet<ToolName>,
    ) -> Result<bool, RegisterError> {
        let name = entry.name().clone();
        match self.table().get(name.as_str()) {
            Some(slot) if slot.owner != Some(id) || given.contains(&name) => {
                Err(self.taken(slot, &entry, Some(id)))
            }
            Some(_) => {
                self.put(entry, Some(id));
                Ok(true)
            }
            None => {
                self.add(entry, Some(id))?;
                self.stay_disabled(id, &name);
                Ok(false)
            }
        }
    }

    fn stay_disabled(&mut self, id: SourceId, name: &ToolName) {
        let state = self.sources.open.get_mut(&id);
        if state.is_some_and(|state| state.disabled.remove(name)) {
            // It was added a moment ago.
            let _ = self.set_enabled(name.as_str(), false);
        }
    }

    /// Takes out the tools of one source but those in `kept`, and returns their names.
    pub(super) fn keep_of(&mut self, id: SourceId, kept: &BTreeSet<ToolName>) -> Vec<String> {
        let mut gone = self.names_of(id);
        gone.retain(|name| !kept.contains(name.as_str()));
        for name in &gone {
            if let Some(slot) = self.take(name)
                && !slot.enabled
                && let Some(state) = self.sources.open.get_mut(&id)
            {
                state.disabled.insert(slot.entry.name().clone());
            }
        }
        gone
    }

    /// The names of one source's tools, in order.
    pub(super) fn names_of(&self, id: SourceId) -> Vec<String> {
        let slots = self.table().ordered();
        let own = slots.iter().filter(|slot| slot.owner == Some(id));
        own.map(|slot| slot.entry.name().to_string()).collect()
    }
}
