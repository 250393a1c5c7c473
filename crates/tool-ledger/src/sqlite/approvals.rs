//! Requests for approval.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use tool_core::Timestamp;
use tool_core::approval::{ApprovalRequest, PendingApprovals, PendingError};
use tool_core::ledger::{CallKey, Intent, LedgerEntry, LedgerError, LedgerState};

use super::file::OperationError;
use super::{SqliteLedger, calls};
use crate::store::{call_of, column, damaged, store_failed};

#[async_trait]
impl PendingApprovals for SqliteLedger {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let json = self.limits.json(request).map_err(store_failed)?;
        let (request, now, limit) = (request.clone(), self.clock(), self.limits.max_requests);
        let stored = self.writer.run(move |connection| {
            let call = call_of(&request)?;
            // A full store still accepts a new version of a request that waits.
            let query = "SELECT count(*) FROM ledger_approvals WHERE id <> ?1";
            let waiting: i64 = connection.query_row(query, [&request.id], |row| row.get(0))?;
            if usize::try_from(waiting).unwrap_or(usize::MAX) >= limit {
                return Ok(false);
            }
            connection.execute(
                "INSERT INTO ledger_approvals (id, request) VALUES (?1, ?2)
                 ON CONFLICT (id) DO UPDATE SET request = excluded.request",
                params![request.id, json],
            )?;
            if let Some((key, intent)) = call {
                wait(connection, key, &intent, &request, now())?;
            }
            Ok(true)
        });
        match stored.await {
            Ok(true) => Ok(()),
            Ok(false) => Err(PendingError::Full { limit }),
            Err(error) => Err(store_failed(error)),
        }
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        let listed = self.writer.run(|connection| {
            let query = "SELECT request FROM ledger_approvals ORDER BY position";
            let mut select = connection.prepare_cached(query)?;
            let rows = select.query_map((), |row| row.get::<_, String>(0))?;
            let mut requests = Vec::new();
            for row in rows {
                requests.push(parse(&row?)?);
            }
            Ok(requests)
        });
        listed.await.map_err(store_failed)
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let (id, now) = (request_id.to_owned(), self.clock());
        let taken = self.writer.run(move |connection| {
            let found = find(connection, &id)?;
            if found.is_some() {
                connection.execute("DELETE FROM ledger_approvals WHERE id = ?1", [&id])?;
                // A later claim with this request is a conflict.
                connection.execute(
                    "UPDATE ledger_calls SET state = 'failed_without_effect', settled_at = ?1, request_id = NULL,
                         withdrawn = ?2
                     WHERE request_id = ?2 AND state = 'awaiting_approval'",
                    params![column(now()), id],
                )?;
            }
            Ok(found)
        });
        taken.await.map_err(store_failed)
    }

    async fn find(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let id = request_id.to_owned();
        let found = self.writer.run(move |connection| find(connection, &id));
        found.await.map_err(store_failed)
    }

    fn claims_requests(&self) -> bool {
        true
    }
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

fn find(connection: &Connection, id: &str) -> Result<Option<ApprovalRequest>, OperationError> {
    let mut select =
        connection.prepare_cached("SELECT request FROM ledger_approvals WHERE id = ?1")?;
    let found: Option<String> = select.query_row([id], |row| row.get(0)).optional()?;
    found.map(|request| parse(&request)).transpose()
}

fn parse(request: &str) -> Result<ApprovalRequest, OperationError> {
    Ok(serde_json::from_str(request).map_err(|error| damaged(&error))?)
}
