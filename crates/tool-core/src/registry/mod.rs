//! Many tools under their names: registered, listed, and called.

mod approvals;
mod builder;
mod entry;
mod error;
mod handle;
mod options;
mod snapshot;
mod tools;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use serde_json::Value;

pub use builder::RegistryBuilder;
pub(crate) use entry::Entry;
pub use error::RegisterError;
pub use handle::CallHandle;
pub use options::CallOptions;
pub use snapshot::Snapshot;
pub(crate) use tools::Tools;

use crate::approval::{Answered, Approver, LivePolicy};
use crate::dispatch::{Gate, Incoming, Sent, Settings, Validation, dispatch};
use crate::{CallArguments, Converted, Dialect, Tool, ToolCall, ToolDefinition, ToolResult};

/// Many tools under their names. Cloning is cheap and clones are one registry; it may change while calls run.
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
pub struct Registry(Arc<Shared>);

/// What all snapshots of one registry have in common.
pub(crate) struct Shared {
    pub(crate) tools: ArcSwap<Tools>,
    /// Held while the tools are replaced, so that no change is lost.
    edit: Mutex<()>,
    pub(crate) policy: LivePolicy,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) answered: Answered,
    pub(crate) gate: Gate,
    pub(crate) settings: Settings,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// Creates an empty registry with the default policy and limits.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Creates a registry of one tool.
    ///
    /// # Errors
    /// [`RegisterError`] when the tool cannot be registered.
    pub fn of(tool: impl Tool + 'static) -> Result<Self, RegisterError> {
        let registry = Self::new();
        registry.register(tool)?;
        Ok(registry)
    }

    /// Configures policy, approver, limits and middleware.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    pub(crate) fn from_shared(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// [`RegisterError`] when the name is taken or not a name, or the schema cannot be used.
    pub fn register(&self, tool: impl Tool + 'static) -> Result<(), RegisterError> {
        let entry = Entry::new(Arc::new(tool))?;
        self.edit(|tools| tools.with(entry))
    }

    /// Adds a tool, in place of the one that has its name. Calls that run go on with the old one.
    ///
    /// # Errors
    /// [`RegisterError`] when the name is not a name, or the schema cannot be used.
    pub fn replace(&self, tool: impl Tool + 'static) -> Result<(), RegisterError> {
        let entry = Entry::new(Arc::new(tool))?;
        self.edit(|tools| Ok(tools.with_replaced(entry)))
    }

    /// Takes a tool out and returns it. Calls that run go on.
    #[must_use = "`None` says that there was no such tool"]
    pub fn unregister(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let _guard = self.0.edit.lock().unwrap_or_else(PoisonError::into_inner);
        let tools = self.0.tools.load();
        let tool = tools.get(name).map(|entry| Arc::clone(entry.tool()))?;
        self.0.tools.store(Arc::new(tools.without(name)));
        Some(tool)
    }

    fn edit(
        &self,
        change: impl FnOnce(&Tools) -> Result<Tools, RegisterError>,
    ) -> Result<(), RegisterError> {
        let _guard = self.0.edit.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&self.0.tools.load())?;
        self.0.tools.store(Arc::new(changed));
        Ok(())
    }

    /// The tool called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.snapshot().get(name)
    }

    /// The definitions of all tools, in the order in which they were registered.
    #[must_use]
    pub fn list(&self) -> Vec<ToolDefinition> {
        self.snapshot().list().to_vec()
    }

    /// What a provider is told about the tools. Made once per provider until the tools change.
    #[must_use]
    pub fn definitions(&self, dialect: &dyn Dialect) -> Arc<Converted> {
        self.0.tools.load().definitions(dialect)
    }

    /// Pins the tools as they are, so that what a model was told and what runs cannot differ within a turn.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(Arc::clone(&self.0), self.0.tools.load_full())
    }

    /// Calls a tool with a value.
    pub async fn execute(&self, name: &str, arguments: Value) -> ToolResult {
        let call = Incoming::new(name, Sent::Value(&arguments));
        dispatch(&self.0, &self.0.tools.load(), call).await
    }

    /// Calls a tool with the text that the model sent. The main door.
    pub async fn execute_text(&self, name: &str, arguments: &str) -> ToolResult {
        let call = Incoming::new(name, Sent::Text(arguments));
        dispatch(&self.0, &self.0.tools.load(), call).await
    }

    /// Answers one call as `options` say.
    pub async fn execute_call(&self, call: &ToolCall, options: &CallOptions) -> ToolResult {
        let call = Incoming::of_call(call, options);
        dispatch(&self.0, &self.0.tools.load(), call).await
    }

    /// Starts a call on the runtime and returns at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn execute_async(&self, call: ToolCall, options: CallOptions) -> CallHandle {
        self.snapshot().execute_async(call, options)
    }

    /// Answers the calls of a turn side by side; results come in the order of the calls, one for each.
    pub async fn execute_many(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.snapshot()
            .execute_many(calls, &CallOptions::default())
            .await
    }

    /// Says what would become of these arguments, without running anything.
    #[must_use]
    pub fn validate(&self, name: &str, arguments: &CallArguments) -> Validation {
        self.snapshot().validate(name, arguments)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.0.tools.load();
        f.debug_struct("Registry")
            .field("tools", &tools.names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn new(
        tools: Tools,
        policy: LivePolicy,
        approver: Option<Arc<dyn Approver>>,
        gate: Gate,
        settings: Settings,
    ) -> Self {
        Self {
            tools: ArcSwap::from_pointee(tools),
            edit: Mutex::default(),
            policy,
            approver,
            answered: Answered::default(),
            gate,
            settings,
        }
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
