//! Changes of the tools while calls run.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, PoisonError};

use super::{Base, Registry, Visible};
use crate::catalog::{Entry, Slot, SourceId, Table, Tools};
use crate::{RegisterError, Tool, ToolName};

impl Registry {
    /// Returns the state to change; `None` for views and snapshots.
    pub(super) fn editable(&self) -> Option<&Base> {
        matches!(self.visible, Visible::Base).then_some(&*self.base)
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// Returns [`RegisterError`] if the name is taken or invalid, the schema is unusable, or this is a view or snapshot.
    pub fn register(&self, tool: impl Tool + 'static) -> Result<(), RegisterError> {
        let base = self.editable().ok_or(RegisterError::ReadOnly)?;
        let entry = Entry::new(Arc::new(tool))?;
        base.edit(|draft| draft.add(entry))
    }

    /// Adds all of these tools, or none of them, as one change. This is cheaper than adding them one by one.
    ///
    /// # Errors
    /// Returns the error of the first tool that cannot be registered, as [`Registry::register`] does.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
    ///
    /// let tools = ["north", "south"].map(|name| {
    ///     let definition = ToolDefinition::new(name, "Moves in this direction.", json!({"type": "object"}));
    ///     DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("done")) })
    /// });
    /// let registry = Registry::new();
    /// registry.register_all(tools)?;
    /// assert_eq!(registry.generation(), 1);
    /// # Ok::<_, tool_core::RegisterError>(())
    /// ```
    pub fn register_all<T: Tool + 'static>(
        &self,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<(), RegisterError> {
        let base = self.editable().ok_or(RegisterError::ReadOnly)?;
        let entries = tools.into_iter().map(|tool| Entry::new(Arc::new(tool)));
        // All or none, because a caller could not tell which tools of a failed list are registered.
        let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
        base.edit(|draft| {
            let mut entries = entries.into_iter();
            entries.try_for_each(|entry| draft.add(entry))
        })
    }

    /// Adds a tool, or replaces the tool of the same name. Running calls continue with the old one; a disabled tool stays
    /// disabled.
    ///
    /// # Errors
    /// Returns [`RegisterError`] if the name is invalid, the schema is unusable, or this is a view or snapshot.
    pub fn replace(&self, tool: impl Tool + 'static) -> Result<(), RegisterError> {
        let base = self.editable().ok_or(RegisterError::ReadOnly)?;
        let entry = base.entry(Arc::new(tool))?;
        base.edit(|draft| {
            draft.put(entry, None);
            Ok(())
        })
    }

    /// Removes a tool and returns it. Running calls continue. A view or snapshot removes nothing.
    #[must_use = "`None` means that there was no such tool"]
    pub fn unregister(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let slot = self.editable()?.edit(|draft| draft.take(name).ok_or(()));
        Some(Arc::clone(slot.ok()?.entry.tool()))
    }

    /// Disables a tool until [`Registry::enable`]: it is neither listed nor converted, and calls return
    /// [`ErrorCode::ToolNotExecutable`](crate::ErrorCode::ToolNotExecutable). It keeps its name and position; running calls
    /// continue.
    ///
    /// Returns `true` if the tool exists. A view or snapshot changes nothing and returns `false`.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
    /// let definition = ToolDefinition::new("send", "Sends.", json!({"type": "object"}));
    /// let registry = Registry::of(DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("sent")) }))?;
    /// assert!(registry.disable("send"));
    /// assert_eq!(registry.is_enabled("send"), Some(false));
    /// assert!(registry.list().is_empty());
    /// assert_eq!(
    ///     registry.execute("send", json!({})).await.to_string(),
    ///     "Error: The tool `send` is disabled. Use another tool, or tell the user that it is disabled."
    /// );
    ///
    /// assert!(registry.enable("send"));
    /// assert_eq!(registry.execute("send", json!({})).await.to_string(), "sent");
    /// # Ok(()) }
    /// ```
    #[must_use = "`false` means that there is no such tool"]
    pub fn disable(&self, name: &str) -> bool {
        self.set_enabled(name, false)
    }

    /// Enables a tool at its old position. Returns whether the tool exists.
    #[must_use = "`false` means that there is no such tool"]
    pub fn enable(&self, name: &str) -> bool {
        self.set_enabled(name, true)
    }

    fn set_enabled(&self, name: &str, enabled: bool) -> bool {
        let base = self.editable();
        base.is_some_and(|base| base.edit(|draft| draft.set_enabled(name, enabled)).is_ok())
    }
}

impl Base {
    /// Compiles an entry, outside of the lock because that takes time.
    pub(super) fn entry(&self, tool: Arc<dyn Tool>) -> Result<Entry, RegisterError> {
        let tools = self.tools.load();
        let known = tools.table().get(tool.definition().name());
        let known = known.map(|slot| slot.entry.as_ref());
        Entry::in_place_of(known, tool)
    }

