//! Calls of a run that wait for approval.

use std::sync::Arc;

use provider_adapters::{Message, ToolMessage};
use tool_core::approval::{ApprovalRequest, Decision};
use tool_core::{CallOptions, Extensions, Registry, ToolResult};

use crate::ending::End;
use crate::run::Run;
use crate::suspended::request_of;
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

    pub(crate) async fn decided(
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
