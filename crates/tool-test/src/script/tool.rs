//! Scripted tool.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tool_core::{
    Arguments, CallPlan, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput,
};

use super::Step;
use crate::Recorder;

/// Tool that runs one step of its script per call and records its calls. Clones share their script
/// and record.
///
/// A call after the last step fails. By default, the tool is read-only and accepts any object.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_test::{ScriptedTool, Step};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let search = ScriptedTool::new("search", [Step::gives("2 hits"), Step::panics("a fault")]);
/// let registry = Registry::of(search.clone())?;
///
/// assert_eq!(registry.execute("search", json!({"query": "fn"})).await.to_string(), "2 hits");
/// assert!(!registry.execute("search", json!({"query": "impl"})).await.success);
/// search.calls().assert_called("search").with(json!({"query": "fn"}));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ScriptedTool {
    definition: ToolDefinition,
    steps: Arc<Mutex<VecDeque<Step>>>,
    calls: Recorder,
}

impl ScriptedTool {
    /// Creates a read-only tool that runs these steps.
    #[must_use]
    pub fn new(name: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        let definition = ToolDefinition::new(name, "Follows a script.", json!({"type": "object"}));
        Self::with_definition(definition.with_risk(RiskLevel::ReadOnly), steps)
    }

    /// Creates a tool with a custom definition, for tests of schemas, hints and timeouts.
    #[must_use]
    pub fn with_definition(
        definition: ToolDefinition,
        steps: impl IntoIterator<Item = Step>,
    ) -> Self {
        Self {
            definition,
            steps: Arc::new(Mutex::new(steps.into_iter().collect())),
            calls: Recorder::new(),
        }
    }

    /// Sets the risk level.
    #[must_use]
    pub fn risk(mut self, risk: RiskLevel) -> Self {
        self.definition = self.definition.with_risk(risk);
        self
    }

    /// Returns the recorder of the calls that reached the tool.
    #[must_use]
    pub fn calls(&self) -> &Recorder {
        &self.calls
    }

    /// Returns the number of remaining steps.
    #[must_use]
    pub fn steps_left(&self) -> usize {
        self.steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    fn next(&self) -> Option<Step> {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.pop_front()
    }
}

impl ScriptedTool {
    async fn run(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let step = self.next();
        let number = self.calls.begin(cx, arguments);
        let outcome = match step {
            Some(step) => step.run(cx).await,
            None => Err(ToolError::failed("The script has no step for this call")),
        };
        self.calls.end(number, &outcome);
        outcome
    }
}

impl Tool for ScriptedTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition.risk());
        Ok(PreparedCall::new(plan, self.run(cx, arguments)))
    }
}

impl fmt::Debug for ScriptedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedTool")
            .field("name", &self.definition.name())
            .field("steps_left", &self.steps_left())
            .finish_non_exhaustive()
    }
}
