//! Steps 4 to 6: whether the call may run.

use super::Shared;
use super::approve::{Judged, Next, Obeyed};
use super::record::Record;
use super::validate::validate;
use crate::approval::{ApprovalRecord, Outcome, Ruling, Verdict};
use crate::catalog::Entry;
use crate::{Arguments, RiskLevel, ToolContext, ToolError};

/// The risk of a call that may run because of nothing else: its tool finds nothing in arguments, no rule of the policy can
/// hold, and nobody has decided about the call.
#[inline]
pub(super) fn by_risk_alone(
    shared: &Shared,
    entry: &Entry,
    record: &mut Record<'_, '_>,
) -> Option<RiskLevel> {
    let options = record.call().options;
    if record.has_checks(entry) || options.is_some_and(|options| options.decided.is_some()) {
        return None;
    }
    let risk = entry.definition().risk();
    if shared.policy.verdict_by_risk(risk) != Some(Verdict::Allow) {
        return None;
    }
    let by_risk = Ruling::by_risk(Verdict::Allow, risk);
    record.approval(ApprovalRecord::new(Outcome::Allowed, Some(by_risk.rule)));
    Some(risk)
}

/// Judges the arguments, has somebody asked where the policy asks, and gives the risk of what may run. Arguments that a
/// person edited are validated and judged like the first.
pub(super) async fn decide<'c>(
    shared: &'c Shared,
    entry: &'c Entry,
    cx: &ToolContext,
    arguments: &mut Arguments<'c>,
    record: &mut Record<'c, '_>,
) -> Result<RiskLevel, ToolError> {
    loop {
        let (judged, ruling) = Judged::new(shared, entry, cx, arguments, record)?;
        let next = match judged.obey(ruling, record)? {
            Obeyed::Next(next) => next,
            Obeyed::Ask(rule) => Box::pin(judged.ask(rule, record)).await?,
        };
        match next {
            Next::Run => return Ok(judged.risk),
            Next::Edited(edited) => {
                *arguments = *edited;
                validate(entry, arguments, &shared.settings, record)?;
            }
        }
    }
}
