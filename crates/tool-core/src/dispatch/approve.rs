//! Step 6: requests approval if the policy requires it. Only the approved arguments run.

use std::borrow::Cow;
use std::time::Duration;

use super::redact::redact_request;
use super::settings::Scope;
use super::steps::{self, inspect};
use super::stop::{guarded, guarded_wait};
use crate::approval::{
    Answer, ApprovalRecord, ApprovalRequest, Approver, Decision, EarlierDecision, Outcome, Preview,
    Ruling, Verdict,
};
use crate::{
    Arguments, CallFuture, CallOptions, CallPlan, ErrorCode, PreparedCall, ToolError, clock, text,
};

/// Maximum number of characters of a reason shown to the model.
const MAX_REASON: usize = 1000;

/// Next step of a call that may continue.
pub(super) enum Next {
    Run,
    /// The record contains the stored result of an earlier call.
    Replayed,
    /// Re-enter step 3 with the arguments that the approver edited.
    Validate(Box<Arguments<'static>>),
}

/// Returns the record of a call that the policy allows, or the ruling if the call must be [reviewed](Review).
#[inline]
pub(super) fn allowed(
    ruling: Ruling,
    options: Option<&CallOptions>,
    previous: Option<&ApprovalRecord>,
) -> Result<ApprovalRecord, Ruling> {
    let outcome = match previous {
        Some(record) => record.outcome,
        // A decision that was made earlier is checked even if the policy allows the call by now.
        None if options.is_some_and(|options| options.decided.is_some()) => return Err(ruling),
        None => Outcome::Allowed,
    };
    match ruling.verdict {
        Verdict::Allow => Ok(ApprovalRecord::new(outcome, Some(ruling.rule))),
        Verdict::Ask | Verdict::Deny => Err(ruling),
    }
}

/// Returns `true` if the ruling or an earlier decision denies the call.
pub(super) fn denies(ruling: &Ruling, options: Option<&CallOptions>) -> bool {
    let decided = options.and_then(|options| options.decided.as_deref());
    let answer = decided.map(|decided| &decided.decision.answer);
    ruling.verdict == Verdict::Deny || matches!(answer, Some(Answer::Deny { .. }))
}

/// A call under review.
pub(super) struct Review<'r> {
    scope: Scope<'r, 'r>,
    arguments: &'r Arguments<'r>,
    plan: &'r CallPlan,
    look: Option<CallFuture<'r, Option<Preview>>>,
    pub(super) approval: Option<ApprovalRecord>,
    /// Time spent waiting for the approver.
    pub(super) waited: Duration,
}

impl<'r> Review<'r> {
    /// Begins a review. `previous` is the record of an earlier one, in which the arguments were edited.
    pub(super) fn new(
        scope: Scope<'r, 'r>,
        arguments: &'r Arguments<'r>,
        prepared: &'r mut PreparedCall<'_>,
        previous: Option<ApprovalRecord>,
    ) -> Self {
        Self {
            scope,
            arguments,
            look: prepared.take_inspect(),
            plan: &prepared.plan,
            approval: previous,
            waited: Duration::ZERO,
        }
    }

    /// Follows the ruling, an earlier decision or the approver. Only a rule that denies overrules a decision.
    pub(super) async fn decide(&mut self, ruling: Ruling) -> Result<Next, ToolError> {
        let options = self.scope.options;
        let earlier = options.and_then(|options| options.decided.as_deref());
        match (ruling.verdict, earlier) {
            // The policy allowed the approval of a resumed call when it was requested.
            (Verdict::Deny, Some(_)) => {
                Err(self.denied_by(ruling, "The policy changed after the request: the rule"))
            }
            (Verdict::Deny, None) => Err(self.denied_by(ruling, "The rule")),
            // The approver has already decided about edited arguments.
            _ if self.approval.is_some() => Ok(Next::Run),
            (_, Some(decided)) => self.follow_earlier(decided, ruling.rule),
            _ => self.ask(ruling.rule).await,
        }
    }

    /// Requests approval and follows the decision.
    async fn ask(&mut self, rule: Cow<'static, str>) -> Result<Next, ToolError> {
        let (shared, options) = (self.scope.shared, self.scope.options);
        let own = options.and_then(|options| options.approver.as_ref());
        let fallback = options.and_then(|options| options.fallback_approver.as_ref());
        let Some(approver) = own.or(shared.approver.as_ref()).or(fallback) else {
            // An error of the tool says more than the lack of an approver.
            inspect(self.look.take()).await?;
            return Err(self.denied(rule, self.without_approver()));
        };
        let token = self.scope.cx.cancellation();
        if token.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let since = clock::now();
        let next = token.run_until_cancelled(self.ask_approver(approver.as_ref()));
        let next = next.await;
        self.waited = clock::now().duration_since(since);
        next.ok_or_else(ToolError::cancelled)?
    }

