//! Step 5: what the policy says about the final arguments.

use super::Shared;
use crate::approval::{Ruling, canonical_json};
use crate::catalog::Entry;
use crate::{Arguments, RiskLevel};

/// The verdict of the strongest rule, else that of the risk.
pub(super) fn judge(
    shared: &Shared,
    entry: &Entry,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
) -> Ruling {
    if let Some(ruling) = shared.policy.ruling_by_risk(risk) {
        return ruling;
    }
    let canonical = || canonical_json(&arguments.to_value());
    let now = || shared.settings.now();
    let policy = shared.policy.load();
    let ruling = policy.ruling(entry.name().as_str(), canonical, risk, &now);
    // A view gives a tool another name, and no way around what is said about it under its own.
    let below = entry.below(arguments).into_iter();
    below.fold(ruling, |ruling, (name, own)| {
        policy.restricted(ruling, name.as_str(), || canonical_json(&own), &now)
    })
}
