//! The policy of a registry, and decisions that come later.

use std::sync::Arc;

use super::{Registry, Snapshot};
use crate::approval::{
    Answer, ApprovalRequest, Decided, Decision, Explanation, PendingApprovals, PendingError, Policy,
};
use crate::dispatch::explanation;
use crate::{CallArguments, CallOptions, ToolCall, ToolError, ToolResult};

impl Registry {
    /// The policy that holds now.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.0.shared.policy.load().policy().clone()
    }

    /// Replaces the policy; calls that come from now on are judged by it, and what it denies does not run when an approver
    /// that was asked before answers. [`Registry::edit_policy`] changes the one that
    /// holds.
    pub fn set_policy(&self, policy: Policy) {
        self.0.shared.policy.edit(|current| *current = policy);
    }

    /// Changes the policy that holds, and gives back what `change` gives. Two edits at once, or one and an approver's
    /// "always", follow each other, so that none is lost.
    ///
    /// `change` must not edit the policy of this registry itself: that would wait for itself.
    ///
    /// # Examples
    /// ```
    /// use tool_core::Registry;
    /// use tool_core::approval::{Effect, Rule};
    ///
    /// let registry = Registry::new();
    /// registry.edit_policy(|policy| policy.rules.push(Rule::new("no-shell", "bash", Effect::Deny)));
    /// assert_eq!(registry.policy().rules.len(), 1);
    /// registry.edit_policy(|policy| policy.rules.retain(|rule| rule.id != "no-shell"));
    /// assert_eq!(registry.policy_generation(), 3);
    /// ```
    pub fn edit_policy<R>(&self, change: impl FnOnce(&mut Policy) -> R) -> R {
        self.0.shared.policy.edit(change)
    }

    /// The number of the policy that holds: 1 for the first, and one more with each change. A host that keeps the policy
    /// in a file compares it with the number it saved, or is told by
    /// [`RegistryBuilder::on_policy_change`](crate::RegistryBuilder::on_policy_change).
    #[must_use]
    pub fn policy_generation(&self) -> u64 {
        self.0.shared.policy.generation()
    }

    /// Says what the policy makes of a call, by which rule, and what became of the other rules about the tool. Runs the
    /// steps up to the policy and nothing else: nobody is asked and the tool does not run.
    ///
    /// # Errors
    /// Those of a call that does not come as far as the policy: an unknown tool, arguments that do not fit, a check of
    /// the tool that refuses them.
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::Verdict;
    /// use tool_core::{CallArguments, Registry, RiskLevel, tool_fn};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Input { path: String }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let delete = tool_fn("delete", "Deletes.", |_, input: Input| async move { Ok(input.path) });
    /// let registry = Registry::of(delete.risk(RiskLevel::Dangerous))?;
    /// let explanation = registry.explain("delete", &CallArguments::from(r#"{"path": "a"}"#))?;
    /// assert_eq!(explanation.verdict, Verdict::Ask);
    /// assert_eq!(explanation.arguments, r#"{"path":"a"}"#);
    /// # Ok(()) }
    /// ```
    pub fn explain(&self, name: &str, arguments: &CallArguments) -> Result<Explanation, ToolError> {
        self.snapshot().explain(name, arguments)
    }

    /// Answers a call that waits for approval, with the decision that somebody made meanwhile.
    ///
    /// The call goes through all steps again. What runs is what was asked about: where the tool's definition, the risk or
    /// the arguments are no longer those of the request, where the decision is for another request, comes too late or was used
    /// before, the result is `approval_denied`. A rule that denies by now goes above the decision; one that allows does
    /// not. [`Answer::Edit`] is validated like any arguments. The result carries the id of the call, and the tool's own
    /// name.
    ///
    /// This registry remembers the last 10,000 requests that were decided; beyond one process only the store can tell
    /// whether a request was decided before, see [`Registry::answer`]. A request must be one that this host made: it comes
    /// from the host's own store, or from [`ApprovalKey::open`](crate::approval::ApprovalKey::open).
    ///
    /// # Examples
    /// See [`suspend_to`](crate::approval::suspend_to).
    pub async fn resume(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        options: &CallOptions,
    ) -> ToolResult {
        self.snapshot().resume(request, decision, options).await
    }

    /// Takes the request that the decision is for out of `pending`, and answers its call as [`Registry::resume`] does.
    ///
    /// # Errors
    /// [`PendingError`] where no such request waits, the decision does not answer it, or the store fails.
    ///
    /// # Examples
    /// See [`suspend_to`](crate::approval::suspend_to).
    pub async fn answer(
        &self,
        pending: &dyn PendingApprovals,
        decision: &Decision,
        options: &CallOptions,
    ) -> Result<ToolResult, PendingError> {
        self.snapshot().answer(pending, decision, options).await
    }
}

/// For the tools of a view, which a call that waits knows by the names of the view.
impl Snapshot {
    /// As [`Registry::explain`], for the tools of this snapshot.
    ///
    /// # Errors
    /// Those of a call that does not come as far as the policy.
    pub fn explain(&self, name: &str, arguments: &CallArguments) -> Result<Explanation, ToolError> {
        explanation(&self.state.shared, &self.tools, name, arguments)
            .map_err(|error| error.with_tool_name(name))
    }

    /// As [`Registry::resume`], for the tools of this snapshot.
    pub async fn resume(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        options: &CallOptions,
    ) -> ToolResult {
        let call = ToolCall::new(request.tool.as_str(), request.arguments.clone())
            .with_id(request.call_id.as_str());
        let mut options = options.clone();
        options.decided = Some(Arc::new(Decided {
            request: request.clone(),
            decision: decision.clone(),
        }));
        self.execute_call(&call, &options).await
    }

    /// As [`Registry::answer`], for the tools of this snapshot.
    ///
    /// # Errors
    /// [`PendingError`] where no such request waits, the decision does not answer it, or the store fails.
    pub async fn answer(
        &self,
        pending: &dyn PendingApprovals,
        decision: &Decision,
        options: &CallOptions,
    ) -> Result<ToolResult, PendingError> {
        let request_id = decision.request_id.clone();
        let Some(request) = pending.take(&request_id).await? else {
            return Err(PendingError::NotWaiting { request_id });
        };
        if !decision.is_for(&request) || decision.answer == Answer::Suspend {
            pending.put(&request).await?;
            return Err(PendingError::NotAnAnswer { request_id });
        }
        Ok(self.resume(&request, decision, options).await)
    }
}
