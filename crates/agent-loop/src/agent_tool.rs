//! Runs as tools of other runs.

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{
    Arguments, CallPlan, ErrorCode, PreparedCall, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput,
};

use crate::budget::SharedBudget;
use crate::suspended::{AgentCalls, RUN};
use crate::{AgentLoop, RunOutcome, Status, TotalUsage};

/// Key of the child's usage in the metadata of a result.
pub(crate) const USAGE: &str = "agent_usage";

/// Tool that runs an [`AgentLoop`].
#[derive(Debug)]
struct AgentTool {
    agent: AgentLoop,
    definition: ToolDefinition,
}

impl AgentLoop {
    /// Returns a tool that runs this loop.
    ///
    /// The task is the argument `task`, or all arguments as JSON if there are others. The answer is
    /// the output; a run with another status fails the call. Cancelling the call cancels the run,
    /// and the events of the run contain the ID of the call. If the registry of this loop has no
    /// approver, the approver of the parent run decides about its calls. If the parent run suspends
    /// ([`wait_for_approvals`](Self::wait_for_approvals)), this run suspends with it. Tokens and cost
    /// of the run count toward the budget of a parent run; both runs check it before each turn.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
    /// use serde_json::json;
    /// use tool_core::{Registry, ToolDefinition};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
    /// let gardener = AgentLoop::new(Registry::new(), ScriptedModel::new([ModelReply::text("Watered.")]));
    /// let schema = json!({"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]});
    /// let definition = ToolDefinition::new("ask_gardener", "Passes a task to the gardener.", schema);
    /// let tools = Registry::of(gardener.as_tool(definition))?;
    ///
    /// let result = tools.execute("ask_gardener", json!({"task": "Water the tulips."})).await;
    /// assert_eq!(result.text(), "Watered.");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn as_tool(self, definition: ToolDefinition) -> impl Tool + 'static {
        let name = self.name.clone();
        let name = name.unwrap_or_else(|| definition.name().to_string());
        let mut agent = self.named(name);
        // The user talks to the parent.
        agent.registry = agent.registry.without_interactive();
        AgentTool { agent, definition }
    }
}

impl Tool for AgentTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition.risk());
        Ok(PreparedCall::new(plan, self.execute(cx, arguments)))
    }
}

impl AgentTool {
    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let calls = cx.extension::<Arc<AgentCalls>>();
        let mut earlier = TotalUsage::default();
        let run = match calls.and_then(|calls| calls.take_resumed()) {
            Some((suspended, decisions)) => {
                // The parent has counted the first part of this run already, so only the rest is reported below.
                earlier = suspended.usage;
                self.agent.resume_with(suspended, decisions)
            }
            None => self.agent.run(task(&arguments.to_value())),
        };
        let mut run = run.cancellation(cx.cancellation().child());
        run.parent_suspends = calls.is_some();
        // A sub-agent without an approver would deny everything that its parent could have approved.
        run.approver = cx.approver().cloned();
        run.parent_budget = cx.extension::<Arc<SharedBudget>>().cloned();
        run.parent_call = Some(cx.call_id().into());
        let mut outcome = run.await;
        // In the metadata, because the model must not see it, and a suspended call has no output.
        cx.note(USAGE, json!(outcome.usage.since(&earlier)));
        match (calls, outcome.suspended.take()) {
            (Some(calls), Some(suspended)) => {
                cx.note(RUN, json!(outcome.run));
                calls.suspend(*suspended);
                Err(pending())
            }
            _ => output(outcome),
        }
    }
}

fn task(arguments: &Value) -> String {
    let only = arguments
        .as_object()
        .filter(|members| members.len() == 1)
        .and_then(|members| members.get("task")?.as_str());
    only.map_or_else(|| arguments.to_string(), str::to_owned)
}

fn pending() -> ToolError {
    ToolError::new(
        ErrorCode::ApprovalPending,
        "A call of the agent waits for approval",
    )
    .suggest("Do not repeat this call; its result follows after the decision.")
}

fn output(outcome: RunOutcome) -> Result<ToolOutput, ToolError> {
    match (outcome.status, outcome.reply) {
        (Status::Completed | Status::Stopped, answer) => {
            Ok(ToolOutput::text(answer.unwrap_or_default()))
        }
        (Status::Cancelled, _) => Err(ToolError::cancelled()),
        (status, Some(answer)) => {
            let text =
                format!("The agent ended with the status `{status}`. Its last answer is: {answer}");
            // Reworded, because a new error would append a period to the answer.
            Err(ToolError::failed("").reworded(ErrorCode::Failed, text))
        }
        (status, None) => {
            let error = ToolError::failed(format!("The agent ended with the status `{status}`"));
            let error = error.suggest("Pass a smaller task.");
            Err(match outcome.error {
                Some(cause) => error.caused_by(cause),
                None => error,
            })
        }
    }
}
