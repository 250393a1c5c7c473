//! Registries that show fewer tools of another one.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Registry;
use super::visible::Keep;
use crate::{RiskLevel, text};

/// A name that no tool of the registry has.
///
/// # Examples
/// ```
/// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
///
/// let definition = ToolDefinition::new("delete", "Deletes.", serde_json::json!({}));
/// let delete = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("gone")) });
/// let error = Registry::of(delete)?.without(["delte"]).unwrap_err();
/// assert_eq!(error.to_string(), "the registry has no tool `delte`; did you mean `delete`?");
/// # Ok::<_, tool_core::RegisterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the registry has no tool `{name}`{}", text::did_you_mean(nearest.as_deref()))]
#[non_exhaustive]
pub struct UnknownTool {
    /// The unknown name.
    pub name: String,
    /// The most similar name of a tool.
    pub nearest: Option<String>,
}

impl Registry {
    /// Returns a registry that shows only the named tools of this one.
    ///
    /// Tools that are replaced or disabled here change there too; policy, approver and limits are shared. Tools that are
    /// registered later under other names don't appear.
    ///
    /// # Errors
    /// Returns [`UnknownTool`] if no tool has one of the names, because a typo would hide a tool that you need.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tool = |name| {
    ///     let definition = ToolDefinition::new(name, "Works.", json!({"type": "object"}));
    ///     DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("done")) })
    /// };
    /// let registry = Registry::new();
    /// registry.register_all([tool("log"), tool("push")])?;
    ///
    /// let reading = registry.only(["log"])?;
    ///
    /// assert!(!reading.execute("push", json!({})).await.success);
    /// # Ok(()) }
    /// ```
    pub fn only<N: Into<String>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, UnknownTool> {
        Ok(self.narrowed(Keep::Only(self.known(names)?)))
    }

    /// Returns a registry that shows all tools of this one except the named ones, like [`only`](Self::only).
    ///
    /// # Errors
    /// Returns [`UnknownTool`] if no tool has one of the names, because a typo would show a tool that you wanted to hide.
    pub fn without<N: Into<String>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, UnknownTool> {
        Ok(self.narrowed(Keep::Without(self.known(names)?)))
    }

    /// Returns a registry that shows the tools of this one with at most this risk, even those that are registered later.
    ///
    /// A call can still be riskier than its tool: its plan says so, and the policy decides.
    #[must_use]
    pub fn max_risk(&self, most: RiskLevel) -> Self {
        self.narrowed(Keep::MaxRisk(most))
    }

    fn narrowed(&self, keep: Keep) -> Self {
        Self {
            base: Arc::clone(&self.base),
            visible: self.visible.narrowed(keep),
        }
    }

    fn known<N: Into<String>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<BTreeSet<String>, UnknownTool> {
        let tools = self.tools();
        let known = |name: String| {
            if tools.table().get(&name).is_some() {
                return Ok(name);
            }
            let nearest = text::nearest(&name, tools.names()).map(str::to_owned);
            Err(UnknownTool { name, nearest })
        };
        names.into_iter().map(Into::into).map(known).collect()
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
