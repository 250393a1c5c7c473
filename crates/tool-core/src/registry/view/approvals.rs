//! Decisions about the calls of a view.

use super::View;
use crate::approval::{ApprovalRequest, Decision, Explanation, PendingApprovals, PendingError};
use crate::{CallArguments, CallOptions, ToolError, ToolResult};

impl View {
    /// Says what the policy makes of a call, as [`Registry::explain`](crate::Registry::explain) does.
    ///
    /// # Errors
    /// Those of a call that does not come as far as the policy.
    pub fn explain(&self, name: &str, arguments: &CallArguments) -> Result<Explanation, ToolError> {
        self.snapshot().explain(name, arguments)
    }

    /// Answers a call of this view that waits for approval, as [`Registry::resume`](crate::Registry::resume) does for
    /// one of its own. A request names the tool as the view showed it, and the registry does not know that name.
    pub async fn resume(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        options: &CallOptions,
    ) -> ToolResult {
        let tools = self.snapshot_of(options);
        tools.resume(request, decision, options).await
    }

    /// Takes the request that the decision is for out of `pending`, and answers its call as [`View::resume`] does.
    ///
    /// # Errors
    /// [`PendingError`] where no such request waits, the decision does not answer it, or the store fails.
    pub async fn answer(
        &self,
        pending: &dyn PendingApprovals,
        decision: &Decision,
        options: &CallOptions,
    ) -> Result<ToolResult, PendingError> {
        let tools = self.snapshot_of(options);
        tools.answer(pending, decision, options).await
    }
}
