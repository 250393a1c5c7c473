//! Results of calls that do not run, because the ledger knows their key.

use super::super::approve::pending;
use super::super::record::Record;
use super::super::scope::Scope;
use crate::approval::{ApprovalRecord, ApprovalRequest};
use crate::ledger::{Claim, LedgerEntry, LedgerError};
use crate::{ErrorCode, SideEffects, Timestamp, ToolError, ToolResult};

/// Metadata key of the id of the call whose stored result was returned.
const STORED_RESULT: &str = "stored_result_of";

/// Completes the record with the stored result, or returns the error of a call that may not run.
pub(super) fn replay(
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
pub(super) fn differs() -> ToolError {
    ToolError::new(
        ErrorCode::KeyConflict,
        "The approver edited the arguments that identify this call",
    )
    .suggest("Nothing was done. Call the tool again with the other arguments.")
}

/// Returns the error of a call that was not run because the ledger cannot be used.
pub(super) fn unavailable(cause: LedgerError) -> ToolError {
    let retryable = matches!(cause, LedgerError::Unavailable(_));
    ToolError::new(
        ErrorCode::LedgerUnavailable,
        "This call was not run, because it could not be recorded in the ledger",
    )
    .suggest("Nothing was done. Try again later, or tell the user that the ledger is unavailable.")
    .with_retryable(retryable)
    .caused_by(cause)
}