    /// Changes the tools. Readers see all of a change or none of it; an error changes nothing.
    pub(super) fn edit<T, E>(
        &self,
        change: impl FnOnce(&mut Draft<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut sources = self.edit.lock().unwrap_or_else(PoisonError::into_inner);
        // The table is replaced, not changed, so that running calls keep the one that they began with.
        let before = self.tools.load_full();
        let mut draft = Draft {
            table: Cow::Borrowed(before.table()),
            sources: &mut sources,
        };
        let value = change(&mut draft)?;
        if let Cow::Owned(table) = draft.table {
            let generation = before.generation() + 1;
            self.tools.store(Arc::new(Tools::new(table, generation)));
            self.changes.send_replace(generation);
        }
        Ok(value)
    }
}

/// Tools during a change.
pub(super) struct Draft<'s> {
    /// Copied by the first change.
    pub(super) table: Cow<'s, Table>,
    pub(super) sources: &'s mut Sources,
}

impl Draft<'_> {
    /// Appends a tool.
    pub(super) fn add(&mut self, entry: Entry) -> Result<(), RegisterError> {
        if let Some(existing) = self.table.get(entry.name().as_str()) {
            return Err(self.taken(existing, &entry, None));
        }
        self.table.to_mut().push(Arc::new(entry), None);
        Ok(())
    }

    /// Returns the error of two tools with one name.
    pub(super) fn taken(
        &self,
        existing: &Slot,
        new: &Entry,
        owner: Option<SourceId>,
    ) -> RegisterError {
        let source = |owner: Option<SourceId>| owner.and_then(|id| self.sources.name_of(id));
        let known = (existing.entry.definition(), source(existing.owner));
        RegisterError::taken(new.name(), known, (new.definition(), source(owner)))
    }

    /// Adds a tool, or replaces the tool of the same name.
    pub(super) fn put(&mut self, entry: Entry, owner: Option<SourceId>) {
        let entry = Arc::new(entry);
        match self.table.to_mut().get_mut(entry.name().as_str()) {
            Some(slot) => {
                slot.entry = entry;
                slot.owner = owner;
            }
            None => self.table.to_mut().push(entry, owner),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Slot> {
        self.table.get(name)?;
        self.table.to_mut().remove(name)
    }

    /// Enables or disables a tool. Fails if it does not exist.
    fn set_enabled(&mut self, name: &str, enabled: bool) -> Result<(), ()> {
        if self.table.get(name).ok_or(())?.enabled != enabled
            && let Some(slot) = self.table.to_mut().get_mut(name)
        {
            slot.enabled = enabled;
        }
        Ok(())
    }

    /// Appends or replaces a tool of a source. Returns whether it existed. Names of other owners, and names that the same
    /// refresh has `given`, are taken.
    pub(super) fn put_of(
        &mut self,
        id: SourceId,
        entry: Entry,
        given: &BTreeSet<ToolName>,
    ) -> Result<bool, RegisterError> {
        let name = entry.name().clone();
        let existed = match self.table.get(name.as_str()) {
            Some(slot) if slot.owner != Some(id) || given.contains(&name) => {
                return Err(self.taken(slot, &entry, Some(id)));
            }
            found => found.is_some(),
        };
        self.put(entry, Some(id));
        let state = self.sources.open.get_mut(&id);
        if !existed && state.is_some_and(|state| state.disabled.remove(&name)) {
            // The tool was added above.
            let _ = self.set_enabled(name.as_str(), false);
        }
        Ok(existed)
    }

    /// Removes the tools of a source except those in `kept`, and returns their names.
    pub(super) fn keep_of(&mut self, id: SourceId, kept: &BTreeSet<ToolName>) -> Vec<String> {
        let slots = self.table.ordered();
        let own = slots.iter().filter(|slot| slot.owner == Some(id));
        let names = own.map(|slot| slot.entry.name());
        let gone = names.filter(|name| !kept.contains(name.as_str()));
        let gone: Vec<String> = gone.map(ToString::to_string).collect();
        for name in &gone {
            if let Some(slot) = self.take(name)
                && !slot.enabled
                && let Some(state) = self.sources.open.get_mut(&id)
            {
                // A tool that a server drops and offers again stays disabled.
                state.disabled.insert(slot.entry.name().clone());
            }
        }
        gone
    }
}

/// State of the sources of one registry.
#[derive(Default)]
pub(super) struct Sources {
    next: u64,
    pub(super) open: BTreeMap<SourceId, State>,
}

/// State of one source.
pub(super) struct State {
    name: Arc<str>,
    /// Tools that were disabled when they were removed. They are disabled again if they return.
    pub(super) disabled: HashSet<ToolName>,
}

impl Sources {
    /// Opens a source whose tools come at a place.
    pub(super) fn open(&mut self, name: &str, place: u64) -> Result<SourceId, SourceError> {
        if self.open.values().any(|state| *state.name == *name) {
            return Err(SourceError::NameTaken(name.to_owned()));
        }
        let id = SourceId {
            number: self.next,
            place,
        };
        self.next += 1;
        let state = State {
            name: name.into(),
            disabled: HashSet::new(),
        };
        self.open.insert(id, state);
        Ok(id)
    }

    pub(super) fn name_of(&self, id: SourceId) -> Option<&str> {
        self.open.get(&id).map(|state| state.name.as_ref())
    }
}

/// Reason for a refresh that changed nothing, or for a source that could not be opened.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_core::SourceError;
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
    /// This source was closed.
    #[error("the source `{0}` is closed")]
    Closed(String),
    /// The registry is a view or a snapshot.
    #[error("views and snapshots have no sources; open the source in the registry below")]
    ReadOnly,
}
