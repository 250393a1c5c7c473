//! Stored outputs.

use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::params;
use tool_core::output_store::{OutputHandle, OutputStore, StoreError, StoredPage};

use super::SqliteLedger;
use crate::store::{column, io_error, milliseconds, new_handle, page_of};

#[async_trait]
impl OutputStore for SqliteLedger {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        let (bytes, limits) = (text.len() as u64, self.limits.outputs);
        if bytes > limits.max_bytes {
            return Err(StoreError::TooLarge { bytes });
        }
        let handle = new_handle()?;
        let (stored, now) = (handle.clone(), self.clock());
        let put = self.writer.run(move |connection| {
            let (now, bytes) = (column(now()), i64::try_from(bytes).unwrap_or(i64::MAX));
            connection.execute(
                "INSERT INTO ledger_outputs (handle, created, bytes, text) VALUES (?1, ?2, ?3, ?4)",
                params![stored.as_str(), now, bytes, text.as_bytes()],
            )?;
            // The newest outputs that fit stay.
            connection.execute(
                "DELETE FROM ledger_outputs WHERE created < ?1 OR position NOT IN (
                     SELECT position FROM (
                         SELECT position, sum(bytes) OVER newest AS total, row_number() OVER newest AS number
                         FROM ledger_outputs WINDOW newest AS (ORDER BY position DESC)
                     ) WHERE total <= ?2 AND number <= ?3
                 )",
                params![
                    now.saturating_sub(milliseconds(limits.max_age)),
                    i64::try_from(limits.max_bytes).unwrap_or(i64::MAX),
                    i64::try_from(limits.max_entries).unwrap_or(i64::MAX)
                ],
            )?;
            Ok(())
        });
        put.await.map_err(io_error)?;
        Ok(handle)
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let (handle, now, age) = (handle.clone(), self.clock(), self.limits.outputs.max_age);
        let page = self.writer.run(move |connection| {
            let oldest = column(now()).saturating_sub(milliseconds(age));
            let query = "SELECT text FROM ledger_outputs WHERE handle = ?1 AND created >= ?2";
            let mut select = connection.prepare_cached(query)?;
            let mut rows = select.query(params![handle.as_str(), oldest])?;
            let text = match rows.next()? {
                Some(row) => Some(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?),
                None => None,
            };
            Ok(page_of(text, offset, limit))
        });
        page.await.map_err(io_error)?
    }
}
