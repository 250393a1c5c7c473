//! Recorder of calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tool_core::middleware::{Call, Middleware, Next};
use tool_core::{Arguments, ToolContext, ToolError, ToolOutput};

use super::call::listed;
use super::{Called, RecordedCall};

/// Recorder of the executed calls of a registry, as middleware, or of a
/// [`ScriptedTool`](crate::ScriptedTool). Clones share their record.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_test::{Recorder, ScriptedTool, Step};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let recorder = Recorder::new();
/// let read = ScriptedTool::new("read_file", [Step::gives("one"), Step::gives("two")]);
/// let registry = Registry::builder().middleware(recorder.clone()).tool(read)?.build();
///
/// registry.execute("read_file", json!({"path": "a"})).await;
/// registry.execute("read_file", json!({"path": "b"})).await;
///
/// recorder.assert_called("read_file").times(2).with(json!({"path": "b"})).once();
/// recorder.assert_not_called("write_file");
/// assert_eq!(recorder.calls()[0].to_string(), r#"read_file {"path":"a"} returned 3 bytes"#);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recorder(Arc<Mutex<List>>);

#[derive(Debug, Default)]
struct List {
    calls: Vec<RecordedCall>,
    /// Number of removed calls, so that calls that still run keep their number.
    forgotten: usize,
}

impl Recorder {
    /// Creates an empty recorder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the calls so far, in the order in which they started.
    #[must_use]
    pub fn calls(&self) -> Vec<RecordedCall> {
        self.list().calls.clone()
    }

    /// Removes all recorded calls.
    pub fn clear(&self) {
        let mut list = self.list();
        list.forgotten += list.calls.len();
        list.calls.clear();
    }

    /// Asserts that the tool was called, and returns its calls for further assertions.
    ///
    /// # Panics
    /// Panics with a list of all calls if the tool was not called.
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "assertions can end a chain")]
    pub fn assert_called(&self, tool: &str) -> Called {
        let calls = self.calls();
        let of_tool: Vec<RecordedCall> = calls
            .iter()
            .filter(|call| call.tool == tool)
            .cloned()
            .collect();
        assert!(
            !of_tool.is_empty(),
            "`{tool}` was not called{}",
            listed(&calls)
        );
        Called::new(tool, of_tool)
    }

    /// Asserts that the tool was not called.
    ///
    /// # Panics
    /// Panics with a list of the tool's calls if there are any.
    #[track_caller]
    pub fn assert_not_called(&self, tool: &str) {
        let mut calls = self.calls();
        calls.retain(|call| call.tool == tool);
        assert!(calls.is_empty(), "`{tool}` was called{}", listed(&calls));
    }

    /// Asserts that exactly these tools were called, in this order.
    ///
    /// # Panics
    /// Panics with a list of all calls if the tools or their order differ.
    #[track_caller]
    pub fn assert_order(&self, tools: &[&str]) {
        let calls = self.calls();
        let called: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
        assert!(
            called == tools,
            "the calls were not {}{}",
            tools.join(", "),
            listed(&calls)
        );
    }

    /// Adds a started call and returns its number.
    pub(crate) fn begin(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> usize {
        let mut list = self.list();
        list.calls.push(RecordedCall {
            id: cx.call_id().to_owned(),
            tool: cx.tool_name().to_owned(),
            arguments: arguments.to_value(),
            outcome: None,
        });
        list.forgotten + list.calls.len() - 1
    }

    pub(crate) fn end(&self, number: usize, outcome: &Result<ToolOutput, ToolError>) {
        let mut list = self.list();
        let place = number.checked_sub(list.forgotten);
        if let Some(call) = place.and_then(|place| list.calls.get_mut(place)) {
            call.end(outcome);
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Middleware for Recorder {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let number = self.begin(call.context(), call.arguments());
        let outcome = next.run(call).await;
        self.end(number, &outcome);
        outcome
    }
}
