//! A list of presentations under one name.

use std::sync::Arc;
use std::{fmt, mem};

use async_trait::async_trait;

use super::adapted_tool::AdaptedTool;
use super::error::PresentationError;
use super::presentation::Presentation;
use crate::ledger::Verified;
use crate::typed::output_of;
use crate::{
    Arguments, PreparedCall, Tool, ToolContext, ToolDefinition, ToolError, ToolInput, Typed,
    TypedTool, text,
};

/// A list of presentations: the capabilities of an agent, and their names.
///
/// If two tools have one name, the error gives "the toolset `<name>`" as the source of each.
///
/// # Examples
/// ```
/// use tool_core::{Toolset, Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct NoInput {}
///
/// let ping = tool_fn("ping", "Returns pong.", |_, _: NoInput| async { Ok("pong") });
/// let toolset = Toolset::named("network").with_tool(ping)?;
///
/// let registry = Registry::builder().toolset(&toolset)?.build();
/// assert_eq!(registry.list().len(), toolset.tools().len());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
/// [`Toolset::tool`] adds a presentation of a [`TypedTool`].
pub struct Toolset {
    name: String,
    tools: Vec<Arc<dyn Tool>>,
    ignores_required_defaults: bool,
}

impl Toolset {
    /// Creates an empty toolset.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tools: Vec::new(),
            ignores_required_defaults: false,
        }
    }

    /// Rejects calls without a required parameter even if its schema has a default. Applies to tools that are added later.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput, Toolset};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let schema = json!({"properties": {"count": {"type": "number", "default": 100}}, "required": ["count"]});
    /// let count = DynamicTool::new(ToolDefinition::new("count", "Counts.", schema), |_, a| async { Ok(ToolOutput::json(a)) });
    /// let toolset = Toolset::named("strict").without_required_defaults().with_tool(count)?;
    ///
    /// let registry = Registry::builder().toolset(&toolset)?.build();
    /// let error = registry.execute("count", json!({})).await.error.ok_or("the call succeeded")?;
    /// assert_eq!(error.code.as_str(), "invalid_arguments");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn without_required_defaults(self) -> Self {
        Self {
            ignores_required_defaults: true,
            ..self
        }
    }

    /// Adds a presentation of a typed tool.
    ///
    /// # Errors
    /// Returns [`PresentationError`] if an edit names an unknown parameter or two names collide.
    pub fn tool<T: TypedTool>(
        self,
        tool: &Arc<T>,
        presentation: Presentation<T::Output>,
    ) -> Result<Self, PresentationError> {
        self.tool_as::<T::Input, T>(tool, presentation)
    }

    /// Adds a presentation of a typed tool with arguments of another shape.
    ///
    /// # Errors
    /// Like [`Toolset::tool`].
    pub fn tool_as<S, T>(
        self,
        tool: &Arc<T>,
        mut presentation: Presentation<T::Output>,
    ) -> Result<Self, PresentationError>
    where
        T: TypedTool,
        S: ToolInput + TryInto<T::Input, Error: Into<ToolError>> + 'static,
    {
        let (name, description) = (&presentation.name, &presentation.description);
        let tool =
            Typed::<T, S>::shared(name, description, Arc::clone(tool)).limits(presentation.limits);
        let rendering = mem::take(&mut presentation.rendering);
        let adapted = AdaptedTool::of(tool, presentation)?.with_tool(|tool, mapping| {
            let mapping = mapping.clone();
            tool.with_converter(move |output, arguments, cx, earlier| {
                // The presentation's own rendering replaces the tool's.
                let text = match rendering.render {
                    Some(_) => String::new(),
                    None => T::render(output),
                };
                let mut shown = output_of(output, Some(text))?;
                mapping.move_additions_to(cx, earlier, &mut shown);
                rendering.apply(output, arguments, cx, shown)
            })
        });
        self.with_tool(adapted)
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// Returns [`PresentationError::DuplicateTool`] if its name is taken.
    pub fn with_tool(self, tool: impl Tool + 'static) -> Result<Self, PresentationError> {
        self.with_shared(Arc::new(tool))
    }

    fn with_shared(mut self, tool: Arc<dyn Tool>) -> Result<Self, PresentationError> {
        let name = tool.definition().name();
        if self.names().any(|known| known == name) {
            return Err(PresentationError::DuplicateTool {
                toolset: self.name,
                tool: name.to_owned(),
            });
        }
        let mut definition = tool.definition().clone().in_toolset(&self.name);
        if self.ignores_required_defaults {
            definition = definition.without_required_defaults();
        }
        self.tools.push(Arc::new(Member { tool, definition }));
        Ok(self)
    }

    /// Removes a tool.
    ///
    /// # Errors
    /// Returns [`PresentationError::UnknownTool`] if no tool has this name.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{Toolset, tool_fn};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct NoInput {}
    ///
    /// let tool = |name| tool_fn(name, "Returns a text.", |_, _: NoInput| async { Ok("done") });
    /// let toolset = Toolset::named("network").with_tool(tool("ping"))?.with_tool(tool("trace"))?;
    ///
    /// let error = toolset.without("trase").unwrap_err();
    /// assert_eq!(error.to_string(), "the toolset `network` has no tool `trase`; did you mean `trace`?");
    /// # Ok::<_, tool_core::PresentationError>(())
    /// ```
    pub fn without(mut self, name: &str) -> Result<Self, PresentationError> {
        self.known(name)?;
        self.tools.retain(|tool| tool.definition().name() != name);
        Ok(self)
    }

    /// Removes all tools except the named ones. The order of the toolset stays.
    ///
    /// # Errors
    /// Returns [`PresentationError::UnknownTool`] if no tool has one of these names.
    pub fn only<N: AsRef<str>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, PresentationError> {
        let names: Vec<N> = names.into_iter().collect();
        names
            .iter()
            .try_for_each(|name| self.known(name.as_ref()))?;
        self.tools.retain(|tool| {
            let own = tool.definition().name();
            names.iter().any(|name| name.as_ref() == own)
        });
        Ok(self)
    }

    fn known(&self, name: &str) -> Result<(), PresentationError> {
        if self.names().any(|known| known == name) {
            return Ok(());
        }
        Err(PresentationError::UnknownTool {
            toolset: self.name.clone(),
            tool: name.to_owned(),
            nearest: text::nearest(name, self.names()).map(str::to_owned),
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.definition().name())
    }

    /// Returns the name of the toolset.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tools in the order of their addition.
    #[must_use]
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }
}

