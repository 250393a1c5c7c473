//! Calls of a run that wait for approval, and agents among them that wait with their own calls.

use std::sync::Arc;

use provider_adapters::{Message, ToolMessage};
use serde_json::Value;
use tool_core::approval::{Answer, ApprovalRequest, Decision};
use tool_core::ledger::CallKey;
use tool_core::{Arguments, CallOptions, Extensions, Registry, ToolContext, ToolResult};

use crate::ending::End;
use crate::locked::locked;
use crate::run::Run;
use crate::suspended::{RUN, SuspendedAgent, request_of};
use crate::{EventKind, Status, Suspended};

impl Run<'_> {
    /// Restores a suspended run and executes the decided calls.
    pub(crate) async fn restore(
        &mut self,
        suspended: Suspended,
        decisions: &[Decision],
    ) -> Result<(), End> {
        self.conversation.transcript = suspended.transcript;
        self.spent.usage = suspended.usage;
        self.spent
            .budget
            .spend_own(&self.spent.usage.tokens(), self.spent.usage.cost);
        self.calls.waiting = suspended.agents;
        // The calls that continue agents may suspend them again.
        self.calls.suspends |= !self.calls.waiting.is_empty();
        let tools = self.tools();
        let mut results = suspended.results;
        for result in &mut results {
            if let Some(agent) = self.decided_agent(result, decisions) {
                *result = self.resume_agent(agent, decisions, &tools).await;
                continue;
            }
            let Some(request) = request_of(result).cloned() else {
                continue;
            };
            if let Some(decision) = decisions.iter().find(|decision| decision.is_for(&request)) {
                *result = self.decided(&request, decision, &tools).await;
            }
        }
        self.finish_calls(results, &tools).await
    }

    async fn decided(
        &mut self,
        request: &ApprovalRequest,
        decision: &Decision,
        tools: &Registry,
    ) -> ToolResult {
        let options = self.call_options();
        let result = tools.resume(request, decision, &options).await;
        self.add_usage_of_agent(&result);
        self.emit(EventKind::CallFinished { result: &result });
        result
    }

    /// Appends the results, or suspends the run if a call waits for approval.
    pub(crate) async fn finish_calls(
        &mut self,
        results: Vec<ToolResult>,
        tools: &Registry,
    ) -> Result<(), End> {
        self.keep_suspended_agents(&results, tools);
        let waits = results.iter().any(|result| request_of(result).is_some())
            || !self.calls.waiting.is_empty()
            || self.ended_as(Status::AwaitingApproval);
        // Don't append the results that exist: providers reject a reply of which only some calls have a result.
        if waits && self.calls.suspends {
            return Err(End::AwaitingApproval(Box::new(Suspended {
                run: self.scope.run.as_ref().to_owned(),
                transcript: self.conversation.transcript.clone(),
                results,
                usage: self.spent.usage,
                agents: std::mem::take(&mut self.calls.waiting),
            })));
        }
        self.push(Message::tool(results.iter().map(ToolMessage::from)))
            .await
    }

    pub(crate) fn call_options(&self) -> CallOptions {
        let mut options = CallOptions::default()
            .with_cancellation(self.cancellation.child())
            .with_scope(&*self.scope.run);
        options.progress = self.scope.progress_sink(self.spent.usage.turns);
        options.extensions = self.extensions_of_calls();
        // Sub-agents without an approver use it.
        let own = self.agent.registry.approver();
        options.fallback_approver = own.or_else(|| self.calls.approver.clone());
        options.parent_id = self.scope.parent_call.as_deref().map(str::to_owned);
        options
    }

    /// Returns the values of the host, and those that sub-agents require.
    fn extensions_of_calls(&self) -> Option<Arc<Extensions>> {
        if !self.calls.suspends && !self.spent.budget.is_limited() {
            return self.calls.extensions.clone();
        }
        // Extensions of a call replace those of the registry, so start with a copy of them.
        let registry = self.agent.registry.extensions();
        let own = self.calls.extensions.as_deref().or(registry);
        let mut extensions = own.cloned().unwrap_or_default();
        if self.spent.budget.is_limited() {
            extensions = extensions.with(Arc::clone(&self.spent.budget));
        }
        if self.calls.suspends {
            extensions = extensions.with(Arc::clone(&self.calls.agents));
        }
        Some(Arc::new(extensions))
    }
}

impl Run<'_> {
    /// Keeps the runs that the calls with these results suspended.
    fn keep_suspended_agents(&mut self, results: &[ToolResult], tools: &Registry) {
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
        let mut request = ApprovalRequest::new(&result.id, tool.definition(), arguments, plan);
        // The ledger contains the suspended call, which must not run again without its state.
        let key = CallKey::new(&*self.scope.run, request.id.as_str());
        request.call_key = Some(key);
        Some(request)
    }

    /// Returns the suspended run of the call if a request of the run has a decision.
    fn decided_agent(
        &mut self,
        result: &ToolResult,
        decisions: &[Decision],
    ) -> Option<SuspendedAgent> {
        let run = run_of(result)?;
        let is_decided = self.calls.waiting.get(run)?.is_decided(decisions);
        is_decided.then(|| self.calls.waiting.remove(run))?
    }

    /// Executes the call of a suspended run again, which continues the run.
    async fn resume_agent(
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
