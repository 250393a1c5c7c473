//! The tools of a registry pinned for a turn.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tokio::task::JoinSet;

use super::handle::lost;
use super::{CallHandle, CallOptions, Shared, Tools};
use crate::dispatch::{Incoming, Sent, Validation, dispatch, validation};
use crate::{
    CallArguments, Converted, Dialect, Tool, ToolCall, ToolDefinition, ToolError, ToolResult,
};

/// The tools of a registry pinned for a turn: later changes of the registry do not reach it. Policy, approver and
/// gate stay shared.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Nothing {}
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let registry = Registry::of(tool_fn("ping", "Answers.", |_, _: Nothing| async { Ok("pong") }))?;
/// let turn = registry.snapshot();
/// assert!(registry.unregister("ping").is_some());
/// assert!(turn.execute("ping", json!({})).await.success);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Snapshot {
    shared: Arc<Shared>,
    tools: Arc<Tools>,
}

impl Snapshot {
    pub(super) fn new(shared: Arc<Shared>, tools: Arc<Tools>) -> Self {
        Self { shared, tools }
    }

    /// The tool called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.get(name).map(|entry| Arc::clone(entry.tool()))
    }

    /// The definitions of all tools, in the order in which they were registered.
    #[must_use]
    pub fn list(&self) -> &[ToolDefinition] {
        self.tools.list()
    }

    /// What a provider is told about the tools.
    #[must_use]
    pub fn definitions(&self, dialect: &dyn Dialect) -> Arc<Converted> {
        self.tools.definitions(dialect)
    }

    /// Calls a tool with a value.
    pub async fn execute(&self, name: &str, arguments: Value) -> ToolResult {
        let call = Incoming::new(name, Sent::Value(&arguments));
        dispatch(&self.shared, &self.tools, call).await
    }

    /// Calls a tool with the text that the model sent.
    pub async fn execute_text(&self, name: &str, arguments: &str) -> ToolResult {
        let call = Incoming::new(name, Sent::Text(arguments));
        dispatch(&self.shared, &self.tools, call).await
    }

    /// Answers one call as `options` say.
    pub async fn execute_call(&self, call: &ToolCall, options: &CallOptions) -> ToolResult {
        let call = Incoming::of_call(call, options);
        dispatch(&self.shared, &self.tools, call).await
    }

    /// Starts a call on the runtime and returns at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn execute_async(&self, call: ToolCall, options: CallOptions) -> CallHandle {
        let cancellation = options.cancellation.child();
        let options = options.with_cancellation(cancellation.clone());
        let (id, name, snapshot) = (call.id.clone(), call.name.clone(), self.clone());
        let task = tokio::spawn(async move { snapshot.execute_call(&call, &options).await });
        CallHandle::new(id, name, cancellation, task)
    }

    /// Answers the calls of a turn side by side; results come in the order of the calls, one for each.
    ///
    /// Dropping the future stops all calls that still run.
    pub async fn execute_many(
        &self,
        calls: Vec<ToolCall>,
        options: &CallOptions,
    ) -> Vec<ToolResult> {
        let names: Vec<(String, String)> = calls
            .iter()
            .map(|call| (call.id.clone(), call.name.clone()))
            .collect();
        let mut tasks = JoinSet::new();
        let mut places = HashMap::with_capacity(calls.len());
        for (place, call) in calls.into_iter().enumerate() {
            let (snapshot, options) = (self.clone(), options.clone());
            let task = tasks.spawn(async move { snapshot.execute_call(&call, &options).await });
            places.insert(task.id(), place);
        }
        let mut results: Vec<Option<ToolResult>> = names.iter().map(|_| None).collect();
        while let Some(outcome) = tasks.join_next_with_id().await {
            let (task, result) = match outcome {
                Ok((task, result)) => (task, Ok(result)),
                Err(error) => (error.id(), Err(error)),
            };
            let Some(place) = places.get(&task) else {
                continue;
            };
            if let (Some(slot), Some((id, name))) = (results.get_mut(*place), names.get(*place)) {
                *slot = Some(result.unwrap_or_else(|error| lost(id, name, error)));
            }
        }
        let missing =
            |(id, name): &(String, String)| ToolResult::refused(id, name, ToolError::cancelled());
        results
            .into_iter()
            .zip(&names)
            .map(|(result, name)| result.unwrap_or_else(|| missing(name)))
            .collect()
    }

    /// Says what would become of these arguments, without running anything.
    #[must_use]
    pub fn validate(&self, name: &str, arguments: &CallArguments) -> Validation {
        validation(&self.shared.settings, &self.tools, name, arguments)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("tools", &self.tools.names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