    /// Waits for the turn of the call, then for the decision.
    async fn ask_approver(&mut self, approver: &dyn Approver) -> Result<Next, ToolError> {
        let is_concurrent = guarded(|| Ok(approver.is_concurrent())).unwrap_or(false);
        // One question at a time, so that a person knows which call an answer is for. Kept until the policy contains an
        // "always".
        let _turn = if is_concurrent {
            None
        } else {
            Some(self.scope.shared.asking.lock().await)
        };
        // An earlier decision may have changed the policy.
        let ruling = steps::ruling(self.scope, self.arguments, self.plan);
        match ruling.verdict {
            Verdict::Ask => {}
            Verdict::Deny => return Err(self.denied_by(ruling, "The rule")),
            Verdict::Allow => {
                self.approval = Some(ApprovalRecord::new(Outcome::Allowed, Some(ruling.rule)));
                return Ok(Next::Run);
            }
        }
        let mut request = self.request(&ruling.rule);
        request.preview = inspect(self.look.take()).await?;
        // After the digests, which bind the real arguments.
        if let Some(redactor) = &self.scope.shared.settings.redactor {
            redact_request(redactor, &mut request);
        }
        let decision = guarded_wait(guarded(|| Ok(approver.decide(&request)))).await;
        self.decided(&request, decision, ruling.rule)
    }

    fn request(&self, rule: &str) -> ApprovalRequest {
        let Scope {
            shared, entry, cx, ..
        } = self.scope;
        let settings = &shared.settings;
        let (arguments, plan) = (self.arguments.to_value(), self.plan.clone());
        let mut request = ApprovalRequest::new(cx.call_id(), entry.definition(), arguments, plan);
        request.rule = Some(rule.to_owned());
        request.call_key = cx.call_key().cloned();
        request.requested_at = settings.now();
        request.expires_at = settings
            .approval_expiry
            .map(|expiry| request.requested_at.after(expiry));
        request
    }

    /// Follows the decision of the approver.
    fn decided(
        &mut self,
        request: &ApprovalRequest,
        decision: Result<Decision, ToolError>,
        rule: Cow<'static, str>,
    ) -> Result<Next, ToolError> {
        let decision = match decision {
            Ok(decision) => decision,
            Err(panic) => {
                let error = approval_denied("The approver of this call failed")
                    .suggest("Tell the user that approvals do not work.")
                    .caused_by(panic);
                return Err(self.denied(rule, error));
            }
        };
        // The host may have edited the policy in the meantime.
        let ruling = steps::ruling(self.scope, self.arguments, self.plan);
        if ruling.verdict == Verdict::Deny {
            return Err(self.denied_by(ruling, "The rule"));
        }
        // A denied call needs no second look, and an edited one is prepared again anyway.
        let runs = matches!(decision.answer, Answer::Approve | Answer::Always);
        if runs && !self.is_unchanged() {
            return Err(self.denied(rule, changed("What the call would do")));
        }
        self.follow(request, &decision, rule)
    }

    /// Follows a decision that was made before this call.
    #[inline(never)]
    fn follow_earlier(
        &mut self,
        decided: &EarlierDecision,
        rule: Cow<'static, str>,
    ) -> Result<Next, ToolError> {
        let request = &decided.request;
        match self.change_since(request) {
            None => self.follow(request, &decided.decision, rule),
            Some(part) => Err(self.denied(rule, changed(part))),
        }
    }

