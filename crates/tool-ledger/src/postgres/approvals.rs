//! Operations on requests for approval.

use deadpool_postgres::Transaction;
use tool_core::approval::ApprovalRequest;
use tool_core::ledger::{CallKey, Intent, LedgerError};

use super::calls::{NOW, load};
use super::connection::{Connections, Failure};
use crate::store::{damaged, position_column};

/// A request to store.
pub(super) struct NewRequest<'r> {
    pub(super) request: &'r ApprovalRequest,
    pub(super) call: Option<(&'r CallKey, Intent)>,
    pub(super) json: String,
    pub(super) limit: usize,
}

/// Stores a request and the entry of its call. Returns `false` if the limit of requests is reached.
pub(super) async fn put(connections: &Connections, new: &NewRequest<'_>) -> Result<bool, Failure> {
    connections
        .run(async |client| {
            let transaction = client.transaction().await?;
            // Not exact: concurrent transactions do not see each other's rows, so a few more can be stored.
            let query = "SELECT count(*) FROM ledger_approvals WHERE id <> $1";
            let waiting: i64 = transaction
                .query_one(query, &[&new.request.id])
                .await?
                .get(0);
            if usize::try_from(waiting).unwrap_or(usize::MAX) >= new.limit {
                return Ok(false);
            }
            let key = new.call.as_ref().map(|(key, _)| *key);
            let (scope, key) = (key.map(|key| &key.scope), key.map(|key| &key.key));
            let insert =
                "INSERT INTO ledger_approvals (id, scope, key, request) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (id) DO UPDATE SET request = excluded.request";
            transaction
                .execute(insert, &[&new.request.id, &scope, &key, &new.json])
                .await?;
            if let Some((key, intent)) = &new.call {
                wait(&transaction, key, intent, new.request).await?;
            }
            transaction.commit().await?;
            Ok(true)
        })
        .await
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

pub(super) async fn list(connections: &Connections) -> Result<Vec<ApprovalRequest>, Failure> {
    connections
        .run(async |client| {
            let query = "SELECT request FROM ledger_approvals ORDER BY position";
            let rows = client.query(query, &[]).await?;
            rows.iter().map(|row| parse(row.get(0))).collect()
        })
        .await
}

pub(super) async fn find(
    connections: &Connections,
    id: &str,
) -> Result<Option<ApprovalRequest>, Failure> {
    connections
        .run(async |client| {
            let query = "SELECT request FROM ledger_approvals WHERE id = $1";
            let row = client.query_opt(query, &[&id]).await?;
            row.map(|row| parse(row.get(0))).transpose()
        })
        .await
}

/// Removes a request, and withdraws it from the entry of its call.
pub(super) async fn take(
    connections: &Connections,
    id: &str,
) -> Result<Option<ApprovalRequest>, Failure> {
    connections
        .run(async |client| {
            let transaction = client.transaction().await?;
            // In the order of a claim, so that the two do not wait for each other.
            let update = format!(
                "UPDATE ledger_calls SET state = 'failed_without_effect', settled_at = {NOW}, request_id = NULL, withdrawn = $1
                 WHERE request_id = $1 AND state = 'awaiting_approval'"
            );
            transaction.execute(&update, &[&id]).await?;
            let delete = "DELETE FROM ledger_approvals WHERE id = $1 RETURNING request";
            let row = transaction.query_opt(delete, &[&id]).await?;
            let request = row.map(|row| parse(row.get(0))).transpose()?;
            transaction.commit().await?;
            Ok(request)
        })
        .await
}

fn parse(request: &str) -> Result<ApprovalRequest, Failure> {
    Ok(serde_json::from_str(request).map_err(|error| damaged(&error))?)
}
