//! Operations on calls.

use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::tokio_postgres::types::ToSql;
use deadpool_postgres::{Client, GenericClient, tokio_postgres};
use tool_core::Timestamp;
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter, Page,
    Settled,
};

use super::PostgresLedger;
use super::connection::{Attempts, Failure, check_version, is_supported, repeated};
use crate::store::{COLUMNS, Row, milliseconds, new_token, position_column, time, token_column};

/// Time of the database in milliseconds since 1970.
// Not `now()`, which is the start of the transaction: one that waited for a lock would use an old time.
pub(super) const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

#[async_trait]
impl Ledger for PostgresLedger {
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError> {
        key.check()?;
        let claim = NewClaim {
            key,
            intent,
            json: self.limits.json(intent)?,
            // Before the first attempt, so that a repeated one recognizes the entry of a lost one.
            token: new_token()?,
            lease: milliseconds(lease),
        };
        let run = async |client: &mut Client| {
            // A new key is the normal case, so it takes one statement, which also checks the schema.
            if insert(client, &claim).await? {
                return Ok(Claim::New(claim.token));
            }
            check_version(client).await?;
            claim_again(client, &claim).await
        };
        repeated(|| self.connections.run(run)).await
    }

    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        let (token, lease) = (token_column(token), milliseconds(lease));
        let renew = async |client: &mut Client| {
            let update = client
                .prepare_cached(&format!(
                    "UPDATE ledger_calls SET lease_until = {NOW} + $1
                     WHERE scope = $2 AND key = $3 AND token = $4 AND state = 'running'"
                ))
                .await?;
            let held: [&(dyn ToSql + Sync); 4] = [&lease, &key.scope, &key.key, &token];
            match client.execute(&update, &held).await? {
                0 => Err(LedgerError::LeaseLost.into()),
                _ => Ok(()),
            }
        };
        repeated(|| self.connections.run(renew)).await
    }

    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError> {
        let (state, token) = (outcome.state().as_str(), token_column(token));
        let result = self.limits.json(outcome.result())?;
        let mut attempts = Attempts::start();
        loop {
            // An earlier attempt may have stored it.
            let is_repeated = attempts.is_repeated();
            let settle = async |client: &mut Client| {
                let update = format!(
                    "UPDATE ledger_calls SET state = $1, result = $2, settled_at = {NOW}, lease_until = NULL
                     WHERE scope = $3 AND key = $4 AND token = $5 AND state IN ('running', 'unknown')"
                );
                let update = client.prepare_cached(&update).await?;
                let settled: [&(dyn ToSql + Sync); 5] =
                    [&state, &result, &key.scope, &key.key, &token];
                // Also `unknown`: a late outcome is kept while no other claim has replaced the token.
                if client.execute(&update, &settled).await? == 1 {
                    return Ok(());
                }
                let query = "SELECT 1 FROM ledger_calls
                     WHERE state = $1 AND result = $2 AND scope = $3 AND key = $4 AND token = $5";
                // The lost attempt has stored it. Only a repeated one may say so: a second outcome is an error.
                if is_repeated && client.query_opt(query, &settled).await?.is_some() {
                    return Ok(());
                }
                Err(LedgerError::LeaseLost.into())
            };
            match self.connections.run(settle).await {
                Ok(()) => return Ok(()),
                Err(failure) => attempts.pause(failure).await?,
            }
        }
    }

    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
        key.check()?;
        let find = async |client: &mut Client| {
            let found = load(client, key, "").await?;
            Ok(found.map(|(entry, now)| entry.at(now)))
        };
        repeated(|| self.connections.run(find)).await
    }

    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let list = async |client: &mut Client| {
            // The sum of the bytes bounds the page.
            let select = client
                .prepare_cached(&format!(
                    "WITH page AS (
                         SELECT {COLUMNS}, clock.now AS now,
                             sum(length(call.intent) + coalesce(length(call.result), 0)) OVER (ORDER BY call.position)
                                 - coalesce(length(call.result), 0) AS bytes
                         FROM (SELECT {NOW} AS now) clock, ledger_calls call
                         LEFT JOIN ledger_approvals approval ON approval.id = call.request_id
                         WHERE call.position > $1 AND ($2::text IS NULL OR call.scope = $2)
                         AND ($3::text IS NULL OR call.tool = $3)
                         AND (cardinality($4::text[]) = 0 OR CASE WHEN call.state = 'running' AND call.lease_until <= clock.now
                             THEN CASE WHEN call.repeatable THEN 'claimed' ELSE 'unknown' END ELSE call.state END = ANY($4))
                         ORDER BY call.position LIMIT $5
                     ) SELECT * FROM page WHERE bytes <= 33554432 ORDER BY position"
                ))
                .await?;
            // The sum omits an entry's own result, so that the first entry fits and a page always advances.
            let after = page.after.map_or(-1, position_column);
            let states: Vec<&str> = filter.states.iter().map(|state| state.as_str()).collect();
            let limit = i64::try_from(page.limit.min(Page::MAX_LIMIT)).unwrap_or(i64::MAX);
            let rows = client
                .query(
                    &select,
                    &[&after, &filter.scope, &filter.tool, &states, &limit],
                )
                .await?;
            let entry = |row: &tokio_postgres::Row| {
                let now = time(row.get(12));
                Ok(row_of(row).into_entry()?.at(now))
            };
            rows.iter().map(entry).collect()
        };
        repeated(|| self.connections.run(list)).await
    }

    async fn prune(&self, age: Duration) -> Result<u64, LedgerError> {
        let age = milliseconds(age);
        let prune = async |client: &mut Client| {
            let delete = format!(
                "DELETE FROM ledger_calls WHERE settled_at <= {NOW} - $1
                 AND state IN ('done', 'failed_without_effect', 'failed_with_possible_effect')"
            );
            Ok(client.execute(&delete, &[&age]).await?)
        };
        repeated(|| self.connections.run(prune)).await
    }
}

