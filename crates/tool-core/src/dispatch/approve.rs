//! Step 6: asking, when the policy asks. What was approved is what runs.

use std::borrow::Cow;

use super::Shared;
use super::check::check;
use super::policy::judge;
use super::preview::preview;
use super::record::Record;
use super::redact::redact_request;
use super::run::{guarded, guarded_wait};
use crate::approval::{
    Answer, ApprovalRecord, ApprovalRequest, Assessment, Decided, Decision, Outcome, Ruling,
    Verdict, canonical_json,
};
use crate::catalog::Entry;
use crate::{Arguments, ErrorCode, RiskLevel, ToolContext, ToolError, text};

/// Characters of a reason that the model is told.
const MAX_REASON: usize = 1000;

/// What a ruling comes to.
pub(super) enum Obeyed {
    Next(Next),
    /// Somebody is to be asked, because of this rule.
    Ask(Cow<'static, str>),
}

/// How the call goes on.
pub(super) enum Next {
    /// With these arguments.
    Run,
    /// With other arguments, to be validated like the first.
    Edited(Box<Arguments<'static>>),
}

/// A call that is judged.
pub(super) struct Judged<'c> {
    shared: &'c Shared,
    entry: &'c Entry,
    cx: &'c ToolContext,
    arguments: &'c Arguments<'c>,
    pub(super) risk: RiskLevel,
    assessment: Assessment,
}

impl<'c> Judged<'c> {
    /// Steps 4 and 5: what the tool says of the arguments, and the policy of that.
    #[inline]
    pub(super) fn new(
        shared: &'c Shared,
        entry: &'c Entry,
        cx: &'c ToolContext,
        arguments: &'c Arguments<'c>,
        record: &mut Record<'_, '_>,
    ) -> Result<(Self, Ruling), ToolError> {
        let (risk, assessment) = check(entry, cx, arguments)?;
        let ruling = judge(shared, entry, arguments, risk, &assessment, record);
        let judged = Self {
            shared,
            entry,
            cx,
            arguments,
            risk,
            assessment,
        };
        Ok((judged, ruling))
    }

    /// Follows the ruling as far as nobody has to be asked. A decision that comes with the call stands in for the
    /// approver's, and only a rule that denies goes above it.
    #[inline]
    pub(super) fn obey(
        &self,
        ruling: Ruling,
        record: &mut Record<'_, '_>,
    ) -> Result<Obeyed, ToolError> {
        let options = record.call().options;
        let decided = options.and_then(|options| options.decided.as_deref());
        if decided.is_some() || ruling.verdict == Verdict::Ask {
            record.lingers();
        }
        Ok(Obeyed::Next(match (ruling.verdict, decided) {
            (Verdict::Deny, _) => return Err(denied_by(ruling, record)),
            (_, Some(decided)) if !record.was_edited() => {
                self.follow_earlier(decided, ruling.rule, record)?
            }
            (Verdict::Allow, _) => {
                record.allowed(ruling.rule);
                Next::Run
            }
            // Whoever edited the call has decided about it; only a rule that denies goes above that.
            (Verdict::Ask, _) if record.was_edited() => Next::Run,
            (Verdict::Ask, _) => return Ok(Obeyed::Ask(ruling.rule)),
        }))
    }

    /// Asks the approver, and follows the answer.
    pub(super) async fn ask(
        &self,
        rule: Cow<'static, str>,
        record: &mut Record<'_, '_>,
    ) -> Result<Next, ToolError> {
        if self.cx.cancellation().is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let request = self.request(&rule)?;
        let (Some(mut request), Some(approver)) = (request, &self.shared.approver) else {
            record.approval(ApprovalRecord::new(Outcome::Denied, Some(rule)));
            return Err(nobody_to_ask(self.risk, self.assessment.reason()));
        };
        record.pause();
        let asking = async {
            request.preview = preview(self.entry, self.cx, self.arguments).await;
            if let Some(redactor) = &self.shared.settings.redactor {
                redact_request(redactor, &mut request);
            }
            guarded_wait(guarded(|| Ok(approver.decide(&request)))?).await
        };
        let decision = self.cx.cancellation().run_until_cancelled(asking).await;
        record.resume();
        let decision = decision
            .ok_or_else(ToolError::cancelled)?
            .map_err(|fault| {
                record.approval(ApprovalRecord::new(Outcome::Denied, Some(rule.clone())));
                denied("Nobody could be asked about this call")
                    .suggest("Tell the user that approvals do not work.")
                    .caused_by(fault)
            })?;
        // The host may have edited the policy while somebody thought; what it denies by now goes above the answer.
        let by_now = judge(
            self.shared,
            self.entry,
            self.arguments,
            self.risk,
            &self.assessment,
            record,
        );
        if by_now.verdict == Verdict::Deny {
            return Err(denied_by(by_now, record));
        }
        self.follow(&request, &decision, rule, record)
    }

