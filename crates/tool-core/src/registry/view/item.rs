//! One tool during the steps of a view.

use std::sync::Arc;

use crate::catalog::{Entry, MapArguments};
use crate::present::Mapping;
use crate::{
    AdaptedTool, Arguments, Presentation, PresentationError, RegisterError, Tool, ToolDefinition,
};

/// One tool during the steps of a view.
pub(super) struct Item {
    base: Arc<Entry>,
    /// `None` for an unchanged tool.
    face: Option<AdaptedTool<Arc<dyn Tool>>>,
    /// Mappings of the arguments, from the innermost step to the outermost.
    mappings: Vec<Mapping>,
    has_own_schema: bool,
    is_renamed: bool,
}

impl Item {
    pub(super) fn new(base: Arc<Entry>) -> Self {
        Self {
            base,
            face: None,
            mappings: Vec::new(),
            has_own_schema: false,
            is_renamed: false,
        }
    }

    pub(super) fn definition(&self) -> &ToolDefinition {
        match &self.face {
            Some(face) => face.definition(),
            None => self.base.definition(),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.definition().name()
    }

    /// Returns `true` if the view chose the name, which then has priority over a registered name.
    pub(super) fn is_renamed(&self) -> bool {
        self.is_renamed
    }

    pub(super) fn renamed(self, name: &str) -> Self {
        Self {
            is_renamed: true,
            ..self.redefined(|definition| definition.with_name(name))
        }
    }

    pub(super) fn prefixed(self, prefix: &str) -> Self {
        let name = format!("{prefix}__{}", self.name());
        self.redefined(|definition| definition.with_name(name))
    }

    /// Changes the name or description, but not the schema.
    pub(super) fn redefined(self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        let tool = || AdaptedTool::unchanged(Arc::clone(self.base.tool()));
        let face = self.face.unwrap_or_else(tool).redefined(change);
        Self {
            face: Some(face),
            ..self
        }
    }

    /// Changes the parameters.
    pub(super) fn presented(self, presentation: &Presentation) -> Result<Self, PresentationError> {
        let tool: Arc<dyn Tool> = match self.face {
            Some(face) => Arc::new(face),
            None => Arc::clone(self.base.tool()),
        };
        let presentation = presentation.of_tool(tool.definition());
        let face = AdaptedTool::new(tool, presentation)?;
        let mut mappings = self.mappings;
        mappings.push(face.mapping().clone());
        Ok(Self {
            face: Some(face),
            mappings,
            has_own_schema: true,
            ..self
        })
    }

    /// Returns the entry of the shown tool. `known` is the previous one.
    pub(super) fn entry(self, known: Option<&Entry>) -> Result<Arc<Entry>, RegisterError> {
        let Some(face) = self.face else {
            return Ok(self.base);
        };
        let tool = Arc::new(face);
        let entry = if self.has_own_schema {
            // The registry accepted the tool below.
            Entry::in_place_of(known, tool, true)?
        } else {
            self.base.with_face(tool)?
        };
        Ok(Arc::new(
            entry.over(self.base, map_arguments(self.mappings)),
        ))
    }
}

/// Maps arguments of the shown tool to arguments of the tool below.
fn map_arguments(mappings: Vec<Mapping>) -> Option<MapArguments> {
    if mappings.is_empty() {
        return None;
    }
    Some(Box::new(move |visible| {
        mappings.iter().rev().fold(visible, |visible, mapping| {
            let visible = Arguments::from_value(visible);
            mapping.own(&visible).to_value()
        })
    }))
}