/// A claim with its token, which identifies it after a lost connection.
struct NewClaim<'c> {
    key: &'c CallKey,
    intent: &'c Intent,
    json: String,
    token: LeaseToken,
    /// Milliseconds.
    lease: i64,
}

/// Stores the entry of a new key. Returns `false` if the key is known or the schema is newer.
async fn insert(client: &Client, claim: &NewClaim<'_>) -> Result<bool, Failure> {
    let insert = client
        .prepare_cached(&format!(
            "INSERT INTO ledger_calls (scope, key, tool, state, repeatable, since, lease_until, token, claims, intent)
             SELECT $1, $2, $3, 'running', $4::boolean, {NOW}, {NOW} + $5::bigint, $6::bigint, 1, $7 WHERE {}
             ON CONFLICT (scope, key) DO NOTHING",
            is_supported()
        ))
        .await?;
    let NewClaim {
        key, intent, json, ..
    } = claim;
    let stored = client
        .execute(
            &insert,
            &[
                &key.scope,
                &key.key,
                &intent.tool,
                &intent.repeatable,
                &claim.lease,
                &token_column(claim.token),
                json,
            ],
        )
        .await?;
    Ok(stored == 1)
}

/// Returns the response to a claim of a known key, or `None` if the call may run.
fn answer(entry: &LedgerEntry, claim: &NewClaim<'_>) -> Option<Claim> {
    if entry.token == Some(claim.token) {
        // An earlier attempt stored it, and its response was lost.
        return Some(Claim::New(claim.token));
    }
    entry.claim_for(claim.intent)
}

/// Claims a known key.
async fn claim_again(client: &mut Client, claim: &NewClaim<'_>) -> Result<Claim, Failure> {
    // Without a lock, because most callers only need the response.
    if let Some((entry, now)) = load(client, claim.key, "").await?
        && let Some(answer) = answer(&entry.at(now), claim)
    {
        return Ok(answer);
    }
    let transaction = client.transaction().await?;
    // `OF call`, because PostgreSQL rejects a lock of the optional side of an outer join.
    let Some((entry, now)) = load(&transaction, claim.key, "FOR UPDATE OF call").await? else {
        // It was removed in between.
        let removed = LedgerError::unavailable("the entry was removed");
        // `Lost`, so that the claim starts again and finds a new key.
        return Err(Failure::Lost(removed));
    };
    let entry = entry.at(now);
    if let Some(answer) = answer(&entry, claim) {
        return Ok(answer);
    }
    if let Some(request) = &entry.request {
        let delete = "DELETE FROM ledger_approvals WHERE id = $1";
        transaction.execute(delete, &[&request.id]).await?;
    }
    let update = transaction
        .prepare_cached(&format!(
            "UPDATE ledger_calls SET tool = $1, state = 'running', repeatable = $2, since = {NOW}, lease_until = {NOW} + $3,
                 token = $4, claims = claims + 1, settled_at = NULL, intent = $5, result = NULL, request_id = NULL,
                 withdrawn = NULL
             WHERE position = $6"
        ))
        .await?;
    transaction
        .execute(
            &update,
            &[
                &claim.intent.tool,
                &claim.intent.repeatable,
                &claim.lease,
                &token_column(claim.token),
                &claim.json,
                &position_column(entry.position),
            ],
        )
        .await?;
    transaction.commit().await?;
    Ok(Claim::New(claim.token))
}

/// Returns the entry of a key with its stored state, and the time of the database.
pub(super) async fn load(
    client: &impl GenericClient,
    key: &CallKey,
    lock: &str,
) -> Result<Option<(LedgerEntry, Timestamp)>, Failure> {
    let select = client
        .prepare_cached(&format!(
            "SELECT {COLUMNS}, {NOW} FROM ledger_calls call
             LEFT JOIN ledger_approvals approval ON approval.id = call.request_id
             WHERE call.scope = $1 AND call.key = $2 {lock}"
        ))
        .await?;
    let Some(row) = client.query_opt(&select, &[&key.scope, &key.key]).await? else {
        return Ok(None);
    };
    let now = time(row.get(12));
    Ok(Some((row_of(&row).into_entry()?, now)))
}

fn row_of(row: &tokio_postgres::Row) -> Row {
    Row {
        position: row.get(0),
        scope: row.get(1),
        key: row.get(2),
        state: row.get(3),
        since: row.get(4),
        lease_until: row.get(5),
        token: row.get(6),
        claims: row.get(7),
        intent: row.get(8),
        result: row.get(9),
        request: row.get(10),
        withdrawn: row.get(11),
    }
}
