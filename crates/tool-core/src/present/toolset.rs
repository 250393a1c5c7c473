//! A list of presentations under one name.

use std::fmt;
use std::sync::Arc;

use super::engine_tool::EngineTool;
use super::presentation::{Presentation, PresentationError};
use super::presented::AdaptedTool;
use crate::{Engine, Tool, ToolError, ToolInput};

/// A list of presentations: which capabilities there are, and what they are called.
///
/// A tool of an engine comes from "the toolset `<name>`" when two tools with one name are told apart.
///
/// # Examples
/// ```
/// use tool_core::{Toolset, Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Nothing {}
///
/// let ping = tool_fn("ping", "Answers.", |_, _: Nothing| async { Ok("pong") });
/// let toolset = Toolset::named("network").with_tool(ping)?;
///
/// let registry = Registry::builder().toolset(&toolset)?.build();
/// assert_eq!(registry.list().len(), toolset.tools().len());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
/// Engines are added with [`Toolset::tool`]; see [`Engine`].
pub struct Toolset {
    name: String,
    tools: Vec<Arc<dyn Tool>>,
}

impl Toolset {
    /// Creates an empty toolset.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tools: Vec::new(),
        }
    }

    /// Shows an engine.
    ///
    /// # Errors
    /// [`PresentationError`] where an edit names a parameter that the engine lacks, or two names collide.
    pub fn tool<E: Engine>(
        self,
        engine: &Arc<E>,
        presentation: Presentation<E::Output>,
    ) -> Result<Self, PresentationError> {
        self.tool_as::<E::Input, E>(engine, presentation)
    }

    /// Shows an engine that takes arguments of another shape.
    ///
    /// # Errors
    /// As [`Toolset::tool`].
    pub fn tool_as<S, E>(
        self,
        engine: &Arc<E>,
        presentation: Presentation<E::Output>,
    ) -> Result<Self, PresentationError>
    where
        E: Engine,
        S: ToolInput + TryInto<E::Input, Error: Into<ToolError>> + 'static,
    {
        let source = format!("the toolset `{}`", self.name);
        let tool = EngineTool::<E, S>::new(engine, &presentation, source);
        self.with_tool(AdaptedTool::of(tool, presentation)?.with_tool(EngineTool::advising))
    }

    /// Adds a tool as it is.
    ///
    /// # Errors
    /// [`PresentationError::DuplicateTool`] where its name is taken.
    pub fn with_tool(mut self, tool: impl Tool + 'static) -> Result<Self, PresentationError> {
        let name = tool.definition().name();
        if self
            .tools
            .iter()
            .any(|known| known.definition().name() == name)
        {
            return Err(PresentationError::DuplicateTool {
                toolset: self.name,
                tool: name.to_owned(),
            });
        }
        self.tools.push(Arc::new(tool));
        Ok(self)
    }

    /// The toolset's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tools, in the order in which they are listed.
    #[must_use]
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .tools
            .iter()
            .map(|tool| tool.definition().name())
            .collect();
        f.debug_struct("Toolset")
            .field("name", &self.name)
            .field("tools", &names)
            .finish()
    }
}
