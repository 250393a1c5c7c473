//! Step 5: what the policy says about the final arguments.

use serde_json::Value;

use super::Shared;
use super::record::Record;
use crate::approval::{Assessment, CanonicalArguments, Ruling};
use crate::catalog::Entry;
use crate::{Arguments, RiskLevel, ToolName};

/// The verdict of the strongest rule, else that of the risk, or of the tool itself where it has a reason to ask.
#[inline]
pub(super) fn judge(
    shared: &Shared,
    entry: &Entry,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    assessment: &Assessment,
    record: &mut Record<'_, '_>,
) -> Ruling {
    if let Some(verdict) = shared.policy.verdict_by_risk(risk) {
        return assessment.raise(Ruling::by_risk(verdict, risk));
    }
    record.lingers();
    assessment.raise(by_rules(shared, entry, arguments, risk, assessment))
}

fn by_rules(
    shared: &Shared,
    entry: &Entry,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    assessment: &Assessment,
) -> Ruling {
    let canonical = || canonical(arguments, assessment);
    let now = || shared.settings.now();
    let policy = shared.policy.load();
    let ruling = policy.ruling(entry.name().as_str(), canonical, risk, &now);
    // A view gives a tool another name, and no way around what is said about it under its own.
    below(entry, arguments, assessment).fold(ruling, |ruling, (name, canonical)| {
        policy.restricted(ruling, name.as_str(), canonical, &now)
    })
}

/// The arguments and those of the parts, as rules see them.
pub(super) fn canonical(arguments: &Arguments<'_>, assessment: &Assessment) -> CanonicalArguments {
    let whole = arguments.to_value();
    CanonicalArguments::new(&whole, &assessment.parts_of(&whole))
}

/// The names below a tool that a view shows, each with the arguments and parts as they are there.
pub(super) fn below<'c>(
    entry: &'c Entry,
    arguments: &'c Arguments<'_>,
    assessment: &'c Assessment,
) -> impl Iterator<Item = (&'c ToolName, impl FnOnce() -> CanonicalArguments + 'c)> {
    let levels = entry.below(arguments).into_iter().enumerate();
    levels.map(move |(level, (name, own))| {
        let canonical = move || {
            let at_level = |part: Value| {
                let mut below = entry.below(&Arguments::from_value(part)).into_iter();
                below.nth(level).map(|(_, own)| own)
            };
            let parts = assessment.parts_of(&arguments.to_value());
            let parts: Vec<Value> = parts.into_iter().filter_map(at_level).collect();
            CanonicalArguments::new(&own, &parts)
        };
        (name, canonical)
    })
}
