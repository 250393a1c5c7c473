//! One tool on its way through the steps of a view.

use std::sync::Arc;

use crate::catalog::{Behind, Entry, Inwards};
use crate::present::Mapping;
use crate::{
    Arguments, Presentation, PresentationError, Presented, RegisterError, Tool, ToolDefinition,
};

/// One tool on its way through the steps of a view.
pub(super) struct Item {
    base: Arc<Entry>,
    /// Nothing, for a tool that is shown as it is.
    face: Option<Presented<Arc<dyn Tool>>>,
    /// How arguments get through the face, from the innermost step to the outermost.
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

    /// Whether the host gave it this name, which then goes above one that a tool brought along.
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

    /// The same with another name or description; the schema must stay.
    pub(super) fn redefined(self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        let tool = || Presented::unchanged(Arc::clone(self.base.tool()));
        let face = self.face.unwrap_or_else(tool).redefined(change);
        Self {
            face: Some(face),
            ..self
        }
    }

    /// The same with other parameters.
    pub(super) fn presented(self, presentation: &Presentation) -> Result<Self, PresentationError> {
        let tool: Arc<dyn Tool> = match self.face {
            Some(face) => Arc::new(face),
            None => Arc::clone(self.base.tool()),
        };
        let presentation = presentation.of_tool(tool.definition());
        let face = Presented::new(tool, presentation)?;
        let mut mappings = self.mappings;
        mappings.push(face.mapping().clone());
        Ok(Self {
            face: Some(face),
            mappings,
            has_own_schema: true,
            ..self
        })
    }

    /// The entry to be called. `known` is what was made of the tool before.
    pub(super) fn entry(self, known: Option<&Entry>) -> Result<Arc<Entry>, RegisterError> {
        let Some(face) = self.face else {
            return Ok(self.base);
        };
        let tool = Arc::new(face);
        let entry = if self.has_own_schema {
            Entry::in_place_of(known, tool)?.beside(&self.base)
        } else {
            self.base.with_face(tool)?
        };
        let behind = Behind::new(self.base, inwards(self.mappings));
        Ok(Arc::new(entry.in_front_of(behind)))
    }
}

/// From the arguments of the outermost face to those of the tool below.
fn inwards(mappings: Vec<Mapping>) -> Option<Inwards> {
    if mappings.is_empty() {
        return None;
    }
    Some(Box::new(move |shown| {
        mappings.iter().rev().fold(shown, |shown, mapping| {
            let shown = Arguments::from_value(shown);
            let own = mapping.own(&shown).map(|own| own.to_value());
            own.unwrap_or_else(|| shown.to_value())
        })
    }))
}
