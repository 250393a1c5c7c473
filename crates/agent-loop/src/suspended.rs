//! Runs that wait for approvals.

use std::collections::BTreeMap;
use std::sync::Mutex;

use provider_adapters::Transcript;
use serde::{Deserialize, Serialize};
use tool_core::ToolResult;
use tool_core::approval::{ApprovalRequest, Decision, Outcome};

use crate::TotalUsage;
use crate::locked::locked;

/// Behavior of a run if a call waits for approval. A run that suspends also suspends the runs that are its tools.
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
/// It contains the conversation and can start its calls, so store it where only the host can write. Suspended runs of
/// [agents as tools](crate::AgentLoop::as_tool) are part of it.
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
/// assert_eq!(outcome.reply.as_deref(), Some("It is sent."));
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
    /// Suspended runs of the calls that run agents, by the ID of the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) agents: BTreeMap<String, SuspendedAgent>,
}

/// Suspended run of a call that runs an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SuspendedAgent {
    /// Binds the call that continues the run to the definition and the arguments of the first one.
    pub(crate) call: ApprovalRequest,
    pub(crate) run: Suspended,
}

impl Suspended {
    /// Returns the requests that wait for a decision, then the requests of agents that are tools of the run.
    pub fn requests(&self) -> impl Iterator<Item = &ApprovalRequest> {
        let own = self.results.iter().filter_map(request_of);
        let agents = self.agents.values().flat_map(SuspendedAgent::requests);
        own.chain(agents)
    }
}

impl SuspendedAgent {
    // Boxed, because agents are nested.
    fn requests(&self) -> Box<dyn Iterator<Item = &ApprovalRequest> + '_> {
        Box::new(self.run.requests())
    }

    /// Returns whether a request has a decision.
    pub(crate) fn is_decided(&self, decisions: &[Decision]) -> bool {
        let is_decided = |request: &ApprovalRequest| decisions.iter().any(|it| it.is_for(request));
        self.run.requests().any(is_decided)
    }
}

/// Returns the request of a call that waits for approval.
pub(crate) fn request_of(result: &ToolResult) -> Option<&ApprovalRequest> {
    let approval = result.metadata.approval.as_ref()?;
    let request = approval.request.as_deref();
    // A decided request stays in the metadata, and must not be asked again.
    request.filter(|_| approval.outcome == Outcome::Pending)
}

/// Key of the ID of a suspended run in the metadata of a result.
pub(crate) const RUN: &str = "agent_run";

/// Runs that calls of the calling run suspend or continue. An extension for tools that are runs, if
/// the calling run suspends.
#[derive(Debug, Default)]
pub(crate) struct AgentCalls {
    pub(crate) suspended: Mutex<Vec<Suspended>>,
    /// Run that the next call continues.
    pub(crate) resumed: Mutex<Option<(Suspended, Vec<Decision>)>>,
}

impl AgentCalls {
    /// Passes a suspended run to the calling run.
    pub(crate) fn suspend(&self, run: Suspended) {
        locked(&self.suspended).push(run);
    }

    /// Returns the run that this call continues.
    pub(crate) fn take_resumed(&self) -> Option<(Suspended, Vec<Decision>)> {
        locked(&self.resumed).take()
    }
}
