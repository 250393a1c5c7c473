//! Operations on stored outputs.

use std::time::Duration;

use tool_core::output_store::{OutputHandle, StoreError, StoreLimits, StoredPage};

use super::calls::NOW;
use super::connection::{Connections, Failure};
use crate::store::{milliseconds, page_of};

/// Stores an output, and removes old ones over the limits.
pub(super) async fn put(
    connections: &Connections,
    handle: &OutputHandle,
    text: &str,
    limits: StoreLimits,
) -> Result<(), Failure> {
    connections
        .run(async |client| {
            let transaction = client.transaction().await?;
            let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
            let insert = format!(
                "INSERT INTO ledger_outputs (handle, created, bytes, text) VALUES ($1, {NOW}, $2, $3)"
            );
            let stored = text.as_bytes();
            transaction
                .execute(&insert, &[&handle.as_str(), &bytes, &stored])
                .await?;
            // The newest outputs that fit stay.
            let delete = format!(
                "DELETE FROM ledger_outputs WHERE created < {NOW} - $1 OR position NOT IN (
                     SELECT position FROM (
                         SELECT position, sum(bytes) OVER newest AS total, row_number() OVER newest AS number
                         FROM ledger_outputs WINDOW newest AS (ORDER BY position DESC)
                     ) numbered WHERE total <= $2::bigint AND number <= $3
                 )"
            );
            let (age, most) = (milliseconds(limits.max_age), limits.max_bytes);
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let entries = i64::try_from(limits.max_entries).unwrap_or(i64::MAX);
            transaction.execute(&delete, &[&age, &most, &entries]).await?;
            Ok(transaction.commit().await?)
        })
        .await
}

/// Reads a page.
pub(super) async fn read(
    connections: &Connections,
    handle: &OutputHandle,
    offset: u64,
    limit: usize,
    age: Duration,
) -> Result<Result<StoredPage, StoreError>, Failure> {
    connections
        .run(async |client| {
            let select = format!(
                "SELECT text FROM ledger_outputs WHERE handle = $1 AND created >= {NOW} - $2"
            );
            let select = client.prepare_cached(&select).await?;
            let age = milliseconds(age);
            let row = client.query_opt(&select, &[&handle.as_str(), &age]).await?;
            Ok(page_of(row.as_ref().map(|row| row.get(0)), offset, limit))
        })
        .await
}
