//! Entries of requests for approval.

use tool_core::Timestamp;
use tool_core::approval::{ApprovalRequest, PendingError};
use tool_core::ledger::{CallKey, Intent, LedgerEntry, LedgerError, LedgerState};

/// Returns the key of a request and the intent of its call; `None` if the request belongs to no ledger.
pub(crate) fn call_of(
    request: &ApprovalRequest,
) -> Result<Option<(&CallKey, Intent)>, LedgerError> {
    let (Some(key), Some(intent)) = (&request.call_key, Intent::of_request(request)) else {
        return Ok(None);
    };
    key.check()?;
    Ok(Some((key, intent)))
}

/// Returns a new entry that waits for approval.
pub(crate) fn waiting_entry(
    position: u64,
    key: CallKey,
    intent: Intent,
    request: &ApprovalRequest,
    now: Timestamp,
) -> LedgerEntry {
    let mut entry = LedgerEntry::new(position, key, intent, now);
    entry.state = LedgerState::AwaitingApproval;
    entry.request = Some(Box::new(request.clone()));
    entry
}

/// Returns the error of a stored request that cannot be read, without the cause, which can contain arguments.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(crate) fn damaged(error: &serde_json::Error) -> LedgerError {
    let (line, column) = (error.line(), error.column());
    LedgerError::unavailable(format!(
        "a stored request for approval is damaged at line {line}, column {column}"
    ))
}

pub(crate) fn store_failed(
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> PendingError {
    PendingError::Store(error.into())
}
