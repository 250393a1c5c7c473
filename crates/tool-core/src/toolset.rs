//! A list of tools under one name.

use std::sync::Arc;

use crate::adapted_tool::AdaptedTool;
use crate::{Tool, text};

/// Reason why a toolset cannot be built.
///
/// # Examples
/// ```
/// use tool_core::ToolsetError;
///
/// let error = ToolsetError::DuplicateTool { toolset: "files".into(), tool: "read".into() };
/// assert_eq!(error.to_string(), "the toolset `files` has two tools called `read`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolsetError {
    /// Name of two tools.
    #[error("the toolset `{toolset}` has two tools called `{tool}`")]
    DuplicateTool {
        /// The toolset.
        toolset: String,
        /// The name they share.
        tool: String,
    },
    /// Unknown tool in [`Toolset::only`] or [`Toolset::without`].
    #[error("the toolset `{toolset}` has no tool `{tool}`{}", text::did_you_mean(.nearest.as_deref()))]
    UnknownTool {
        /// The toolset.
        toolset: String,
        /// The unknown name.
        tool: String,
        /// The most similar name.
        nearest: Option<String>,
    },
}

/// A list of tools under one name: the capabilities of an agent.
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
pub struct Toolset {
    name: String,
    tools: Vec<Arc<dyn Tool>>,
    ignores_required_defaults: bool,
}

impl Toolset {
    /// Creates an empty toolset.
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

    /// Adds a tool.
    ///
    /// # Errors
    /// Returns [`ToolsetError::DuplicateTool`] if its name is taken.
    pub fn with_tool(self, tool: impl Tool + 'static) -> Result<Self, ToolsetError> {
        self.with_shared(Arc::new(tool))
    }

    fn with_shared(mut self, tool: Arc<dyn Tool>) -> Result<Self, ToolsetError> {
        let name = tool.definition().name();
        if self.names().any(|known| known == name) {
            return Err(ToolsetError::DuplicateTool {
                toolset: self.name,
                tool: name.to_owned(),
            });
        }
        self.push(tool);
        Ok(self)
    }

    /// Creates a toolset of tools whose names differ.
    #[cfg(feature = "typed")]
    pub(crate) fn of_distinct(name: &str, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let mut toolset = Self::named(name);
        tools.into_iter().for_each(|tool| toolset.push(tool));
        toolset
    }

    fn push(&mut self, tool: Arc<dyn Tool>) {
        // The name of the set explains later where a duplicate name came from.
        let adapted = AdaptedTool::new(tool).defined(|definition| {
            let definition = definition.in_toolset(&self.name);
            if self.ignores_required_defaults {
                definition.without_required_defaults()
            } else {
                definition
            }
        });
        self.tools.push(Arc::new(adapted));
    }

    /// Removes a tool.
    ///
    /// # Errors
    /// Returns [`ToolsetError::UnknownTool`] if no tool has this name.
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
    /// # Ok::<_, tool_core::ToolsetError>(())
    /// ```
    pub fn without(mut self, name: &str) -> Result<Self, ToolsetError> {
        self.known(name)?;
        self.tools.retain(|tool| tool.definition().name() != name);
        Ok(self)
    }

    /// Removes all tools except the named ones. The order of the toolset stays.
    ///
    /// # Errors
    /// Returns [`ToolsetError::UnknownTool`] if no tool has one of these names.
    pub fn only<N: AsRef<str>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, ToolsetError> {
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

    fn known(&self, name: &str) -> Result<(), ToolsetError> {
        if self.names().any(|known| known == name) {
            return Ok(());
        }
        Err(ToolsetError::UnknownTool {
            toolset: self.name.clone(),
            tool: name.to_owned(),
            nearest: text::nearest(name, self.names()).map(str::to_owned),
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.definition().name())
    }

    /// Returns the name of the toolset.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tools in the order of their addition.
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }
}

debug_fields!(Toolset, this => name: this.name, tools: this.names().collect::<Vec<_>>());

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
        let unknown = |nearest: Option<&str>, tool: &str| ToolsetError::UnknownTool {
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
