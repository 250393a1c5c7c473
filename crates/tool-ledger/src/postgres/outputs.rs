//! Operations on stored outputs.

use std::time::Duration;

use tool_core::output_store::{OutputHandle, PageWindow, StoreError, StoreLimits, StoredPage};

use super::calls::NOW;
use super::connection::{Connections, Failure};
use crate::store::milliseconds;

/// Stores an output, and removes old ones over the limits.
pub(super) async fn put(
    connections: &Connections,
    handle: &OutputHandle,
    text: &str,
    limits: StoreLimits,
) -> Result<(), Failure> {
    let connection = connections.get().await?;
    connection
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

/// Reads a page. Only its bytes are sent.
pub(super) async fn read(
    connections: &Connections,
    handle: &OutputHandle,
    offset: u64,
    limit: usize,
    age: Duration,
) -> Result<Result<StoredPage, StoreError>, Failure> {
    let Ok(window) = PageWindow::new(offset, limit, u64::MAX) else {
        return Ok(Err(StoreError::Unknown));
    };
    // The server counts bytes of a value in 32 bits.
    let start = i32::try_from(window.start()).unwrap_or(i32::MAX - 1);
    let bytes = i32::try_from(window.bytes()).unwrap_or(i32::MAX);
    let bytes = bytes.min(i32::MAX - start - 1);
    let connection = connections.get().await?;
    connection
        .run(async |client| {
            let select = client
                .prepare_cached(&format!(
                    "SELECT bytes, substring(text FROM $1 FOR $2) FROM ledger_outputs
                     WHERE handle = $3 AND created >= {NOW} - $4"
                ))
                .await?;
            let (from, age) = (start + 1, milliseconds(age));
            let row = client
                .query_opt(&select, &[&from, &bytes, &handle.as_str(), &age])
                .await?;
            let Some(row) = row else {
                return Ok(Err(StoreError::Unknown));
            };
            let total = u64::try_from(row.get::<_, i64>(0)).unwrap_or_default();
            let read: &[u8] = row.get(1);
            Ok(PageWindow::new(offset, limit, total).and_then(|window| window.page(read)))
        })
        .await
}
