//! Calls of a run that wait for approval.

use std::sync::Arc;

use provider_adapters::{Message, ToolAnswer};
use tool_core::approval::{ApprovalRequest, Decision};
use tool_core::{CallOptions, Registry, ToolResult};

use crate::ending::End;
use crate::run::Run;
use crate::shared_budget::ParentBudget;
use crate::suspended::request_of;
use crate::{ApprovalWait, EventKind, Suspended};

impl Run<'_> {
    /// Restores a suspended run and executes the decided calls.
    pub(crate) async fn restore(
        &mut self,
        suspended: Suspended,
        decisions: &[Decision],
    ) -> Result<(), End> {
        self.transcript = suspended.transcript;
        self.usage = suspended.usage;
        self.budget.spend(&self.usage.tokens(), self.usage.cost);
        let tools = self.tools();
        let mut results = suspended.results;
        for result in &mut results {
            let Some(request) = request_of(result).cloned() else {
                continue;
            };
            if let Some(decision) = decisions.iter().find(|decision| decision.is_for(&request)) {
                *result = self.decided(&request, decision, &tools).await;
            }
        }
        self.finish_calls(results).await
    }

    async fn decided(
        &mut self,
        request: &ApprovalRequest,
        decision: &Decision,
        tools: &Registry,
    ) -> ToolResult {
        let options = self.call_options();
        let result = tools.resume(request, decision, &options).await;
        self.tell(EventKind::CallFinished { result: &result });
        result
    }

    /// Appends the results, or suspends the run if a call waits for approval.
    pub(crate) async fn finish_calls(&mut self, results: Vec<ToolResult>) -> Result<(), End> {
        let waits = results.iter().any(|result| request_of(result).is_some());
        if waits && self.agent.approval_wait == ApprovalWait::Suspend {
            return Err(End::AwaitingApproval(Box::new(Suspended {
                run: self.scope.run.as_ref().to_owned(),
                transcript: self.transcript.clone(),
                results,
                usage: self.usage,
            })));
        }
        self.push(Message::tool(results.iter().map(ToolAnswer::from)))
            .await
    }

    pub(crate) fn call_options(&self) -> CallOptions {
        let mut options = CallOptions::default()
            .with_cancellation(self.cancellation.child())
            .with_scope(&*self.scope.run);
        options.progress = self.scope.progress_sink(self.usage.turns);
        options.extensions.clone_from(&self.extensions);
        // Sub-agents share the limits.
        if self.budget.is_limited() {
            let registry = self.agent.registry.extensions();
            let own = self.extensions.as_deref().or(registry);
            let budget = ParentBudget(Arc::clone(&self.budget));
            options.extensions = Some(Arc::new(own.cloned().unwrap_or_default().with(budget)));
        }
        // Sub-agents without an approver use it.
        options.fallback_approver = self
            .agent
            .registry
            .approver()
            .or_else(|| self.approver.clone());
        options.parent_id = self.scope.parent_call.as_deref().map(str::to_owned);
        options
    }
}
