//! The ledger: a call claims its key between steps 6 and 7, and settles it with its result in step 10.

mod recover;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::approve::pending;
use super::claimed::{Claimed, add_arguments, completed, intent_of};
use super::record::Record;
use super::settings::{Scope, has_key, may_claim, space_of};
use crate::approval::{ApprovalRecord, ApprovalRequest};
use crate::call::next_id;
use crate::ledger::{CallKey, Claim, Ledger, LedgerEntry, LedgerError};
use crate::{
    Arguments, CallPlan, ErrorCode, RiskLevel, SideEffects, Timestamp, ToolError, ToolResult,
};

pub(crate) use recover::recover;

/// Returns the ledger if a call of this risk uses it.
#[inline]
pub(super) fn of<'c>(scope: Scope<'c, '_>, risk: RiskLevel) -> Option<&'c Arc<dyn Ledger>> {
    let ledger = scope.shared.settings.ledger.as_ref()?;
    let has_effect = may_claim(scope.entry, scope.options) && risk != RiskLevel::ReadOnly;
    (has_effect || has_key(scope.options)).then_some(ledger)
}

/// Looks up a call that requires approval, so that a settled call does not request it again. Returns `true` if the record
/// contains the stored result.
pub(super) async fn look_up<'c>(
    ledger: &Arc<dyn Ledger>,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<bool, ToolError> {
    record.is_delayed = true;
    let intent = intent_of(scope, &arguments.to_value(), plan.risk);
    let (key, ledger) = (key_of(scope, plan)?, Arc::clone(ledger));
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
    ledger: &Arc<dyn Ledger>,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<bool, ToolError> {
    record.is_delayed = true;
    let key = key_of(scope, plan)?;
    let arguments = arguments.to_value();
    let mut intent = intent_of(scope, &arguments, plan.risk);
    let settings = &scope.shared.settings;
    add_arguments(&mut intent, &key, arguments, settings)
        .map_err(|error| unavailable(LedgerError::unavailable(error)))?;
    let (ledger, lease) = (Arc::clone(ledger), settings.lease);
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
    // With the name, because two tools may choose the same key for different effects.
    let own = own.map(|own| format!("{}:{own}", scope.entry.name()));
    if let Some(known) = scope.cx.call_key() {
        // A key of the host does not depend on the arguments.
        let is_same = own.is_none_or(|own| own == known.key) || has_key(options);
        return is_same.then(|| known.clone()).ok_or_else(differs);
    }
    let has_space = options.is_some_and(|options| options.scope.is_some());
    let key = match own {
        Some(own) => own,
        // A host that names a scope repeats a run with the same ids, for example after a crash.
        None if has_space => scope.cx.call_id().to_owned(),
        // This call cannot be repeated, but the ledger still records what became of it.
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

/// Metadata key of the id of the call whose stored result was returned.
const STORED_RESULT: &str = "stored_result_of";

/// Completes the record with the stored result, or returns the error of a call that may not run.
fn replay(
    scope: Scope<'_, '_>,
    claim: Claim,
    record: &mut Record<'_, '_>,
) -> Result<(), ToolError> {
    match claim {
        Claim::Done(stored) => {
            restore(*stored, record);
            Ok(())
        }
        Claim::Running { since, lease_until } => {
            Err(in_progress(since, lease_until, scope.shared.settings.now()))
        }
        Claim::AwaitingApproval(request) => Err(waiting(*request, record)),
        Claim::Unknown(entry) => {
            record.side_effects = Some(SideEffects::Possible);
            Err(unknown(&entry))
        }
        Claim::New(_) | Claim::Conflict => Err(conflict()),
    }
}

fn restore(stored: ToolResult, record: &mut Record<'_, '_>) {
    let result = &mut *record.result;
    record.side_effects = Some(stored.metadata.side_effects);
    result.success = stored.success;
    result.content = stored.content;
    result.data = stored.data;
    result.error = stored.error;
    result.files_affected = stored.files_affected;
    result.warnings.extend(stored.warnings);
    // The other metadata stay: this call has its own id, times and approval.
    result.metadata.extra = stored.metadata.extra;
    let of = stored.id.as_str().to_owned();
    result
        .metadata
        .extra
        .insert(STORED_RESULT.to_owned(), of.into());
}

fn in_progress(since: Timestamp, until: Timestamp, now: Timestamp) -> ToolError {
    let left = until
        .as_milliseconds()
        .saturating_sub(now.as_milliseconds());
    // At least a second, so that a model does not poll.
    let wait = std::time::Duration::from_millis(left.clamp(1000, 3_600_000));
    ToolError::new(
        ErrorCode::InProgress,
        format!("The same call is already running since {since}"),
    )
    .suggest("Nothing was started. Wait for its result, or make the same call later to read it.")
    .with_retry_after(wait)
}

fn waiting(request: ApprovalRequest, record: &mut Record<'_, '_>) -> ToolError {
    let rule = request.rule.clone().unwrap_or_default();
    record.metadata().approval = Some(ApprovalRecord::pending(rule.into(), request));
    pending()
}

fn unknown(entry: &LedgerEntry) -> ToolError {
    let by = entry.intent.by.as_deref();
    let by = by.map_or_else(String::new, |by| format!(" by {by}"));
    ToolError::outcome_unknown(format!(
        "A run of this call{by} began at {} and did not report its outcome, so it is unknown whether it took effect",
        entry.since
    ))
    .suggest("Check whether it took effect before you call the tool again.")
}

fn conflict() -> ToolError {
    ToolError::new(
        ErrorCode::KeyConflict,
        "The key of this call belongs to another call with other arguments, or its approval was withdrawn",
    )
    .suggest("Nothing was done. Make a new call, or tell the user that the key is in use.")
}

/// Returns the error of a call whose approver edited the arguments from which the tool derives the key.
fn differs() -> ToolError {
    ToolError::new(
        ErrorCode::KeyConflict,
        "The approver edited the arguments that identify this call",
    )
    .suggest("Nothing was done. Call the tool again with the other arguments.")
}

/// Returns the error of a call that was not run because the ledger cannot be used.
fn unavailable(cause: LedgerError) -> ToolError {
    let retryable = matches!(cause, LedgerError::Unavailable(_));
    ToolError::new(
        ErrorCode::LedgerUnavailable,
        "This call was not run, because it could not be recorded in the ledger",
    )
    .suggest("Nothing was done. Try again later, or tell the user that the ledger is unavailable.")
    .with_retryable(retryable)
    .caused_by(cause)
}

#[cfg(test)]
mod tests;
