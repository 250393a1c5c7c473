//! Registries that show fewer tools of another one.

use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::{ArcSwapOption, Guard};

use super::Registry;
use super::searching::searchable;
use crate::catalog::{Slot, Tools};
use crate::search::{SearchForm, SearchOptions};
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

    /// Returns a registry that shows a model few definitions at first, and lets it search for the others.
    ///
    /// Up to the threshold of `options`, nothing changes. Above it, [`definitions`](Self::definitions) marks the others as
    /// deferred for a provider and model with their own search, and has the tools `search_tools` and `call_tool` in
    /// their place for all others. Every tool can be called by its name at any time: with `call_tool`, it's the call of that
    /// tool in all ten steps, with its policy, approval, ledger entry and audit record. If arguments of a deferred tool are
    /// invalid, the error contains its definition.
    ///
    /// If the registry has a tool of one of these two names, nothing is deferred.
    ///
    /// # Errors
    /// Returns [`UnknownTool`] if no tool has one of the names that are always shown.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::search::SearchOptions;
    /// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new();
    /// for number in 0..200 {
    ///     let definition = ToolDefinition::new(format!("tool_{number}"), "Works.", json!({"type": "object"}));
    ///     registry.register(DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("done")) }))?;
    /// }
    /// let registry = registry.searchable(SearchOptions::default().with_always(["tool_7"]))?;
    ///
    /// let shown: Vec<_> = registry.list().iter().map(|tool| tool.name().to_owned()).collect();
    /// assert_eq!(shown, ["tool_7", "search_tools", "call_tool"]);
    /// let called = registry.execute("call_tool", json!({"name": "tool_150", "arguments": {}})).await;
    /// assert_eq!((called.name.as_str(), called.success), ("tool_150", true));
    /// # Ok(()) }
    /// ```
    pub fn searchable(&self, options: SearchOptions) -> Result<Self, UnknownTool> {
        self.known(options.always.iter().map(String::as_str))?;
        Ok(self.narrowed(Keep::Searchable(Arc::new(options))))
    }

    /// Returns how a model uses the tools that it finds, if definitions are deferred.
    #[must_use]
    pub fn search_form(&self) -> Option<SearchForm> {
        Some(self.tools().search()?.options.form)
    }

    /// Returns a [snapshot](Self::snapshot) with the definitions of the tools that a search has found, in their order after
    /// all others. Unknown names are ignored.
    #[must_use]
    pub fn revealing(&self, found: &[String]) -> Self {
        let tools = Guard::into_inner(self.tools());
        let tools = match tools.search() {
            Some(search) => searchable(&search.below, &search.options, found),
            None => tools,
        };
        Self {
            base: Arc::clone(&self.base),
            visible: Visible::Pinned(tools),
        }
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
    /// All, but definitions are deferred.
    Searchable(Arc<SearchOptions>),
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
        let left = match (&self.keep, below.search()) {
            (Keep::Searchable(options), _) => searchable(&below, options, &[]),
            (_, Some(search)) => {
                let fewer = Arc::new(self.filtered(&search.below));
                searchable(&fewer, &search.options, &search.found)
            }
            (_, None) => Arc::new(self.filtered(&below)),
        };
        self.current
            .store(Some(Arc::new((below, Arc::clone(&left)))));
        left
    }

    fn filtered(&self, below: &Tools) -> Tools {
        let mut table = below.table().clone();
        for slot in below.ordered().iter().filter(|slot| !self.keeps(slot)) {
            table.remove(slot.entry.name().as_str());
        }
        Tools::new(table, below.generation())
    }

    fn keeps(&self, slot: &Slot) -> bool {
        let name = slot.entry.name().as_str();
        match &self.keep {
            Keep::Only(names) => names.contains(name),
            Keep::Without(names) => !names.contains(name),
            Keep::MaxRisk(most) => slot.entry.definition().risk() <= *most,
            Keep::WithoutInteractive => !slot.entry.definition().is_interactive(),
            Keep::Searchable(_) => true,
        }
    }
}

#[cfg(test)]
mod tests;
