//! Runs that wait for approvals.

use provider_adapters::Transcript;
use serde::{Deserialize, Serialize};
use tool_core::ToolResult;
use tool_core::approval::{ApprovalRequest, Outcome};

use crate::TotalUsage;

/// Behavior of a run if a call waits for approval.
///
/// # Examples
/// ```
/// use agent_loop::ApprovalWait;
///
/// assert_eq!(ApprovalWait::default(), ApprovalWait::Continue);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ApprovalWait {
    /// The model receives `approval_pending` and continues.
    #[default]
    Continue,
    /// The run stops with [`Status::AwaitingApproval`](crate::Status::AwaitingApproval).
    Suspend,
}

/// Run that waits for approvals. Serialize it to resume the run in another process.
///
/// It contains the conversation and can start its calls, so store it where only the host can write.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ApprovalWait, ModelReply, ScriptedModel, Status, Suspended};
/// use serde_json::json;
/// use tool_core::approval::{Answer, Decision, approver_fn};
/// use tool_core::{Registry, RiskLevel, ToolCall, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Nothing {}
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let send = tool_fn("send", "Sends.", |_, _: Nothing| async { Ok("sent") }).risk(RiskLevel::Dangerous);
/// let registry = Registry::builder().approver(approver_fn(|_| Answer::Suspend)).tool(send)?.build();
/// let model = ScriptedModel::new([
///     ModelReply::calls([ToolCall::new("send", json!({}))]),
///     ModelReply::text("It is sent."),
/// ]);
/// let agent = AgentLoop::new(registry, model).wait_for_approvals(ApprovalWait::Suspend);
/// let outcome = agent.run("Send it.").await;
/// assert_eq!(outcome.status, Status::AwaitingApproval);
///
/// let stored = serde_json::to_string(&outcome.suspended)?;
/// let suspended: Suspended = serde_json::from_str(&stored)?;
/// let decisions = suspended.requests().map(|request| Decision::new(request, Answer::Approve)).collect();
/// let outcome = agent.resume_with(suspended, decisions).await;
/// assert_eq!(outcome.answer.as_deref(), Some("It is sent."));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspended {
    pub(crate) run: String,
    /// Conversation that ends with the reply whose calls wait.
    pub(crate) transcript: Transcript,
    /// Results of all calls of that reply.
    pub(crate) results: Vec<ToolResult>,
    pub(crate) usage: TotalUsage,
}

impl Suspended {
    /// Returns the requests that wait for a decision.
    pub fn requests(&self) -> impl Iterator<Item = &ApprovalRequest> {
        self.results.iter().filter_map(request_of)
    }
}

/// Returns the request of a call that waits for approval.
pub(crate) fn request_of(result: &ToolResult) -> Option<&ApprovalRequest> {
    let approval = result.metadata.approval.as_ref()?;
    let request = approval.request.as_deref();
    request.filter(|_| approval.outcome == Outcome::Pending)
}
