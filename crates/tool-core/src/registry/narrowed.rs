//! Registries that show fewer tools of another one.

use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::Registry;
use crate::catalog::{Slot, Tools};
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

    /// Returns a registry that shows the tools of this one that don't talk to the user, for callers elsewhere.
    #[must_use]
    pub fn without_interactive(&self) -> Self {
        self.narrowed(Keep::WithoutInteractive)
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
            // Disabled tools are known, too: they may be enabled later.
            if tools.table().get(&name).is_some() {
                return Ok(name);
            }
            let nearest = text::nearest(&name, tools.names()).map(str::to_owned);
            Err(UnknownTool { name, nearest })
        };
        names.into_iter().map(Into::into).map(known).collect()
    }
}

/// The tools that a registry shows.
#[derive(Clone)]
pub(super) enum Visible {
    /// All tools of the base.
    Base,
    Narrowed(Arc<Narrowed>),
    Pinned(Arc<Tools>),
}

impl Visible {
    /// Returns the shown tools of `base`.
    pub(super) fn tools(&self, base: Arc<Tools>) -> Arc<Tools> {
        match self {
            Self::Base => base,
            Self::Narrowed(narrowed) => narrowed.tools(base),
            Self::Pinned(tools) => Arc::clone(tools),
        }
    }

    /// Returns fewer of these tools.
    pub(super) fn narrowed(&self, keep: Keep) -> Self {
        Self::Narrowed(Arc::new(Narrowed {
            below: self.clone(),
            keep,
            current: ArcSwapOption::empty(),
        }))
    }
}

/// Which tools stay.
pub(super) enum Keep {
    Only(BTreeSet<String>),
    Without(BTreeSet<String>),
    MaxRisk(RiskLevel),
    WithoutInteractive,
}

/// Fewer tools of those below.
pub(super) struct Narrowed {
    below: Visible,
    keep: Keep,
    /// The tools below that were narrowed last, and what is left of them.
    current: ArcSwapOption<(Arc<Tools>, Arc<Tools>)>,
}

impl Narrowed {
    fn tools(&self, base: Arc<Tools>) -> Arc<Tools> {
        let below = self.below.tools(base);
        // Filtered once per change of the registry, not once per call.
        if let Some(current) = &*self.current.load()
            && Arc::ptr_eq(&current.0, &below)
        {
            return Arc::clone(&current.1);
        }
        let mut table = below.table().clone();
        for slot in below.ordered().iter().filter(|slot| !self.keeps(slot)) {
            table.remove(slot.entry.name().as_str());
        }
        let left = Arc::new(Tools::new(table, below.generation()));
        self.current
            .store(Some(Arc::new((below, Arc::clone(&left)))));
        left
    }

    fn keeps(&self, slot: &Slot) -> bool {
        let name = slot.entry.name().as_str();
        match &self.keep {
            Keep::Only(names) => names.contains(name),
            Keep::Without(names) => !names.contains(name),
            Keep::MaxRisk(most) => slot.entry.definition().risk() <= *most,
            Keep::WithoutInteractive => !slot.entry.definition().is_interactive(),
        }
    }
}

#[cfg(test)]
mod tests;
