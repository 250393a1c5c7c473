//! Step 6: asking, when the policy asks. What was approved is what runs.

use std::borrow::Cow;

use super::record::Record;
use super::run::{guarded, guarded_wait};
use crate::approval::{
    Answer, ApprovalRecord, ApprovalRequest, Decision, Outcome, Ruling, Verdict, canonical_json,
};
use crate::registry::{Entry, Shared};
use crate::{Arguments, ErrorCode, RiskLevel, ToolContext, ToolError};

/// How the call goes on.
pub(super) enum Next {
    /// With these arguments.
    Run,
    /// With other arguments, to be validated like the first.
    Edited(Arguments<'static>),
}

/// Follows the ruling, and asks the approver where it says so.
pub(super) async fn approve(
    shared: &Shared,
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    ruling: Ruling,
    record: &mut Record<'_>,
) -> Result<Next, ToolError> {
    match ruling.verdict {
        Verdict::Allow => {
            record.allowed(ruling.rule);
            Ok(Next::Run)
        }
        Verdict::Deny => {
            let reason = format!("The rule `{}` does not allow this call", ruling.rule);
            record.approval(ApprovalRecord::new(Outcome::Denied, Some(ruling.rule)));
            Err(denied(reason).suggest("Do not repeat it; find another way."))
        }
        // Whoever edited the call has decided about it; only a rule that denies goes above that.
        Verdict::Ask if record.was_edited() => Ok(Next::Run),
        // Apart from the call's own future, which most calls need not make room for this.
        Verdict::Ask => {
            let rule = ruling.rule;
            Box::pin(ask(shared, entry, cx, arguments, risk, rule, record)).await
        }
    }
}

async fn ask(
    shared: &Shared,
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    rule: Cow<'static, str>,
    record: &mut Record<'_>,
) -> Result<Next, ToolError> {
    let files = guarded(|| Ok(entry.tool().files_of(arguments)))?;
    let request =
        ApprovalRequest::new(cx.call_id(), entry.definition(), arguments.to_value(), risk);
    let (Some(request), Some(approver)) = (request, &shared.approver) else {
        record.approval(ApprovalRecord::new(Outcome::Denied, Some(rule)));
        let reason = format!("This call needs approval ({risk}), and there is nobody to ask");
        return Err(denied(reason)
            .suggest("Find a way that needs no approval, or tell the user what is needed."));
    };
    let request = request.with_files(files).with_rule(rule.clone());
    record.pause();
    let decision = cx
        .cancellation()
        .run_until_cancelled(guarded_wait(approver.decide(&request)))
        .await;
    record.resume();
    let decision = decision
        .ok_or_else(ToolError::cancelled)?
        .map_err(|fault| {
            record.approval(ApprovalRecord::new(Outcome::Denied, Some(rule.clone())));
            denied("Nobody could be asked about this call".to_owned())
                .suggest("Tell the user that approvals do not work.")
                .caused_by(fault)
        })?;
    follow(shared, entry, &request, decision, rule, record)
}

fn follow(
    shared: &Shared,
    entry: &Entry,
    request: &ApprovalRequest,
    decision: Decision,
    rule: Cow<'static, str>,
    record: &mut Record<'_>,
) -> Result<Next, ToolError> {
    let decide = |outcome| record.approval(ApprovalRecord::new(outcome, Some(rule)));
    if decision.digest != request.digest {
        decide(Outcome::Denied);
        return Err(
            denied("The approval was given for another call".to_owned()).suggest("Ask again.")
        );
    }
    match decision.answer {
        Answer::Approve => {
            decide(Outcome::Approved);
            Ok(Next::Run)
        }
        Answer::Always => {
            decide(Outcome::Approved);
            shared.always_allow(entry.name().as_str(), &canonical_json(&request.arguments));
            Ok(Next::Run)
        }
        Answer::Deny { reason } => {
            decide(Outcome::Denied);
            let because = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            Err(
                denied(format!("The user did not approve this call{because}"))
                    .suggest("Do not repeat it; ask what to do instead."),
            )
        }
        Answer::Edit { arguments } => {
            decide(Outcome::Edited);
            Ok(Next::Edited(Arguments::from_value(arguments)))
        }
    }
}

fn denied(reason: String) -> ToolError {
    ToolError::new(ErrorCode::ApprovalDenied, reason)
}
