//! Step 5: applies the policy to the final arguments.

use serde_json::Value;

use super::scope::Scope;
use crate::approval::{Assessment, CanonicalArguments, Ruling};
use crate::catalog::Entry;
use crate::{Arguments, CallPlan, ToolName};

/// Returns the verdict of the strongest rule, else of the risk. The tool's own reason to ask raises `allow` by risk.
#[inline]
pub(super) fn ruling(scope: Scope<'_, '_>, arguments: &Arguments<'_>, plan: &CallPlan) -> Ruling {
    let ruling = match scope.shared.policy.verdict_by_risk(plan.risk) {
        Some(verdict) => Ruling::by_risk(verdict, plan.risk),
        None => by_rules(scope, arguments, plan),
    };
    plan.findings.raise(ruling)
}

fn by_rules(scope: Scope<'_, '_>, arguments: &Arguments<'_>, plan: &CallPlan) -> Ruling {
    let Scope { shared, entry, .. } = scope;
    let assessment = &plan.findings;
    let canonical = || canonical(entry, arguments, assessment);
    let now = || shared.settings.now();
    let policy = shared.policy.load();
    let ruling = policy.ruling(entry.name().as_str(), canonical, plan.risk, &now);
    // A view renames a tool, but rules for its registered name still restrict it.
    below(entry, arguments, assessment).fold(ruling, |ruling, (name, canonical)| {
        policy.restricted(ruling, name.as_str(), canonical, &now)
    })
}

/// Returns the arguments of the call and of its parts in the form that rules match.
pub(super) fn canonical(
    entry: &Entry,
    arguments: &Arguments<'_>,
    assessment: &Assessment,
) -> CanonicalArguments {
    let whole = assessment.matched(arguments);
    CanonicalArguments::new(&whole, &assessment.parts_of(&whole))
        .with_findings(assessment.findings())
        .of_definition(entry.digest())
}

/// Returns the names below a view's tool, each with the arguments and parts at that level.
pub(super) fn below<'c>(
    entry: &'c Entry,
    arguments: &'c Arguments<'_>,
    assessment: &'c Assessment,
) -> impl Iterator<Item = (&'c ToolName, impl FnOnce() -> CanonicalArguments + 'c)> {
    let matched = Arguments::from_value(assessment.matched(arguments));
    let levels = entry.below(&matched).into_iter().enumerate();
    levels.map(move |(level, (name, own))| {
        let canonical = move || {
            let at_level = |part: Value| {
                let mut below = entry.below(&Arguments::from_value(part)).into_iter();
                below.nth(level).map(|(_, own)| own)
            };
            let parts = assessment.parts_of(&assessment.matched(arguments));
            let parts: Vec<Value> = parts.into_iter().filter_map(at_level).collect();
            CanonicalArguments::new(&own, &parts).with_findings(assessment.findings())
        };
        (name, canonical)
    })
}
