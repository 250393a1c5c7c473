//! Many tools under their names: registered, listed, and called.

mod approvals;
mod batch;
mod builder;
mod edit;
mod group;
mod handle;
mod outbox;
mod snapshot;
mod source;
#[cfg(feature = "typed")]
mod view;

use std::fmt;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use serde_json::Value;
use tokio::sync::watch;

pub use builder::RegistryBuilder;
pub use group::{GroupReport, GroupState, ToolGroup};
pub use handle::CallHandle;
pub use outbox::Report;
pub use snapshot::Snapshot;
use source::Sources;
pub use source::{Refresh, Refreshed, Source, SourceError};
#[cfg(feature = "typed")]
pub use view::{View, ViewBuilder, ViewError};

use crate::catalog::Tools;
use crate::dispatch::{Incoming, Sent, Shared, Validation, answer};
use crate::{
    CallArguments, CallOptions, Converted, Dialect, RegisterError, Tool, ToolCall, ToolDefinition,
    ToolResult,
};

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
pub struct Registry(Arc<State>);

/// What all clones of one registry are.
struct State {
    tools: ArcSwap<Tools>,
    /// Held while the tools are replaced, so that no change is lost.
    edit: Mutex<Sources>,
    /// Tells the generation of the tools.
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

    fn from_state(state: State) -> Self {
        Self(Arc::new(state))
    }

    /// The tool called `name`, also when it is switched off.
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
        let call = Incoming::new(name, Sent::Own(&arguments));
        let mut result = ToolResult::blank();
        answer(&self.0.shared, &self.0.tools.load(), &call, &mut result).await;
        result.metadata.parameters.settle(|| arguments);
        result
    }

    /// Calls a tool with the text that the model sent. The main door.
    pub async fn execute_text(&self, name: &str, arguments: &str) -> ToolResult {
        let call = Incoming::new(name, Sent::Text(arguments));
        let mut result = ToolResult::blank();
        answer(&self.0.shared, &self.0.tools.load(), &call, &mut result).await;
        result
    }

    /// Answers one call as `options` say.
    pub async fn execute_call(&self, call: &ToolCall, options: &CallOptions) -> ToolResult {
        let call = Incoming::of_call(call, options);
        let mut result = ToolResult::blank();
        answer(&self.0.shared, &self.0.tools.load(), &call, &mut result).await;
        result
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
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn execute_many(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.execute_many_with(calls, &CallOptions::default()).await
    }

    /// Answers the calls of a turn as `options` say; see [`Snapshot::execute_many`].
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn execute_many_with(
        &self,
        calls: Vec<ToolCall>,
        options: &CallOptions,
    ) -> Vec<ToolResult> {
        self.snapshot().execute_many(calls, options).await
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

impl State {
    fn new(tools: Tools, shared: Shared) -> Self {
        Self {
            changes: watch::Sender::new(tools.generation()),
            tools: ArcSwap::from_pointee(tools),
            edit: Mutex::default(),
            shared,
        }
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
