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
/// server.begin().finish([tool("a"), tool("b")])?;
///
/// // Begin before the request, so that a slow response cannot overwrite a newer one.
/// let slow = server.begin();
/// let refreshed = server.begin().finish([tool("b"), tool("c")])?;
/// assert_eq!((refreshed.added, refreshed.removed), (vec!["c".to_owned()], vec!["a".to_owned()]));
/// assert_eq!(slow.finish([tool("a")]), Err(SourceError::Stale("server".into())));
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
            let place = draft.table().next_place();
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

    /// Begins a refresh. Call it before requesting the tools.
    #[must_use = "a refresh changes nothing until it is finished"]
    pub fn begin(&self) -> Refresh {
        let begin = |draft: &mut Draft<'_>| draft.sources.begin(self.id).ok_or(());
        // `finish` reports a closed source.
        let number = self.registry.base.edit(begin).unwrap_or_default();
        Refresh {
            source: self.clone(),
            number,
        }
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

/// A begun refresh of a source's tools.
///
/// # Examples
/// See [`ToolSource`].
#[derive(Debug)]
#[must_use = "a refresh changes nothing until it is finished"]
pub struct Refresh {
    source: ToolSource,
    number: u64,
}

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

impl Refresh {
    /// Replaces the source's tools. A tool that the host disabled stays disabled, even if it was removed in between.
    ///
    /// # Errors
    /// Returns [`SourceError::Stale`] if a later refresh was finished first, and [`SourceError::Closed`] if the source is
    /// closed. Tools with the name of another owner are in [`Refreshed::refused`].
    pub fn finish<T: Tool + 'static>(
        self,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<Refreshed, SourceError> {
        let ToolSource { registry, id, name } = &self.source;
        let base = &registry.base;
        let entry = |tool| {
            base.entry(Arc::new(tool))
                .map(|entry| entry.of_source(name))
        };
        // Compiled before the edit, because other edits have to wait for it.
        let prepared = tools.into_iter().map(entry).collect();
        base.edit(|draft| draft.refresh(*id, self.number, name, prepared))
    }
}

/// Compiled tools of a refresh.
type Prepared = Vec<Result<Entry, RegisterError>>;

impl Draft<'_> {
    /// Replaces the tools of one source.
    fn refresh(
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
        Ok(refreshed)
    }
}
