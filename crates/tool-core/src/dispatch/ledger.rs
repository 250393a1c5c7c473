//! The ledger: a call claims its key between steps 6 and 7, and settles it with its result in step 10.

mod recover;
mod replay;
pub(super) mod stored;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

pub(crate) use self::recover::recover;

use self::replay::{differs, replay, unavailable};
use self::stored::{add_arguments, intent_of};
use super::LedgerSettings;
use super::call_keys::{has_key, may_claim, space_of};
use super::claimed::{Claimed, completed};
use super::record::Record;
use super::scope::Scope;
use crate::call::next_id;
use crate::ledger::{CallKey, Claim, LedgerError};
use crate::{Arguments, CallPlan, RiskLevel, ToolError};

/// Returns the settings of the ledger if a call of this risk uses it.
#[inline]
pub(super) fn of<'c>(scope: Scope<'c, '_>, risk: RiskLevel) -> Option<&'c LedgerSettings> {
    let settings = scope.shared.settings.ledger.as_deref()?;
    let has_effect = may_claim(scope.entry, scope.options) && risk != RiskLevel::ReadOnly;
    (has_effect || has_key(scope.options)).then_some(settings)
}

/// Looks up a call that requires approval, so that a settled call does not request it again. Returns `true` if the record
/// contains the stored result.
pub(super) async fn look_up<'c>(
    settings: &LedgerSettings,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<bool, ToolError> {
    record.is_delayed = true;
    let intent = intent_of(settings, scope, &arguments.to_value(), plan.risk)?;
    let (key, ledger) = (key_of(scope, plan)?, Arc::clone(&settings.ledger));
    let found = completed(async move { ledger.find(&key).await }).await;
    match found
        .map_err(unavailable)?
        .and_then(|entry| entry.claim_for(&intent))
    {
        Some(claim) => replay(scope, claim, record).map(|()| true),
        None => Ok(false),
    }
}

/// Claims the key of a call that may run. Returns `true` if the record contains the stored result, so that it does not run.
pub(super) async fn claim<'c>(
    settings: &LedgerSettings,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<bool, ToolError> {
    record.is_delayed = true;
    let key = key_of(scope, plan)?;
    let arguments = arguments.to_value();
    let mut intent = intent_of(settings, scope, &arguments, plan.risk)?;
    let (kind, shared) = (&settings.arguments, &scope.shared.settings);
    add_arguments(&mut intent, kind, &key, arguments, shared)
        .map_err(|error| unavailable(LedgerError::unavailable(error)))?;
    let (ledger, lease) = (Arc::clone(&settings.ledger), settings.lease);
    // The claim of a call that was dropped in the meantime is released by the drop of `Claimed`.
    let claimed = completed(async move {
        let claim = ledger.claim(&key, &intent, lease).await?;
        let Claim::New(token) = claim else {
            return Ok(Err(claim));
        };
        Ok(Ok(Box::new(Claimed::new(
            ledger, key, token, lease, intent,
        ))))
    });
    match claimed.await.map_err(unavailable)? {
        Ok(claimed) => {
            record.claimed = Some(claimed);
            Ok(false)
        }
        Err(claim) => replay(scope, claim, record).map(|()| true),
    }
}

/// Returns the key of the call, which never changes: the context keeps it.
///
/// # Errors
/// Fails if the approver edited the arguments from which the tool derived the key.
fn key_of(scope: Scope<'_, '_>, plan: &CallPlan) -> Result<CallKey, ToolError> {
    let options = scope.options;
    let own = plan.once.as_deref();
    let own = own.map(|own| format!("{}:{own}", scope.entry.name()));
    if let Some(known) = scope.cx.call_key() {
        // A key of the host does not depend on the arguments.
        let is_same = own.is_none_or(|own| own == known.key) || has_key(options);
        return is_same.then(|| known.clone()).ok_or_else(differs);
    }
    let has_space = options.is_some_and(|options| options.scope.is_some());
    let key = match own {
        Some(own) => own,
        None if has_space => scope.cx.call_id().to_owned(),
        None => random_key(),
    };
    let key = CallKey::new(space_of(options), key);
    scope.cx.set_call_key(key.clone());
    Ok(key)
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
