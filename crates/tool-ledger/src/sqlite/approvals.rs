//! Operations on requests for approval.

use rusqlite::{Connection, OptionalExtension, params};
use tool_core::Timestamp;
use tool_core::approval::ApprovalRequest;
use tool_core::ledger::{CallKey, Intent, LedgerEntry, LedgerError, LedgerState};

use super::calls;
use super::file::OperationError;
use crate::store::{call_of, column, damaged};

/// Stores a request and the entry of its call. Returns `false` if the limit of requests is reached.
pub(super) fn put(
    connection: &Connection,
    request: &ApprovalRequest,
    json: &str,
    limit: usize,
    now: Timestamp,
) -> Result<bool, OperationError> {
    let call = call_of(request)?;
    // A full store still accepts a new version of a request that waits.
    let known = find(connection, &request.id)?.is_some();
    let waiting: i64 =
        connection.query_row("SELECT count(*) FROM ledger_approvals", (), |row| {
            row.get(0)
        })?;
    if !known && usize::try_from(waiting).unwrap_or(usize::MAX) >= limit {
        return Ok(false);
    }
    let (scope, key) = match &call {
        Some((key, _)) => (Some(&key.scope), Some(&key.key)),
        None => (None, None),
    };
    connection.execute(
        "INSERT INTO ledger_approvals (id, scope, key, request) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET request = excluded.request",
        params![request.id, scope, key, json],
    )?;
    if let Some((key, intent)) = call {
        wait(connection, key, &intent, request, now)?;
    }
    Ok(true)
}

/// Moves the entry of a call to `awaiting_approval`, unless the call runs or has run.
fn wait(
    connection: &Connection,
    key: &CallKey,
    intent: &Intent,
    request: &ApprovalRequest,
    now: Timestamp,
) -> Result<(), OperationError> {
    let json = serde_json::to_string(intent).map_err(LedgerError::unavailable)?;
    let known = calls::load(connection, key)?.map(|entry| entry.at(now));
    let mut entry = known.unwrap_or_else(|| {
        let mut entry = LedgerEntry::new(0, key.clone(), intent.clone(), now);
        // Nothing has run yet.
        entry.state = LedgerState::FailedWithoutEffect;
        entry
    });
    if entry.wait_for(request, intent.clone()) {
        calls::save(connection, &entry, &json)?;
    }
    Ok(())
}

pub(super) fn list(connection: &Connection) -> Result<Vec<ApprovalRequest>, OperationError> {
    let query = "SELECT request FROM ledger_approvals ORDER BY position";
    let mut select = connection.prepare_cached(query)?;
    let rows = select.query_map((), |row| row.get::<_, String>(0))?;
    let mut requests = Vec::new();
    for row in rows {
        requests.push(parse(&row?)?);
    }
    Ok(requests)
}

pub(super) fn find(
    connection: &Connection,
    id: &str,
) -> Result<Option<ApprovalRequest>, OperationError> {
    let mut select =
        connection.prepare_cached("SELECT request FROM ledger_approvals WHERE id = ?1")?;
    let found: Option<String> = select.query_row([id], |row| row.get(0)).optional()?;
    found.map(|request| parse(&request)).transpose()
}

/// Removes a request, and withdraws it from the entry of its call.
pub(super) fn take(
    connection: &Connection,
    id: &str,
    now: Timestamp,
) -> Result<Option<ApprovalRequest>, OperationError> {
    let found = find(connection, id)?;
    if found.is_some() {
        connection.execute("DELETE FROM ledger_approvals WHERE id = ?1", [id])?;
        connection.execute(
            "UPDATE ledger_calls SET state = 'failed_without_effect', settled_at = ?1, request_id = NULL, withdrawn = ?2
             WHERE request_id = ?2 AND state = 'awaiting_approval'",
            params![column(now), id],
        )?;
    }
    Ok(found)
}

fn parse(request: &str) -> Result<ApprovalRequest, OperationError> {
    Ok(serde_json::from_str(request).map_err(|error| damaged(&error))?)
}
