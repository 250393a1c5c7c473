//! The request for approval, one at a time unless the approver is concurrent.

use std::borrow::Cow;

use tokio::sync::MutexGuard;

use super::super::guard::{guarded, guarded_wait};
use super::super::inspect::inspect;
use super::super::policy;
use super::super::redact::redact_request;
use super::super::scope::Scope;
use super::{Next, Review};
use crate::approval::{
    ApprovalRecord, ApprovalRequest, Approver, Decision, Outcome, Preview, Ruling, Verdict,
};
use crate::{CallFuture, ToolError, clock};

/// Right of one call to request approval.
type ApproverLock<'r> = MutexGuard<'r, ()>;

/// Result of a request for approval.
enum RequestOutcome {
    /// The decision, or the panic of the approver.
    Decided(Box<ApprovalRequest>, Result<Decision, ToolError>),
    /// The policy no longer requires approval.
    PolicyChanged(Ruling),
    /// The build has no digests, which bind decisions.
    NoDigest,
}

impl<'r> Review<'r> {
    /// Requests approval and follows the decision.
    pub(super) async fn ask(
        &mut self,
        rule: Cow<'static, str>,
        look: Option<CallFuture<'_, Option<Preview>>>,
    ) -> Result<Next, ToolError> {
        let scope = self.scope;
        let token = scope.cx.cancellation();
        let options = scope.options;
        let own = options.and_then(|options| options.approver.as_ref());
        let fallback = options.and_then(|options| options.fallback_approver.as_ref());
        let Some(approver) = own.or(scope.shared.approver.as_ref()).or(fallback) else {
            // An error of the tool says more than the lack of an approver.
            inspect(look).await?;
            return Err(self.denied(rule, self.without_approver()));
        };
        if token.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let since = clock::now();
        let asking = self.outcome(approver.as_ref(), &rule, look);
        let outcome = token.run_until_cancelled(asking).await;
        self.waited = clock::now().duration_since(since);
        // Keep the turn until the policy contains an "always".
        let (_turn, outcome) = outcome.ok_or_else(ToolError::cancelled)??;
        match outcome {
            RequestOutcome::PolicyChanged(ruling) if ruling.verdict == Verdict::Deny => {
                Err(self.denied_by(ruling, "The rule"))
            }
            RequestOutcome::PolicyChanged(ruling) => {
                self.approval = Some(ApprovalRecord::new(Outcome::Allowed, Some(ruling.rule)));
                Ok(Next::Run)
            }
            RequestOutcome::NoDigest => Err(self.denied(rule, self.without_approver())),
            RequestOutcome::Decided(request, decision) => self.decided(&request, decision, rule),
        }
    }

    /// Waits for the turn of the call, then for the decision.
    async fn outcome(
        &self,
        approver: &dyn Approver,
        rule: &str,
        look: Option<CallFuture<'_, Option<Preview>>>,
    ) -> Result<(Option<ApproverLock<'r>>, RequestOutcome), ToolError> {
        let scope = self.scope;
        let (turn, waited) = turn(scope, approver).await;
        if waited {
            // An earlier decision may have changed the policy.
            let ruling = policy::ruling(scope, self.arguments, self.plan);
            if ruling.verdict != Verdict::Ask {
                return Ok((turn, RequestOutcome::PolicyChanged(ruling)));
            }
        }
        let Some(mut request) = self.request(rule) else {
            return Ok((turn, RequestOutcome::NoDigest));
        };
        request.preview = inspect(look).await?;
        // After the digests, which bind the real arguments.
        if let Some(redactor) = &scope.shared.settings.redactor {
            redact_request(redactor, &mut request);
        }
        let decision = guarded_wait(guarded(|| Ok(approver.decide(&request)))).await;
        Ok((turn, RequestOutcome::Decided(Box::new(request), decision)))
    }

    fn request(&self, rule: &str) -> Option<ApprovalRequest> {
        let Scope {
            shared, entry, cx, ..
        } = self.scope;
        let settings = &shared.settings;
        let (arguments, plan) = (self.arguments.to_value(), self.plan.clone());
        let request = ApprovalRequest::new(cx.call_id(), entry.definition(), arguments, plan);
        request.map(|request| {
            let mut request = request.with_rule(rule);
            request.call_key = cx.call_key().cloned();
            request.requested_at = settings.now();
            request.expires_at = settings
                .approval_expiry
                .map(|expiry| request.requested_at.after(expiry));
            request
        })
    }
}

/// Waits until no other request is undecided, unless the approver is concurrent. Also returns whether
/// there was a wait.
async fn turn<'r>(
    scope: Scope<'r, 'r>,
    approver: &dyn Approver,
) -> (Option<ApproverLock<'r>>, bool) {
    if guarded(|| Ok(approver.is_concurrent())).unwrap_or(false) {
        return (None, false);
    }
    let asking = &scope.shared.asking;
    match asking.try_lock() {
        Ok(turn) => (Some(turn), false),
        Err(_) => (Some(asking.lock().await), true),
    }
}