    fn request(&self, rule: &str) -> Result<Option<ApprovalRequest>, ToolError> {
        let files = guarded(|| Ok(self.entry.tool().files_of(self.arguments)))?;
        let arguments = self.arguments.to_value();
        let definition = self.entry.definition();
        let request = ApprovalRequest::new(self.cx.call_id(), definition, arguments, self.risk);
        Ok(request.map(|request| {
            let mut request = request.with_files(files).with_rule(rule);
            request.reason = self.assessment.reason().map(str::to_owned);
            request.requested_at = self.shared.settings.now();
            match self.shared.settings.approval_expiry {
                Some(expiry) => {
                    let end = request.requested_at.after(expiry);
                    request.until(end)
                }
                None => request,
            }
        }))
    }

    /// Follows a decision that was made while this call did not run.
    #[inline(never)]
    fn follow_earlier(
        &self,
        decided: &Decided,
        rule: Cow<'static, str>,
        record: &mut Record<'_, '_>,
    ) -> Result<Next, ToolError> {
        let request = &decided.request;
        let definition = self.entry.definition();
        if request.risk == self.risk && request.is_of(definition, &self.arguments.to_value()) {
            return self.follow(request, &decided.decision, rule, record);
        }
        record.approval(ApprovalRecord::new(Outcome::Denied, Some(rule)));
        Err(
            denied("The tool, its risk or the arguments changed since approval was asked for")
                .suggest("Call the tool again."),
        )
    }

    fn follow(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        rule: Cow<'static, str>,
        record: &mut Record<'_, '_>,
    ) -> Result<Next, ToolError> {
        let mut decide =
            |outcome| record.approval(ApprovalRecord::new(outcome, Some(rule.clone())));
        if let Some(fault) = self.fault_of(request, decision) {
            decide(Outcome::Denied);
            return Err(denied(fault).suggest("Call the tool again, to be asked about anew."));
        }
        match &decision.answer {
            Answer::Approve => decide(Outcome::Approved),
            Answer::Always => {
                decide(Outcome::Approved);
                self.always_allow(request);
            }
            Answer::Edit { arguments } => {
                decide(Outcome::Edited);
                let edited = Arguments::from_value(arguments.clone());
                return Ok(Next::Edited(Box::new(edited)));
            }
            Answer::Deny { reason } => {
                decide(Outcome::Denied);
                return Err(refused(reason.as_deref()));
            }
            Answer::Suspend => {
                record.approval(ApprovalRecord::pending(rule, request.clone()));
                return Err(waiting());
            }
        }
        Ok(Next::Run)
    }

    /// Why a decision does not count.
    fn fault_of(&self, request: &ApprovalRequest, decision: &Decision) -> Option<&'static str> {
        if !decision.is_for(request) {
            return Some("The approval was given for another call");
        }
        if request.is_expired_at(self.shared.settings.now()) {
            return Some("The approval came too late");
        }
        let is_used =
            decision.answer != Answer::Suspend && !self.shared.answered.is_first(&request.id);
        is_used.then_some("The approval was used already")
    }

    /// A host that cannot be told of the new rule does not stop the call that was approved.
    fn always_allow(&self, request: &ApprovalRequest) {
        let arguments = canonical_json(&request.arguments);
        let told = guarded(|| {
            let policy = &self.shared.policy;
            policy.allow_exactly(self.entry.name().as_str(), &arguments);
            Ok(())
        });
        if told.is_err() {
            tracing::warn!("whoever listens to changes of the policy panicked");
        }
    }
}

fn denied_by(ruling: Ruling, record: &mut Record<'_, '_>) -> ToolError {
    let reason = format!("The rule `{}` does not allow this call", ruling.rule);
    record.approval(ApprovalRecord::new(Outcome::Denied, Some(ruling.rule)));
    denied(reason).suggest("Do not repeat it; find another way.")
}

fn nobody_to_ask(risk: RiskLevel, reason: Option<&str>) -> ToolError {
    let because = reason.map_or_else(String::new, |reason| {
        format!(": {}", text::short(reason, MAX_REASON))
    });
    denied(format!(
        "This call needs approval ({risk}), and there is nobody to ask{because}"
    ))
    .suggest("Find a way that needs no approval, or tell the user what is needed.")
}

fn refused(reason: Option<&str>) -> ToolError {
    let because = reason.map_or_else(String::new, |reason| {
        format!(": {}", text::short(reason, MAX_REASON))
    });
    denied(format!("The user did not approve this call{because}"))
        .suggest("Do not repeat it; ask what to do instead.")
}

fn waiting() -> ToolError {
    ToolError::new(
        ErrorCode::ApprovalPending,
        "This call waits for approval and has not run",
    )
    .suggest("Do not repeat it; its result will come when somebody has decided.")
}

fn denied(reason: impl Into<String>) -> ToolError {
    ToolError::new(ErrorCode::ApprovalDenied, reason)
}
