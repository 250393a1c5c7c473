//! Registries of tools: registration, execution and sources.

mod approvals;
mod batch;
mod builder;
mod edit;
mod execute;
mod handle;
mod narrowed;
mod searching;
mod source;

use std::sync::{Arc, Mutex};

use arc_swap::{ArcSwap, Guard};
use tokio::sync::watch;

pub use builder::RegistryBuilder;
pub use edit::SourceError;
pub use handle::{CallEvent, CallHandle};
pub use narrowed::UnknownTool;
pub use source::{Refreshed, ToolSource};

use self::edit::Sources;
use self::narrowed::Visible;
use crate::catalog::Tools;
use crate::dispatch::Shared;
use crate::ledger::Ledger;
use crate::{Dialect, OutputLimit, ProviderTools, Redactor, RegisterError, Tool, ToolDefinition};

/// A set of named tools and the rules of their execution.
///
/// Cloning is cheap, and all clones share one state. Tools may be added and removed while calls run. A
/// [snapshot](Registry::snapshot) is a registry whose tools never change; [`Registry::only`], [`Registry::without`] and
/// [`Registry::max_risk`] give registries that show fewer tools. These reject changes of their tools.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let registry = Registry::new();
/// registry.register(tool_fn("add", "Adds.", |_, input: Add| async move { Ok(input.a + input.b) }))?;
/// let result = registry.execute("add", json!({"a": 2, "b": "40"})).await;
/// assert_eq!(result.data, Some(json!(42)));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Registry {
    base: Arc<Base>,
    visible: Visible,
}

/// State of a registry, shared with its snapshots and the registries that show fewer tools.
struct Base {
    tools: ArcSwap<Tools>,
    /// Locked while the tools are replaced, so that no change is lost.
    edit: Mutex<Sources>,
    /// Generation of the tools.
    changes: watch::Sender<u64>,
    shared: Shared,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// Creates an empty registry with the default policy and limits.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Creates a registry of one tool.
    ///
    /// # Errors
    /// Returns [`RegisterError`] if the tool cannot be registered.
    pub fn of(tool: impl Tool + 'static) -> Result<Self, RegisterError> {
        let registry = Self::new();
        registry.register(tool)?;
        Ok(registry)
    }

    /// Configures policy, approver, limits and middleware.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    #[inline]
    fn tools(&self) -> Guard<Arc<Tools>> {
        let base = self.base.tools.load();
        if let Visible::Base = self.visible {
            return base;
        }
        Guard::from_inner(self.visible.tools(Guard::into_inner(base)))
    }

    /// Pins the current tools for a turn, so that the definitions sent to the model and the tools that run cannot differ.
    ///
    /// The result rejects changes of its tools. Policy, approver and limits stay shared.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{Registry, tool_fn};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct NoInput {}
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
    /// let registry = Registry::of(tool_fn("ping", "Returns pong.", |_, _: NoInput| async { Ok("pong") }))?;
    /// let turn = registry.snapshot();
    /// assert!(registry.unregister("ping").is_some());
    /// assert!(turn.execute("ping", json!({})).await.success);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Self {
        Self {
            base: Arc::clone(&self.base),
            visible: Visible::Pinned(Guard::into_inner(self.tools())),
        }
    }

    /// Returns the tool named `name`, even if it is disabled.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let tools = self.tools();
        let slot = tools.table().get(name)?;
        Some(Arc::clone(slot.entry.tool()))
    }

    /// Returns the definitions of all enabled tools, in the order of registration.
    pub fn list(&self) -> Vec<ToolDefinition> {
        self.tools().list().to_vec()
    }

    /// Converts the definitions for a provider. The conversion is cached until the tools change.
    pub fn definitions(&self, dialect: &dyn Dialect) -> Arc<ProviderTools> {
        self.tools().definitions(dialect)
    }

    /// Returns whether a tool is enabled, or `None` if it does not exist.
    pub fn is_enabled(&self, name: &str) -> Option<bool> {
        let tools = self.tools();
        tools.table().get(name).map(|slot| slot.enabled)
    }

    /// Returns the redactor of the builder, if it was set. It can learn further secrets.
    pub fn redactor(&self) -> Option<&Redactor> {
        self.base.shared.settings.redactor.as_deref()
    }

    /// Returns the ledger of the builder, if it was set.
    pub fn ledger(&self) -> Option<&Arc<dyn Ledger>> {
        self.base.shared.settings.ledger.as_ref()
    }

    /// Returns the output limit of a tool: the one that the builder sets for it, else the tool's own, else the default.
    pub fn output_limit(&self, tool: &str) -> OutputLimit {
        let tools = self.tools();
        let settings = &self.base.shared.settings;
        let slot = tools.table().get(tool);
        slot.map_or(settings.output_limit, |slot| settings.limit_of(&slot.entry))
    }

    /// Returns the maximum number of concurrent calls.
    pub fn parallel_calls(&self) -> usize {
        self.base.shared.gate.parallel()
    }

    /// Returns the number of changes of the tools. Values derived from the tools stay valid while it is the same.
    pub fn generation(&self) -> u64 {
        if let Visible::Pinned(tools) = &self.visible {
            tools.generation()
        } else {
            *self.base.changes.borrow()
        }
    }

    /// Waits until the generation of the tools is greater than `seen`, and returns it. Changes in quick succession may be
    /// reported as one. A snapshot waits for the registry that it was taken from.
    ///
    /// # Cancellation
    /// Dropping the future is safe.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// use tool_core::Registry;
    ///
    /// let registry = Registry::new();
    /// let seen = registry.generation();
    /// let watched = registry.clone();
    /// let change = tokio::spawn(async move { watched.changed_since(seen).await });
    ///
    /// # use tool_core::{DynamicTool, ToolDefinition, ToolOutput};
    /// # let definition = ToolDefinition::new("f", "F.", serde_json::json!({}));
    /// # let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) });
    /// assert!(registry.register(tool).is_ok());
    /// assert!(change.await.is_ok_and(|generation| generation > seen));
    /// # }
    /// ```
    pub async fn changed_since(&self, seen: u64) -> u64 {
        let mut changes = self.base.changes.subscribe();
        let later = changes.wait_for(|generation| *generation > seen).await;
        // `self` owns the sender.
        later.map_or(seen, |generation| *generation)
    }
}

debug_fields!(Registry, this => tools: this.tools().names().collect::<Vec<_>>());

#[cfg(test)]
mod tests;
