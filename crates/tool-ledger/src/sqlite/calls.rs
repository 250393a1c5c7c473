//! Operations on calls.

use std::time::Duration;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter, Page,
    Settled,
};

use super::SqliteLedger;
use super::file::{OperationError, check_version};
use crate::store::{COLUMNS, Row, column, milliseconds, new_token, position_column, token_column};

/// Maximum bytes of the entries of a page. A page with more is shorter than its limit.
const PAGE_BYTES: usize = 32 * 1024 * 1024;

#[async_trait]
impl Ledger for SqliteLedger {
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError> {
        key.check()?;
        let json = self.limits.json(intent)?;
        let token = new_token()?;
        let (key, intent, now) = (key.clone(), intent.clone(), self.clock());
        self.writer
            .run(move |connection| {
                let now = now();
                // In the transaction: another process may have migrated the file after this one opened it.
                check_version(connection)?;
                let known = load(connection, &key)?.map(|entry| entry.at(now));
                let claim = known.as_ref().and_then(|entry| entry.claim_for(&intent));
                if let Some(claim) = claim {
                    return Ok(claim);
                }
                let mut entry =
                    known.unwrap_or_else(|| LedgerEntry::new(0, key.clone(), intent.clone(), now));
                if let Some(request) = &entry.request {
                    let mut delete =
                        connection.prepare_cached("DELETE FROM ledger_approvals WHERE id = ?1")?;
                    delete.execute([&request.id])?;
                }
                entry.start(&intent, token, now, lease);
                save(connection, &entry, &json)?;
                Ok(Claim::New(token))
            })
            .await
    }

    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        let (key, now) = (key.clone(), self.clock());
        self.writer
            .run(move |connection| {
                let mut update = connection.prepare_cached(
                    "UPDATE ledger_calls SET lease_until = ?1
                     WHERE scope = ?2 AND key = ?3 AND token = ?4 AND state = 'running'",
                )?;
                let until = column(now().after(lease));
                held(update.execute((until, &key.scope, &key.key, token_column(token)))?)
            })
            .await
    }

    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError> {
        let (state, result) = (outcome.state(), self.limits.json(outcome.result())?);
        let (key, now) = (key.clone(), self.clock());
        self.writer
            .run(move |connection| {
                let mut update = connection.prepare_cached(
                    "UPDATE ledger_calls SET state = ?1, result = ?2, settled_at = ?3, lease_until = NULL
                     WHERE scope = ?4 AND key = ?5 AND token = ?6 AND state IN ('running', 'unknown')",
                )?;
                held(update.execute(params![
                    state.as_str(),
                    result,
                    column(now()),
                    key.scope,
                    key.key,
                    token_column(token)
                ])?)
            })
            .await
    }

    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
        let (key, now) = (key.clone(), self.clock());
        self.writer
            .run(move |connection| Ok(load(connection, &key)?.map(|entry| entry.at(now()))))
            .await
    }

    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let states: Vec<&str> = filter.states.iter().map(|state| state.as_str()).collect();
        let states = serde_json::to_string(&states).map_err(LedgerError::unavailable)?;
        let (filter, now) = (filter.clone(), self.clock());
        self.writer
            .run(move |connection| {
                let mut select = connection.prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM ledger_calls call
                     LEFT JOIN ledger_approvals approval ON approval.id = call.request_id
                     WHERE call.position > ?2 AND (?3 IS NULL OR call.scope = ?3) AND (?4 IS NULL OR call.tool = ?4)
                     AND (?5 = '[]' OR CASE WHEN call.state = 'running' AND call.lease_until <= ?1
                         THEN CASE WHEN call.repeatable THEN 'claimed' ELSE 'unknown' END ELSE call.state END
                         IN (SELECT value FROM json_each(?5)))
                     ORDER BY call.position LIMIT ?6"
                ))?;
                let (now, after) = (now(), page.after.map_or(-1, position_column));
                let limit = i64::try_from(page.limit.min(Page::MAX_LIMIT)).unwrap_or(i64::MAX);
                let LedgerFilter { scope, tool, .. } = &filter;
                let mut rows = select.query(params![column(now), after, scope, tool, states, limit])?;
                let (mut entries, mut bytes) = (Vec::new(), 0);
                // Checked before a row, so that a page has at least one entry and callers always advance.
                while let Some(row) = rows.next()?
                    && bytes < PAGE_BYTES
                {
                    let row = row_of(row)?;
                    bytes += row.bytes();
                    entries.push(row.into_entry()?.at(now));
                }
                Ok(entries)
            })
            .await
    }

    async fn prune(&self, age: Duration) -> Result<u64, LedgerError> {
        let now = self.clock();
        self.writer
            .run(move |connection| {
                // Unknown calls stay: a removed key counts as new, and its call would run again.
                let removed = connection.execute(
                    "DELETE FROM ledger_calls WHERE settled_at <= ?1
                     AND state IN ('done', 'failed_without_effect', 'failed_with_possible_effect')",
                    [column(now()).saturating_sub(milliseconds(age))],
                )?;
                Ok(removed as u64)
            })
            .await
    }
}

/// Returns an error if no row had the token of the caller.
fn held(rows: usize) -> Result<(), OperationError> {
    match rows {
        0 => Err(LedgerError::LeaseLost.into()),
        _ => Ok(()),
    }
}

/// Stores an entry that runs or waits, in place of an earlier one of its key. `json` is its intent.
pub(super) fn save(
    connection: &Connection,
    entry: &LedgerEntry,
    json: &str,
) -> Result<(), OperationError> {
    let mut save = connection.prepare_cached(
        "INSERT INTO ledger_calls (scope, key, tool, state, repeatable, since, lease_until, token, claims, intent,
             request_id, withdrawn)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (scope, key) DO UPDATE SET tool = excluded.tool, state = excluded.state,
             repeatable = excluded.repeatable, since = excluded.since, lease_until = excluded.lease_until,
             token = excluded.token, claims = excluded.claims, settled_at = NULL, intent = excluded.intent,
             result = NULL, request_id = excluded.request_id, withdrawn = excluded.withdrawn",
    )?;
    save.execute(params![
        entry.key.scope,
        entry.key.key,
        entry.intent.tool,
        entry.state.as_str(),
        entry.intent.repeatable,
        column(entry.since),
        entry.lease_until.map(column),
        entry.token.map(token_column),
        entry.claims,
        json,
        entry.request.as_ref().map(|request| &request.id),
        entry.withdrawn,
    ])?;
    Ok(())
}

/// Returns the entry of a key with its stored state.
pub(super) fn load(
    connection: &Connection,
    key: &CallKey,
) -> Result<Option<LedgerEntry>, OperationError> {
    let query = format!(
        "SELECT {COLUMNS} FROM ledger_calls call LEFT JOIN ledger_approvals approval ON approval.id = call.request_id
         WHERE call.scope = ?1 AND call.key = ?2"
    );
    let mut select = connection.prepare_cached(&query)?;
    let row = select
        .query_row((&key.scope, &key.key), row_of)
        .optional()?;
    Ok(row.map(Row::into_entry).transpose()?)
}

fn row_of(row: &rusqlite::Row<'_>) -> Result<Row, rusqlite::Error> {
    Ok(Row {
        position: row.get(0)?,
        scope: row.get(1)?,
        key: row.get(2)?,
        state: row.get(3)?,
        since: row.get(4)?,
        lease_until: row.get(5)?,
        token: row.get(6)?,
        claims: row.get(7)?,
        intent: row.get(8)?,
        result: row.get(9)?,
        request: row.get(10)?,
        withdrawn: row.get(11)?,
    })
}
