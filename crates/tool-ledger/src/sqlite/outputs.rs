//! Operations on stored outputs.

use std::time::Duration;

use rusqlite::{Connection, params};
use tool_core::Timestamp;
use tool_core::output_store::{OutputHandle, StoreError, StoreLimits, StoredPage};

use super::file::OperationError;
use crate::store::{column, milliseconds, page_of};

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

/// Reads a page.
pub(super) fn read(
    connection: &Connection,
    handle: &OutputHandle,
    offset: u64,
    limit: usize,
    now: Timestamp,
    age: Duration,
) -> Result<Result<StoredPage, StoreError>, OperationError> {
    let oldest = column(now).saturating_sub(milliseconds(age));
    let mut select = connection
        .prepare_cached("SELECT text FROM ledger_outputs WHERE handle = ?1 AND created >= ?2")?;
    let mut rows = select.query(params![handle.as_str(), oldest])?;
    let text = match rows.next()? {
        Some(row) => Some(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?),
        None => None,
    };
    Ok(page_of(text, offset, limit))
}
