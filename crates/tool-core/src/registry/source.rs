//! Sources: tools of one origin, such as a server, that are replaced together.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Registry;
use super::edit::{Draft, SourceError};
use crate::catalog::{Entry, SourceId};
use crate::{RegisterError, Tool};

/// Owner of the tools of one origin, such as a server. It replaces all of them in one step and never changes other tools.
/// All clones are one source.
///
/// Dropping it keeps the tools; [`ToolSource::close`] removes them.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::SourceError;
/// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
///
/// let tool = |name: &str| {
///     let definition = ToolDefinition::new(name, "From a server.", json!({"type": "object"}));
///     DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) })
/// };
/// let registry = Registry::new();
/// let server = registry.source("server")?;
/// server.refresh([tool("a"), tool("b")])?;
///
/// let refreshed = server.refresh([tool("b"), tool("c")])?;
/// assert_eq!((refreshed.added, refreshed.removed), (vec!["c".to_owned()], vec!["a".to_owned()]));
/// # Ok::<_, SourceError>(())
/// ```
#[derive(Clone)]
pub struct ToolSource {
    registry: Registry,
    id: SourceId,
    name: Arc<str>,
}

impl Registry {
    /// Opens a source of tools. Its tools come after those that are registered already and those of earlier sources,
    /// whichever of them is ready first.
    ///
    /// # Errors
    /// Returns [`SourceError::NameTaken`] if a source has this name, and [`SourceError::ReadOnly`] for views and
    /// snapshots.
    pub fn source(&self, name: &str) -> Result<ToolSource, SourceError> {
        let base = self.editable().ok_or(SourceError::ReadOnly)?;
        let id = base.edit(|draft| {
            let place = draft.table.next_place();
            draft.sources.open(name, place)
        })?;
        Ok(ToolSource {
            registry: self.clone(),
            id,
            name: name.into(),
        })
    }
}

impl ToolSource {
    /// Returns the name of the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Replaces the source's tools. A tool that the host disabled stays disabled, even if it was removed in between.
    ///
    /// The last call counts, so request and replace the tools in one task: a slow response must not replace a newer one.
    ///
    /// # Errors
    /// Returns [`SourceError::Closed`] if the source is closed. Tools with the name of another owner are in
    /// [`Refreshed::refused`].
    pub fn refresh<T: Tool + 'static>(
        &self,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<Refreshed, SourceError> {
        let base = &self.registry.base;
        let entry = |tool| {
            base.entry(Arc::new(tool))
                .map(|entry| entry.of_source(&self.name))
        };
        // Compiled before the edit, because other edits have to wait for it.
        let prepared: Vec<_> = tools.into_iter().map(entry).collect();
        base.edit(|draft| {
            if !draft.sources.open.contains_key(&self.id) {
                return Err(SourceError::Closed(self.name.to_string()));
            }
            Ok(draft.refresh(self.id, prepared))
        })
    }

    /// Removes the source and its tools. Returns the names of the tools.
    pub fn close(self) -> Vec<String> {
        let closed = self.registry.base.edit(|draft| {
            let removed = draft.keep_of(self.id, &BTreeSet::new());
            draft.sources.open.remove(&self.id);
            Ok::<_, ()>(removed)
        });
        closed.unwrap_or_default()
    }
}

debug_fields!(ToolSource, this => name: this.name);

/// Changes of a refresh. The names are in the order of the tools.
///
/// # Examples
/// See [`ToolSource`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refreshed {
    /// New tools, after the others of the source.
    pub added: Vec<String>,
    /// Tools that existed before and keep their positions.
    pub replaced: Vec<String>,
    /// Removed tools.
    pub removed: Vec<String>,
    /// Tools that could not be registered. The others are not affected.
    pub refused: Vec<RegisterError>,
}

impl Draft<'_> {
    /// Replaces the tools of one source.
    fn refresh(&mut self, id: SourceId, prepared: Vec<Result<Entry, RegisterError>>) -> Refreshed {
        let mut refreshed = Refreshed::default();
        let mut given = BTreeSet::new();
        for entry in prepared {
            let name = entry.as_ref().ok().map(|entry| entry.name().clone());
            let names = match entry.and_then(|entry| self.put_of(id, entry, &given)) {
                Ok(true) => &mut refreshed.replaced,
                Ok(false) => &mut refreshed.added,
                Err(error) => {
                    refreshed.refused.push(error);
                    continue;
                }
            };
            names.extend(name.iter().map(ToString::to_string));
            given.extend(name);
        }
        refreshed.removed = self.keep_of(id, &given);
        refreshed
    }
}