    /// Returns the part of the call that differs from its request.
    fn change_since(&self, request: &ApprovalRequest) -> Option<&'static str> {
        let definition = self.scope.entry.definition();
        // With the arguments of the request, so that only the definition can make a difference.
        if !request.is_of(definition, &request.arguments) {
            Some("The definition of the tool")
        } else if !request.is_of(definition, &self.arguments.to_value()) {
            Some("The arguments")
        } else if !request.is_of_plan(self.plan) {
            Some("What the call would do")
        } else {
            None
        }
    }

    /// Returns whether approval would still give what the approver has seen. Only permissions depend on files, which others
    /// can change while a person decides.
    fn is_unchanged(&self) -> bool {
        // Only grants can depend on more than the arguments, which have not changed.
        if self.plan.findings.grants().is_empty() {
            return true;
        }
        let Scope { entry, cx, .. } = self.scope;
        let again = guarded(|| entry.tool().as_ref().prepare(cx, self.arguments));
        again.is_ok_and(|again| again.plan == *self.plan)
    }

    fn follow(
        &mut self,
        request: &ApprovalRequest,
        decision: &Decision,
        rule: Cow<'static, str>,
    ) -> Result<Next, ToolError> {
        if let Some(reason) = self.reason_to_reject(request, decision) {
            let error =
                approval_denied(reason).suggest("Call the tool again to request approval again.");
            return Err(self.denied(rule, error));
        }
        let (outcome, next) = match &decision.answer {
            Answer::Approve => (Outcome::Approved, Next::Run),
            Answer::Always => {
                self.always_allow();
                (Outcome::Approved, Next::Run)
            }
            Answer::Edit { arguments } => {
                let edited = Arguments::from_value(arguments.clone());
                (Outcome::Edited, Next::Validate(Box::new(edited)))
            }
            Answer::Deny { reason } => {
                return Err(self.denied(rule, denied_by_user(reason.as_deref())));
            }
            Answer::Suspend => {
                self.approval = Some(ApprovalRecord::pending(rule, request.clone()));
                return Err(pending());
            }
        };
        self.approval = Some(ApprovalRecord::new(outcome, Some(rule)));
        Ok(next)
    }

    /// Returns the reason if the decision is not valid for the request.
    fn reason_to_reject(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
    ) -> Option<&'static str> {
        if !decision.is_for(request) {
            return Some("The approval is for another call");
        }
        // Before the id is used up: a request that has expired was not decided.
        if request.is_expired_at(self.scope.shared.settings.now()) {
            return Some("The approval has expired");
        }
        // A suspended request is still undecided, so its id stays usable.
        let is_used = decision.answer != Answer::Suspend
            && !self.scope.shared.decided_requests.insert(&request.id);
        is_used.then_some("The approval was already used")
    }

    /// Adds a rule for these arguments. A panic of the host's policy listener does not stop the approved call.
    fn always_allow(&self) {
        let Scope { shared, entry, .. } = self.scope;
        let call = steps::canonical(entry, self.arguments, self.plan);
        let added = guarded(|| {
            shared.policy.allow_exactly(entry.name().as_str(), &call);
            Ok(())
        });
        if added.is_err() {
            tracing::warn!("the policy listener panicked");
        }
    }

    /// Denies a call by a rule. `beginning` is the reason up to the name of the rule.
    fn denied_by(&mut self, ruling: Ruling, beginning: &str) -> ToolError {
        let reason = format!("{beginning} `{}` does not allow this call", ruling.rule);
        let error = approval_denied(reason).suggest("Do not repeat it; find another way.");
        self.denied(ruling.rule, error)
    }

    fn denied(&mut self, rule: Cow<'static, str>, error: ToolError) -> ToolError {
        self.approval = Some(ApprovalRecord::new(Outcome::Denied, Some(rule)));
        error
    }

    fn without_approver(&self) -> ToolError {
        let risk = self.plan.risk;
        let reason_suffix = reason_suffix(self.plan.findings.reason());
        approval_denied(format!(
            "This call requires approval ({risk}), and no approver is available{reason_suffix}"
        ))
        .suggest("Find a way that needs no approval, or tell the user that approval is required.")
    }
}

fn denied_by_user(reason: Option<&str>) -> ToolError {
    approval_denied(format!(
        "The user did not approve this call{}",
        reason_suffix(reason)
    ))
    .suggest("Do not repeat it; ask what to do instead.")
}

fn changed(part: &str) -> ToolError {
    approval_denied(format!("{part} changed after the request")).suggest("Call the tool again.")
}

fn reason_suffix(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| {
        format!(": {}", text::short(reason, MAX_REASON))
    })
}

/// Returns the error of a call that waits for approval.
pub(super) fn pending() -> ToolError {
    ToolError::new(
        ErrorCode::ApprovalPending,
        "This call waits for approval and has not run",
    )
    .suggest("Do not repeat it; its result follows after the decision.")
}

fn approval_denied(reason: impl Into<String>) -> ToolError {
    ToolError::new(ErrorCode::ApprovalDenied, reason)
}
