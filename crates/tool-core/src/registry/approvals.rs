//! The policy of a registry, and decisions that are made later.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Base, Registry};
use crate::approval::{
    Answer, ApprovalRequest, Approver, Decision, EarlierDecision, Explanation, PendingApprovals,
    PendingError, Policy,
};
use crate::dispatch::explanation;
use crate::{
    ArgumentsInput, CallArguments, CallOptions, ErrorCode, Extensions, ToolCall, ToolError,
    ToolResult,
};

/// Approver of a registry, for calls of another registry.
struct SharedApprover(Arc<Base>);

#[async_trait]
impl Approver for SharedApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let Some(approver) = &self.0.shared.approver else {
            return Decision::new(request, Answer::Deny { reason: None });
        };
        let _turn = if approver.is_concurrent() {
            None
        } else {
            Some(self.0.shared.asking.lock().await)
        };
        approver.decide(request).await
    }

    fn is_concurrent(&self) -> bool {
        let approver = self.0.shared.approver.as_ref();
        approver.is_some_and(Approver::is_concurrent)
    }
}

impl Registry {
    /// Returns the approver for the calls of another registry, such as the registry of a sub-agent
    /// ([`CallOptions::fallback_approver`]). It decides one request at a time, together with the requests
    /// of this registry, unless it is concurrent.
    pub fn approver(&self) -> Option<Arc<dyn Approver>> {
        self.base.shared.approver.as_ref()?;
        Some(Arc::new(SharedApprover(Arc::clone(&self.base))))
    }

    /// Returns the values of the host for the tools.
    pub fn extensions(&self) -> Option<&Extensions> {
        self.base.shared.settings.extensions.as_deref()
    }

    /// Returns the current policy.
    pub fn policy(&self) -> Policy {
        self.base.shared.policy.load().policy().clone()
    }

    /// Changes the current policy and returns the value of `change`. Concurrent edits, including an approver's "always",
    /// are applied sequentially, so that all of them apply.
    ///
    /// `change` must not edit the policy of the same registry, which would deadlock.
    ///
    /// # Examples
    /// ```
    /// use tool_core::Registry;
    /// use tool_core::approval::{Rule, Verdict};
    ///
    /// let registry = Registry::new();
    /// registry.edit_policy(|policy| policy.rules.push(Rule::new("no-shell", "bash", Verdict::Deny)));
    /// assert_eq!(registry.policy().rules.len(), 1);
    /// registry.edit_policy(|policy| policy.rules.retain(|rule| rule.id != "no-shell"));
    /// assert!(registry.policy().rules.is_empty());
    /// ```
    pub fn edit_policy<R>(&self, change: impl FnOnce(&mut Policy) -> R) -> R {
        self.base.shared.policy.edit(change)
    }

    /// Explains the policy's verdict on a call: the deciding rule, and the status of all rules for
    /// the tool. Runs the steps up to the policy, but neither calls the approver nor runs the tool.
    ///
    /// # Errors
    /// Returns an error if the call fails before the policy step: unknown tool, invalid arguments or a failed tool check.
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
        let ArgumentsInput(arguments) = arguments.into();
        explanation(&self.base.shared, &self.tools(), name, &arguments)
            .map_err(|error| error.with_tool_name(name))
    }

    /// Executes a call that waited for approval, with the decision that was made in the meantime. A view resumes its own
    /// calls, because a request contains the tool's name in the view.
    ///
    /// The call passes through all steps again. Only the requested call runs: the result is `approval_denied` if the
    /// tool's definition, the risk or the arguments differ from the request, or if the decision is for another request,
    /// has expired or was used before. A rule that now denies overrules the decision; a rule that allows does not.
    /// Arguments of [`Answer::Edit`] are validated like any others. The result has the id of the call and the tool's
    /// name.
    ///
    /// This registry remembers the last 10,000 decided requests; only the store knows requests of other processes, see
    /// [`Registry::decide`]. The host must have created the request: load it from its own store or with
    /// [`ApprovalKey::open`](crate::approval::ApprovalKey::open).
    ///
    /// # Examples
    /// See [`suspend_to`](crate::approval::suspend_to).
    pub async fn resume(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        options: &CallOptions,
    ) -> ToolResult {
        let call = ToolCall::new(request.tool.as_str(), request.arguments.clone())
            .with_id(request.call_id.as_str());
        let mut options = options.clone();
        options.decided = Some(Arc::new(EarlierDecision {
            request: request.clone(),
            decision: decision.clone(),
        }));
        self.execute_call(&call, &options).await
    }

    /// Takes the decided request out of `pending`, and executes its call like [`Registry::resume`].
    ///
    /// # Errors
    /// Returns [`PendingError`] if no such request waits, the decision is not for it, or the store fails.
    ///
    /// # Examples
    /// See [`suspend_to`](crate::approval::suspend_to).
    pub async fn decide(
        &self,
        pending: &dyn PendingApprovals,
        decision: &Decision,
        options: &CallOptions,
    ) -> Result<ToolResult, PendingError> {
        let request_id = decision.request_id.clone();
        let has_ledger = self.base.shared.settings.ledger.is_some();
        // A denial takes the request, so that no later approval can run it. The claim of an approved call takes the
        // request, so that a crash before the run loses no approval.
        let denies = matches!(decision.answer, Answer::Deny { .. });
        let by_claim = !denies && has_ledger && pending.claims_requests();
        let found = if by_claim {
            pending.find(&request_id).await?
        } else {
            pending.take(&request_id).await?
        };
        let Some(request) = found else {
            return Err(PendingError::NotWaiting { request_id });
        };
        if !decision.is_for(&request) || decision.answer == Answer::Suspend {
            if !by_claim {
                pending.put(&request).await?;
            }
            return Err(PendingError::NotAnAnswer { request_id });
        }
        let result = self.resume(&request, decision, options).await;
        let code = result.error.as_ref().map(|error| &error.code);
        if by_claim && code == Some(&ErrorCode::LedgerUnavailable) {
            // The request waits for another attempt.
            self.base.shared.decided_requests.forget(&request_id);
        } else if by_claim {
            pending.take(&request_id).await?;
        }
        Ok(result)
    }
}
