//! Step 5: applies the policy to the final arguments.

use super::scope::Scope;
use crate::approval::{CanonicalArguments, Ruling};
use crate::catalog::Entry;
use crate::{Arguments, CallPlan};

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
    let canonical = || canonical(entry, arguments, plan);
    let now = || shared.settings.now();
    let policy = shared.policy.load();
    policy.ruling(entry.name().as_str(), canonical, plan.risk, &now)
}

/// Returns the arguments of the call and of its parts in the form that rules match.
pub(super) fn canonical(
    entry: &Entry,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
) -> CanonicalArguments {
    let findings = &plan.findings;
    let whole = findings.matched(arguments);
    CanonicalArguments::new(&whole, &findings.parts_of(&whole))
        .with_findings(findings.findings())
        .touching(&plan.touches)
        .of_definition(entry.digest())
}
