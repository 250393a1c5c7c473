//! A list of presentations under one name.

use std::fmt;
use std::sync::Arc;

use super::engine_tool::EngineTool;
use super::presentation::{Presentation, PresentationError};
use super::presented::Presented;
use crate::{Engine, Tool, ToolError, ToolInput};

/// A list of presentations: which capabilities there are, and what they are called.
///
/// A tool of an engine comes from "the contract `<name>`" when two tools with one name are told apart.
///
/// # Examples
/// ```
/// use tool_core::{Contract, Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Nothing {}
///
/// let ping = tool_fn("ping", "Answers.", |_, _: Nothing| async { Ok("pong") });
/// let contract = Contract::named("network").with_tool(ping)?;
///
/// let registry = Registry::builder().contract(&contract)?.build();
/// assert_eq!(registry.list().len(), contract.tools().len());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
/// Engines are added with [`Contract::tool`]; see [`Engine`].
pub struct Contract {
    name: String,
    tools: Vec<Arc<dyn Tool>>,
}

impl Contract {
    /// Creates an empty contract.
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
    /// As [`Contract::tool`].
    pub fn tool_as<S, E>(
        self,
        engine: &Arc<E>,
        presentation: Presentation<E::Output>,
    ) -> Result<Self, PresentationError>
    where
        E: Engine,
        S: ToolInput + TryInto<E::Input, Error: Into<ToolError>> + 'static,
    {
        let source = format!("the contract `{}`", self.name);
        let tool = EngineTool::<E, S>::new(engine, &presentation, source);
        self.with_tool(Presented::of(tool, presentation)?.with_tool(EngineTool::advising))
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
                contract: self.name,
                tool: name.to_owned(),
            });
        }
        self.tools.push(Arc::new(tool));
        Ok(self)
    }

    /// The contract's name.
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

impl fmt::Debug for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .tools
            .iter()
            .map(|tool| tool.definition().name())
            .collect();
        f.debug_struct("Contract")
            .field("name", &self.name)
            .field("tools", &names)
            .finish()
    }
}
