//! Changing the tools of a registry while others read them.

use std::sync::{Arc, PoisonError};

use super::source::Sources;
use super::{Registry, State};
use crate::catalog::{Entry, Slot, SourceId, Table, Tools};
use crate::{RegisterError, Tool};

impl Registry {
    /// Adds a tool.
    ///
    /// # Errors
    /// [`RegisterError`] when the name is taken or not a name, or the schema cannot be used.
    pub fn register(&self, tool: impl Tool + 'static) -> Result<(), RegisterError> {
        let entry = Entry::new(Arc::new(tool))?;
        self.0.edit(|draft| draft.add(entry, None))
    }

    /// Adds all of these tools, or none of them: as one change, which is cheaper than one after the other.
    ///
    /// # Errors
    /// That of the first tool that cannot be registered, as in [`Registry::register`].
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
    ///
    /// let tools = ["north", "south"].map(|name| {
    ///     let definition = ToolDefinition::new(name, "Goes there.", json!({"type": "object"}));
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
        let entries: Vec<Entry> = tools
            .into_iter()
            .map(|tool| Entry::new(Arc::new(tool)))
            .collect::<Result<_, _>>()?;
        self.0.edit(|draft| {
            entries
                .into_iter()
                .try_for_each(|entry| draft.add(entry, None))
        })
    }

    /// Adds a tool, in place of the one that has its name. Calls that run go on with the old one; a tool that is
    /// switched off stays so.
    ///
    /// # Errors
    /// [`RegisterError`] when the name is not a name, or the schema cannot be used.
    pub fn replace(&self, tool: impl Tool + 'static) -> Result<(), RegisterError> {
        let entry = {
            let tools = self.0.tools.load();
            let known = tools.table().get(tool.definition().name());
            Entry::in_place_of(known.map(|slot| slot.entry.as_ref()), Arc::new(tool))?
        };
        self.0.edit(|draft| {
            draft.put(entry, None);
            Ok(())
        })
    }

    /// Takes a tool out and returns it. Calls that run go on.
    #[must_use = "`None` says that there was no such tool"]
    pub fn unregister(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let slot = self.0.edit(|draft| draft.take(name).ok_or(())).ok()?;
        Some(Arc::clone(slot.entry.tool()))
    }

    /// Switches a tool off until [`Registry::enable`]: it is not listed, no provider is told about it, and a call is
    /// answered with [`ErrorCode::ToolNotExecutable`](crate::ErrorCode::ToolNotExecutable). It keeps its name and
    /// its place; calls that run go on.
    ///
    /// Returns whether there is such a tool.
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
    ///     "Error: The tool `send` is switched off. Use another tool, or tell the user that it is switched off."
    /// );
    ///
    /// assert!(registry.enable("send"));
    /// assert_eq!(registry.execute("send", json!({})).await.to_string(), "sent");
    /// # Ok(()) }
    /// ```
    #[must_use = "`false` says that there is no such tool"]
    pub fn disable(&self, name: &str) -> bool {
        self.set_enabled(name, false)
    }

    /// Switches a tool on again, at its old place. Returns whether there is such a tool.
    #[must_use = "`false` says that there is no such tool"]
    pub fn enable(&self, name: &str) -> bool {
        self.set_enabled(name, true)
    }

    fn set_enabled(&self, name: &str, enabled: bool) -> bool {
        let outcome = self.0.edit(|draft| draft.set_enabled(name, enabled));
        outcome.is_ok()
    }

    /// Whether a tool is switched on; `None` when there is no such tool.
    #[must_use]
    pub fn is_enabled(&self, name: &str) -> Option<bool> {
        let tools = self.0.tools.load();
        tools.table().get(name).map(|slot| slot.enabled)
    }

    /// The number of changes that the tools have seen: it grows with each one, and what was made from the tools is
    /// good for as long as it stays the same.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.0.tools.load().generation()
    }

    /// Waits until the tools are of a later generation than `seen`, and returns the generation they have then.
    /// Changes that follow each other quickly may be told as one; none is lost.
    ///
    /// Dropping the future is always safe.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// use tool_core::Registry;
    ///
    /// let registry = Registry::new();
    /// let seen = registry.generation();
    /// let watched = registry.clone();
    /// let change = tokio::spawn(async move { watched.changed_since(seen).await });
    ///
    /// # use tool_core::{DynamicTool, ToolDefinition, ToolOutput};
    /// # let definition = ToolDefinition::new("f", "F.", serde_json::json!({}));
    /// # let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) });
    /// assert!(registry.register(tool).is_ok());
    /// assert!(change.await.is_ok_and(|generation| generation > seen));
    /// # }
    /// ```
    pub async fn changed_since(&self, seen: u64) -> u64 {
        self.0.changed_since(seen).await
    }
}

impl State {
    /// Changes the tools. Readers see all of a change or none of it; an error changes nothing.
    pub(super) fn edit<T, E>(
        &self,
        change: impl FnOnce(&mut Draft<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut sources = self.edit.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.tools.load_full();
        let mut draft = Draft {
            before: before.table(),
            after: None,
            sources: &mut sources,
        };
        let value = change(&mut draft)?;
        if let Some(table) = draft.after {
            let generation = before.generation() + 1;
            self.tools.store(Arc::new(Tools::new(table, generation)));
            self.changes.send_replace(generation);
        }
        Ok(value)
    }

    pub(super) async fn changed_since(&self, seen: u64) -> u64 {
        let mut changes = self.changes.subscribe();
        let later = changes.wait_for(|generation| *generation > seen).await;
        // The sender lives as long as `self`.
        later.map_or(seen, |generation| *generation)
    }
}

/// The tools while they are changed.
pub(super) struct Draft<'s> {
    before: &'s Table,
    /// A copy, made at the first change.
    after: Option<Table>,
    pub(super) sources: &'s mut Sources,
}

impl Draft<'_> {
    pub(super) fn table(&self) -> &Table {
        self.after.as_ref().unwrap_or(self.before)
    }

    fn table_mut(&mut self) -> &mut Table {
        self.after.get_or_insert_with(|| self.before.clone())
    }

    /// Adds a tool behind all others.
    pub(super) fn add(
        &mut self,
        entry: Entry,
        owner: Option<SourceId>,
    ) -> Result<(), RegisterError> {
        if let Some(existing) = self.table().get(entry.name().as_str()) {
            return Err(self.taken(existing, &entry, owner));
        }
        self.table_mut().push(Arc::new(entry), owner);
        Ok(())
    }

    /// The name of `existing` was given again, to `new`.
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

    /// Adds a tool, at the place of the one that has its name.
    pub(super) fn put(&mut self, entry: Entry, owner: Option<SourceId>) {
        let entry = Arc::new(entry);
        match self.table_mut().get_mut(entry.name().as_str()) {
            Some(slot) => {
                slot.entry = entry;
                slot.owner = owner;
            }
            None => self.table_mut().push(entry, owner),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Slot> {
        self.table().get(name)?;
        self.table_mut().remove(name)
    }

    /// Switches a tool on or off; an error says that there is none.
    pub(super) fn set_enabled(&mut self, name: &str, enabled: bool) -> Result<(), ()> {
        if self.table().get(name).ok_or(())?.enabled != enabled
            && let Some(slot) = self.table_mut().get_mut(name)
        {
            slot.enabled = enabled;
        }
        Ok(())
    }
}
