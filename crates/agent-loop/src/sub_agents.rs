//! Calls of a run that run agents, and wait for approval with them.

use serde_json::Value;
use tool_core::approval::{Answer, ApprovalRequest, Decision};
use tool_core::ledger::CallKey;
use tool_core::{Arguments, Registry, ToolContext, ToolResult};

use crate::agent_calls::RUN;
use crate::locked::locked;
use crate::run::Run;
use crate::suspended::SuspendedAgent;

impl Run<'_> {
    /// Keeps the runs that the calls with these results suspended.
    pub(crate) fn keep_suspended_agents(&mut self, results: &[ToolResult], tools: &Registry) {
        let suspended = std::mem::take(&mut *locked(&self.calls.agents.suspended));
        for run in suspended {
            let result = results.iter().find(|it| run_of(it) == Some(&run.run));
            let call = result.and_then(|result| self.repeated_call(result, tools));
            if let Some(call) = call {
                let agent = SuspendedAgent { call, run };
                self.calls.waiting.insert(agent.run.run.clone(), agent);
            }
        }
    }

    /// Returns the request that allows the call of a suspended run to run again.
    fn repeated_call(&self, result: &ToolResult, tools: &Registry) -> Option<ApprovalRequest> {
        let tool = tools.get(&result.metadata.tool_name)?;
        let arguments = result.metadata.parameters.to_value();
        let cx = ToolContext::new(&*result.id, tool.definition().name());
        let again = Arguments::from_value(arguments.clone());
        let plan = tool.prepare(&cx, &again).ok()?.plan;
        let mut request = ApprovalRequest::new(&result.id, tool.definition(), arguments, plan)?;
        // The ledger contains the suspended call, which must not run again without its state.
        let key = CallKey::new(&*self.scope.run, request.id.as_str());
        request.call_key = Some(key);
        Some(request)
    }

    /// Returns the suspended run of the call if a request of the run has a decision.
    pub(crate) fn decided_agent(
        &mut self,
        result: &ToolResult,
        decisions: &[Decision],
    ) -> Option<SuspendedAgent> {
        let run = run_of(result)?;
        let is_decided = self.calls.waiting.get(run)?.is_decided(decisions);
        is_decided.then(|| self.calls.waiting.remove(run))?
    }

    /// Executes the call of a suspended run again, which continues the run.
    pub(crate) async fn resume_agent(
        &mut self,
        agent: SuspendedAgent,
        decisions: &[Decision],
        tools: &Registry,
    ) -> ToolResult {
        let SuspendedAgent { call, run } = agent;
        *locked(&self.calls.agents.resumed) = Some((run, decisions.to_vec()));
        let result = self
            // The call itself was approved before its run was suspended.
            .decided(&call, &Decision::new(&call, Answer::Approve), tools)
            .await;
        // The call may be rejected before it runs.
        *locked(&self.calls.agents.resumed) = None;
        result
    }
}

/// Returns the ID of the suspended run of a call.
fn run_of(result: &ToolResult) -> Option<&str> {
    result.metadata.extra.get(RUN).and_then(Value::as_str)
}
