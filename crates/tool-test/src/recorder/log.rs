//! A list of calls that tests look at.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tool_core::middleware::{Call, Middleware, Next};
use tool_core::{Arguments, ToolContext, ToolError, ToolOutput};

use super::{Called, RecordedCall};

/// Calls that a failed assertion lists.
const MOST_LISTED: usize = 50;

/// Remembers every call that comes to run, as middleware of a registry or inside of a
/// [`ScriptedTool`](crate::ScriptedTool). Clones are one record.
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
/// assert_eq!(recorder.calls()[0].to_string(), r#"read_file {"path":"a"} gave 3 bytes"#);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recorder(Arc<Mutex<List>>);

#[derive(Debug, Default)]
struct List {
    calls: Vec<RecordedCall>,
    /// How many calls were made before those, so that a call that still runs keeps its number.
    forgotten: usize,
}

impl Recorder {
    /// Creates a record of no calls.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The calls so far, in the order in which they came to run.
    #[must_use]
    pub fn calls(&self) -> Vec<RecordedCall> {
        self.list().calls.clone()
    }

    /// Forgets the calls so far.
    pub fn clear(&self) {
        let mut list = self.list();
        list.forgotten += list.calls.len();
        list.calls.clear();
    }

    /// Stops the test unless the tool was called; what comes back says more about these calls.
    ///
    /// # Panics
    /// With the list of what was called instead.
    #[track_caller]
    #[expect(
        clippy::must_use_candidate,
        reason = "it asserts even when nothing more is said"
    )]
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
            but(&calls)
        );
        Called::new(tool, of_tool)
    }

    /// Stops the test if the tool was called.
    ///
    /// # Panics
    /// With the list of these calls.
    #[track_caller]
    pub fn assert_not_called(&self, tool: &str) {
        let mut calls = self.calls();
        calls.retain(|call| call.tool == tool);
        assert!(calls.is_empty(), "`{tool}` was called{}", but(&calls));
    }

    /// Stops the test unless exactly these tools were called, in this order.
    ///
    /// # Panics
    /// With the list of what was called instead.
    #[track_caller]
    pub fn assert_order(&self, tools: &[&str]) {
        let calls = self.calls();
        let called: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
        assert!(
            called == tools,
            "the calls were not those of {}{}",
            tools.join(", "),
            but(&calls)
        );
    }

    /// Adds a call that begins, and gives its number.
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

/// What stands under a failed assertion: the calls that were made.
pub(super) fn but(calls: &[RecordedCall]) -> String {
    if calls.is_empty() {
        return "; there were no calls".to_owned();
    }
    let mut text = String::from("; there were these calls:");
    for (index, call) in calls.iter().take(MOST_LISTED).enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n  {}. {call}", index + 1);
    }
    if calls.len() > MOST_LISTED {
        let _ = write!(text, "\n  and {} more", calls.len() - MOST_LISTED);
    }
    text
}
