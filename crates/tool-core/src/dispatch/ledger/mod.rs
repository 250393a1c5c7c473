//! Between steps 6 and 7: the claim of a call in the ledger.

mod recover;
mod replay;

use std::hash::{BuildHasher, RandomState};

pub(crate) use self::recover::recover;

use self::replay::{differs, replay, unavailable};
use super::LedgerSettings;
use super::claimed::{add_arguments, ask, claim as claim_key, intent_of};
use super::keys::{has_key, may_claim, space_of};
use super::record::Record;
use super::scope::Scope;
use crate::call::next_id;
use crate::ledger::{CallKey, LedgerError};
use crate::{Arguments, CallPlan, RiskLevel, ToolError};

/// Next step of a call in the ledger.
pub(super) enum Claimable {
    /// Continue with the next step.
    Continue,
    /// The record contains the stored result.
    Replayed,
}

/// Returns the settings of the ledger if a call of this risk uses it.
#[inline]
pub(super) fn of<'c>(scope: Scope<'c, '_>, risk: RiskLevel) -> Option<&'c LedgerSettings> {
    let settings = scope.shared.settings.ledger.as_deref()?;
    let has_effect = may_claim(scope.entry, scope.options) && risk != RiskLevel::ReadOnly;
    (has_effect || has_key(scope.options)).then_some(settings)
}

/// Looks up a call that requires approval, so that a settled call does not request it again.
pub(super) async fn look_up<'c>(
    settings: &LedgerSettings,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<Claimable, ToolError> {
    let key = key_of(scope, plan);
    record.is_delayed = true;
    let intent = intent_of(settings, scope, &arguments.to_value(), plan.risk)?;
    let found = ask(settings, key).await.map_err(unavailable)?;
    match found.and_then(|entry| entry.answer(&intent)) {
        Some(claim) => replay(scope, claim, record),
        None => Ok(Claimable::Continue),
    }
}

/// Claims the key of a call that may run.
pub(super) async fn claim<'c>(
    settings: &LedgerSettings,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<Claimable, ToolError> {
    let key = key_of(scope, plan);
    // The key was looked up with the old arguments. Under it, the ledger would store another call.
    if is_edited(scope, plan, &key) {
        return Err(differs());
    }
    record.is_delayed = true;
    let arguments = arguments.to_value();
    let mut intent = intent_of(settings, scope, &arguments, plan.risk)?;
    let (kind, shared) = (&settings.arguments, &scope.shared.settings);
    add_arguments(&mut intent, kind, &key, arguments, shared)
        .map_err(|error| unavailable(LedgerError::unavailable(error)))?;
    match claim_key(settings, key, intent)
        .await
        .map_err(unavailable)?
    {
        Ok(claimed) => {
            record.claimed = Some(claimed);
            Ok(Claimable::Continue)
        }
        Err(claim) => replay(scope, claim, record),
    }
}

/// Returns the key of the call, which never changes: the context keeps it.
fn key_of(scope: Scope<'_, '_>, plan: &CallPlan) -> CallKey {
    if let Some(known) = scope.cx.call_key() {
        return known.clone();
    }
    let key = new_key(scope, plan);
    scope.cx.set_call_key(key.clone());
    key
}

fn new_key(scope: Scope<'_, '_>, plan: &CallPlan) -> CallKey {
    let options = scope.options;
    let has_space = options.is_some_and(|options| options.scope.is_some());
    let key = match own_key(scope, plan) {
        Some(own) => own,
        None if has_space => scope.cx.call_id().to_owned(),
        // Ids of calls may repeat between runs, and without a scope nothing tells the runs apart.
        None => random_key(),
    };
    CallKey::new(space_of(options), key)
}

/// Returns the key that the tool derives from its arguments, with the name of the tool.
fn own_key(scope: Scope<'_, '_>, plan: &CallPlan) -> Option<String> {
    let own = plan.once.as_deref()?;
    // With the tool's name: the keys of two tools may be equal, such as the number of an invoice.
    Some(format!("{}:{own}", scope.entry.name()))
}

/// Returns `true` if the approver edited the arguments from which the tool derived the key.
fn is_edited(scope: Scope<'_, '_>, plan: &CallPlan, key: &CallKey) -> bool {
    let tool = scope.entry.name().as_str();
    let prefix = key.key.strip_prefix(tool);
    // A key of the host does not depend on the arguments.
    if has_key(scope.options) || !prefix.is_some_and(|rest| rest.starts_with(':')) {
        return false;
    }
    own_key(scope, plan).is_some_and(|own| own != key.key)
}

/// Returns a key that no other call has: the hash keys of the standard library are random.
fn random_key() -> String {
    let id = next_id();
    let bits = RandomState::new().hash_one(id.as_str());
    format!("{id}-{bits:016x}")
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
