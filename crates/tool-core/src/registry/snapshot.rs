//! The tools of a registry pinned for a turn.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tracing::Instrument;

use super::batch::Batch;
use super::outbox::{ClosedAtEnd, Outbox};
use super::{CallHandle, State};
use crate::catalog::Tools;
use crate::dispatch::{Incoming, Sent, Validation, answer, share_out, validation};
use crate::{
    CallArguments, CallOptions, Converted, Dialect, ProgressSink, Refused, Tool, ToolCall,
    ToolDefinition, ToolResult,
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
    pub(super) state: Arc<State>,
    pub(super) tools: Arc<Tools>,
}

impl Snapshot {
    pub(super) fn new(state: Arc<State>, tools: Arc<Tools>) -> Self {
        Self { state, tools }
    }

    /// The tool called `name`, also when it is switched off.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let slot = self.tools.table().get(name)?;
        Some(Arc::clone(slot.entry.tool()))
    }

    /// The generation of the registry whose tools these are.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.tools.generation()
    }

    /// The tools that a view could not show, each with the reason; empty for a registry.
    #[must_use]
    pub fn left_out(&self) -> &[Refused] {
        self.tools.left_out()
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
        let call = Incoming::new(name, Sent::Own(&arguments));
        let mut result = ToolResult::blank();
        answer(&self.state.shared, &self.tools, &call, &mut result).await;
        result.metadata.parameters.settle(|| arguments);
        result
    }

    /// Calls a tool with the text that the model sent.
    pub async fn execute_text(&self, name: &str, arguments: &str) -> ToolResult {
        let call = Incoming::new(name, Sent::Text(arguments));
        let mut result = ToolResult::blank();
        answer(&self.state.shared, &self.tools, &call, &mut result).await;
        result
    }

    /// Answers one call as `options` say.
    pub async fn execute_call(&self, call: &ToolCall, options: &CallOptions) -> ToolResult {
        let call = Incoming::of_call(call, options);
        let mut result = ToolResult::blank();
        answer(&self.state.shared, &self.tools, &call, &mut result).await;
        result
    }

    /// Starts a call on the runtime and returns at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn execute_async(&self, call: ToolCall, options: CallOptions) -> CallHandle {
        let cancellation = options.cancellation.child();
        let mut options = options.with_cancellation(cancellation.clone());
        let further = options.progress.take();
        let further = further.or_else(|| self.state.shared.settings.progress.clone());
        let outbox = Arc::new(Outbox::new(further));
        options.progress = Some(Arc::clone(&outbox) as Arc<dyn ProgressSink>);
        let closed_at_end = ClosedAtEnd(Arc::clone(&outbox));
        let (id, name, snapshot) = (call.id.clone(), call.name.clone(), self.clone());
        let work = async move {
            let _closed_at_end = closed_at_end;
            snapshot.execute_call(&call, &options).await
        };
        let task = tokio::spawn(work.in_current_span());
        CallHandle::new(id, name, cancellation, outbox, task)
    }

    /// Answers the calls of a turn side by side; results come in the order of the calls, one for each, also where ids
    /// are given twice. Where the registry has a batch limit, the results are cut to it together.
    ///
    /// At most 256 calls are under way at once, or as many as the registry lets run side by side where that is more;
    /// the others wait in order. The token of `options` stops them all, and so does dropping the future.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn execute_many(
        &self,
        calls: Vec<ToolCall>,
        options: &CallOptions,
    ) -> Vec<ToolResult> {
        let parallel = self.state.shared.gate.parallel();
        let batch = Batch::new(self.clone(), calls, options);
        let mut results = batch.execute(parallel).await;
        if let Some(limit) = self.state.shared.settings.batch_limit {
            share_out(&mut results, limit);
        }
        results
    }

    /// Says what would become of these arguments, without running anything.
    #[must_use]
    pub fn validate(&self, name: &str, arguments: &CallArguments) -> Validation {
        validation(&self.state.shared.settings, &self.tools, name, arguments)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("tools", &self.tools.names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