/// A tool with its definition in a set.
struct Member {
    tool: Arc<dyn Tool>,
    definition: ToolDefinition,
}

#[async_trait]
impl Tool for Member {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        self.tool.prepare(cx, arguments)
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        self.tool.verify(cx, arguments).await
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolset")
            .field("name", &self.name)
            .field("tools", &self.names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_fn;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct NoInput {}

    fn toolset() -> Toolset {
        let tool = |name| {
            tool_fn(name, "Returns a text.", |_, _: NoInput| async {
                Ok("done")
            })
        };
        let tools = ["read", "write", "list"].map(tool);
        let empty = Toolset::named("files");
        tools
            .into_iter()
            .try_fold(empty, Toolset::with_tool)
            .unwrap()
    }

    fn names(toolset: &Toolset) -> Vec<&str> {
        let tools = toolset.tools().iter();
        tools.map(|tool| tool.definition().name()).collect()
    }

    #[test]
    fn without_and_only_select_tools_in_order() {
        assert_eq!(
            names(&toolset().without("write").unwrap()),
            ["read", "list"]
        );
        assert_eq!(
            names(&toolset().only(["list", "read"]).unwrap()),
            ["read", "list"]
        );
    }

    #[test]
    fn selection_rejects_unknown_names() {
        let unknown = |nearest: Option<&str>, tool: &str| PresentationError::UnknownTool {
            toolset: "files".to_owned(),
            tool: tool.to_owned(),
            nearest: nearest.map(str::to_owned),
        };

        let without = toolset().without("wirte").unwrap_err();
        let only = toolset().only(["read", "fetch_page"]).unwrap_err();

        assert_eq!(without, unknown(Some("write"), "wirte"));
        assert_eq!(only, unknown(None, "fetch_page"));
    }
}
