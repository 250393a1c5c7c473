//! Stored outputs.

use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::Client;
use tool_core::output_store::{OutputHandle, OutputStore, StoreError, StoredPage};

use super::PostgresLedger;
use super::calls::NOW;
use super::connection::repeated;
use crate::store::{io_error, milliseconds, new_handle, page_of};

#[async_trait]
impl OutputStore for PostgresLedger {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        let (bytes, limits) = (text.len() as u64, self.limits.outputs);
        if bytes > limits.max_bytes {
            return Err(StoreError::TooLarge { bytes });
        }
        let handle = new_handle()?;
        let column = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let (bytes, most) = (column(bytes), column(limits.max_bytes));
        let (age, entries) = (
            milliseconds(limits.max_age),
            column(limits.max_entries as u64),
        );
        // A repeated attempt finds the row of a lost one.
        let put = async |client: &mut Client| {
            let transaction = client.transaction().await?;
            let insert = format!(
                "INSERT INTO ledger_outputs (handle, created, bytes, text) VALUES ($1, {NOW}, $2, $3)
                 ON CONFLICT (handle) DO NOTHING"
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
            transaction
                .execute(&delete, &[&age, &most, &entries])
                .await?;
            Ok(transaction.commit().await?)
        };
        repeated(|| self.connections.run(put))
            .await
            .map_err(io_error)?;
        Ok(handle)
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let age = milliseconds(self.limits.outputs.max_age);
        let read = async |client: &mut Client| {
            let select = format!(
                "SELECT text FROM ledger_outputs WHERE handle = $1 AND created >= {NOW} - $2"
            );
            let select = client.prepare_cached(&select).await?;
            let row = client.query_opt(&select, &[&handle.as_str(), &age]).await?;
            Ok(page_of(row.as_ref().map(|row| row.get(0)), offset, limit))
        };
        let page = repeated(|| self.connections.run(read)).await;
        page.map_err(io_error)?
    }
}
