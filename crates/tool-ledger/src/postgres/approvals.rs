//! Requests for approval.

use async_trait::async_trait;
use deadpool_postgres::{Client, Transaction};
use tool_core::approval::{ApprovalRequest, PendingApprovals, PendingError};
use tool_core::ledger::{CallKey, Intent, LedgerError};

use super::PostgresLedger;
use super::calls::{NOW, load};
use super::connection::{Failure, repeated};
use crate::store::{call_of, damaged, position_column, store_failed};

#[async_trait]
impl PendingApprovals for PostgresLedger {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let call = call_of(request).map_err(store_failed)?;
        let json = self.limits.json(request).map_err(store_failed)?;
        let limit = self.limits.max_requests;
        let put = async |client: &mut Client| {
            let transaction = client.transaction().await?;
            // Not exact: concurrent transactions do not see each other's rows, so a few more can be stored.
            let query = "SELECT count(*) FROM ledger_approvals WHERE id <> $1";
            let waiting: i64 = transaction.query_one(query, &[&request.id]).await?.get(0);
            if usize::try_from(waiting).unwrap_or(usize::MAX) >= limit {
                return Ok(false);
            }
            let insert = "INSERT INTO ledger_approvals (id, request) VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET request = excluded.request";
            transaction.execute(insert, &[&request.id, &json]).await?;
            if let Some((key, intent)) = &call {
                wait(&transaction, key, intent, request).await?;
            }
            transaction.commit().await?;
            Ok(true)
        };
        match repeated(|| self.connections.run(put)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(PendingError::Full { limit }),
            Err(error) => Err(store_failed(error)),
        }
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        let list = async |client: &mut Client| {
            let query = "SELECT request FROM ledger_approvals ORDER BY position";
            let rows = client.query(query, &[]).await?;
            rows.iter().map(|row| parse(row.get(0))).collect()
        };
        let listed = repeated(|| self.connections.run(list)).await;
        listed.map_err(store_failed)
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let take = async |client: &mut Client| {
            let transaction = client.transaction().await?;
            // In the order of a claim, so that the two do not wait for each other.
            let update = format!(
                "UPDATE ledger_calls SET state = 'failed_without_effect', settled_at = {NOW}, request_id = NULL, withdrawn = $1
                 WHERE request_id = $1 AND state = 'awaiting_approval'"
            );
            transaction.execute(&update, &[&request_id]).await?;
            let delete = "DELETE FROM ledger_approvals WHERE id = $1 RETURNING request";
            let row = transaction.query_opt(delete, &[&request_id]).await?;
            let request = row.map(|row| parse(row.get(0))).transpose()?;
            transaction.commit().await?;
            Ok(request)
        };
        // Not repeated: a lost response would hide the request that was taken.
        let taken = self.connections.run(take).await;
        taken.map_err(|failure| store_failed(failure.into_error()))
    }

    async fn find(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let find = async |client: &mut Client| {
            let query = "SELECT request FROM ledger_approvals WHERE id = $1";
            let row = client.query_opt(query, &[&request_id]).await?;
            row.map(|row| parse(row.get(0))).transpose()
        };
        let found = repeated(|| self.connections.run(find)).await;
        found.map_err(store_failed)
    }

    fn claims_requests(&self) -> bool {
        true
    }
}

/// Moves the entry of a call to `awaiting_approval`, unless the call runs or has run.
async fn wait(
    transaction: &Transaction<'_>,
    key: &CallKey,
    intent: &Intent,
    request: &ApprovalRequest,
) -> Result<(), Failure> {
    let json = serde_json::to_string(intent).map_err(LedgerError::unavailable)?;
    let insert = format!(
        "INSERT INTO ledger_calls (scope, key, tool, state, repeatable, since, claims, intent, request_id)
         VALUES ($1, $2, $3, 'awaiting_approval', $4, {NOW}, 0, $5, $6) ON CONFLICT (scope, key) DO NOTHING"
    );
    let (tool, repeatable) = (&intent.tool, &intent.repeatable);
    let inserted = transaction
        .execute(
            &insert,
            &[&key.scope, &key.key, tool, repeatable, &json, &request.id],
        )
        .await?;
    if inserted == 1 {
        return Ok(());
    }
    // The lock keeps a claim from starting the call between this read and the update.
    let Some((entry, now)) = load(transaction, key, "FOR UPDATE OF call").await? else {
        let removed = LedgerError::unavailable("the entry was removed");
        return Err(Failure::Lost(removed));
    };
    let mut entry = entry.at(now);
    if entry.wait_for(request, intent.clone()) {
        let update = "UPDATE ledger_calls SET tool = $1, state = 'awaiting_approval', repeatable = $2, intent = $3,
                 request_id = $4, result = NULL, token = NULL, lease_until = NULL, settled_at = NULL
             WHERE position = $5";
        let position = position_column(entry.position);
        transaction
            .execute(update, &[tool, repeatable, &json, &request.id, &position])
            .await?;
    }
    Ok(())
}

fn parse(request: &str) -> Result<ApprovalRequest, Failure> {
    Ok(serde_json::from_str(request).map_err(|error| damaged(&error))?)
}
