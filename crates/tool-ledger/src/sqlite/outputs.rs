//! Operations on stored outputs.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};
use tool_core::Timestamp;
use tool_core::output_store::{OutputHandle, PageWindow, StoreError, StoreLimits, StoredPage};

use super::file::OperationError;
use crate::store::{column, milliseconds};

/// Stores an output, and removes old ones over the limits.
pub(super) fn put(
    connection: &Connection,
    handle: &OutputHandle,
    text: &str,
    limits: StoreLimits,
    now: Timestamp,
) -> Result<(), OperationError> {
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    connection.execute(
        "INSERT INTO ledger_outputs (handle, created, bytes, text) VALUES (?1, ?2, ?3, ?4)",
        params![handle.as_str(), column(now), bytes, text.as_bytes()],
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
            column(now).saturating_sub(milliseconds(limits.max_age)),
            i64::try_from(limits.max_bytes).unwrap_or(i64::MAX),
            i64::try_from(limits.max_entries).unwrap_or(i64::MAX)
        ],
    )?;
    Ok(())
}

/// Reads a page. Only its bytes are read.
pub(super) fn read(
    connection: &Connection,
    handle: &OutputHandle,
    offset: u64,
    limit: usize,
    now: Timestamp,
    age: Duration,
) -> Result<Result<StoredPage, StoreError>, OperationError> {
    let Ok(window) = PageWindow::new(offset, limit, u64::MAX) else {
        return Ok(Err(StoreError::Unknown));
    };
    let start = i64::try_from(window.start()).unwrap_or(i64::MAX - 1);
    let bytes = i64::try_from(window.bytes()).unwrap_or(i64::MAX);
    let oldest = column(now).saturating_sub(milliseconds(age));
    let mut select = connection.prepare_cached(
        "SELECT bytes, substr(text, ?1, ?2) FROM ledger_outputs WHERE handle = ?3 AND created >= ?4",
    )?;
    let found = select
        .query_row(params![start + 1, bytes, handle.as_str(), oldest], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
        })
        .optional()?;
    let Some((total, read)) = found else {
        return Ok(Err(StoreError::Unknown));
    };
    let total = u64::try_from(total).unwrap_or_default();
    Ok(PageWindow::new(offset, limit, total)
        .and_then(|window| window.page(&read.unwrap_or_default())))
}
