//! Schema of the file, and its migrations.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use tool_core::Timestamp;
use tool_core::ledger::LedgerError;

use super::OperationError;
use crate::row::column;

/// Time that a transaction waits for other processes. SQLite does not queue them fairly.
const BUSY: Duration = Duration::from_secs(10);

/// Statements that create each version from the previous one.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE ledger_calls (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        scope TEXT NOT NULL,
        key TEXT NOT NULL,
        tool TEXT NOT NULL,
        state TEXT NOT NULL,
        repeatable INTEGER NOT NULL,
        since INTEGER NOT NULL,
        lease_until INTEGER,
        token INTEGER,
        claims INTEGER NOT NULL,
        settled_at INTEGER,
        intent TEXT NOT NULL,
        result TEXT,
        request_id TEXT,
        withdrawn TEXT,
        UNIQUE (scope, key)
    ) STRICT;
    CREATE INDEX ledger_calls_settled ON ledger_calls (settled_at) WHERE settled_at IS NOT NULL;
    CREATE TABLE ledger_approvals (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        scope TEXT,
        key TEXT,
        request TEXT NOT NULL
    ) STRICT;
    CREATE TABLE ledger_outputs (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        handle TEXT NOT NULL UNIQUE,
        created INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        text BLOB NOT NULL
    ) STRICT;
"];

/// Query of the version of a file.
const VERSION: &str = "SELECT coalesce(max(version), 0) FROM ledger_schema";

/// Latest version of the schema.
fn latest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Opens a file, which is created if it is missing, and migrates it.
pub(super) fn create(path: &Path) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::default();
    let mut connection = open(path, flags).map_err(LedgerError::unavailable)?;
    // SQLite opens a write-protected file for reading, and the first claim would fail instead.
    if connection.is_readonly("main").unwrap_or(true) {
        return Err(LedgerError::unavailable("the file is read-only"));
    }
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens a file that exists.
pub(super) fn reopen(path: &Path) -> Result<Connection, rusqlite::Error> {
    // A file that is missing must not become an empty one, in which every key is new and would run again.
    let flags = OpenFlags::default().difference(OpenFlags::SQLITE_OPEN_CREATE);
    let mut connection = open(path, flags)?;
    migrate(&mut connection).map_err(|error| {
        let failure = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_SCHEMA);
        rusqlite::Error::SqliteFailure(failure, Some(error.to_string()))
    })?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, rusqlite::Error> {
    // Each connection belongs to one thread. A path is not a URI.
    let flags = flags.difference(OpenFlags::SQLITE_OPEN_URI);
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    to_wal(&connection)?;
    // With `NORMAL`, a power failure can lose the last claim, and its call would run twice.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.set_prepared_statement_cache_capacity(32);
    // Otherwise, new values of a prepared query compile it again.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Checks that no newer version of the library has migrated the file since it was opened.
pub(super) fn check(connection: &Connection) -> Result<(), OperationError> {
    let mut select = connection.prepare_cached(VERSION)?;
    rejected(select.query_row((), |row| row.get(0))?).map_err(OperationError::Rejected)
}

/// Returns an error if version `found` is newer than this library.
fn rejected(found: u32) -> Result<(), LedgerError> {
    let supported = latest();
    if found > supported {
        return Err(LedgerError::NewerSchema { found, supported });
    }
    Ok(())
}

/// Sets the journal mode. Processes that do this at the same time can fail without a wait.
fn to_wal(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mut attempt = 0;
    loop {
        let set = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match set {
            // For as long as `BUSY`, in steps of 50 ms.
            Err(error) if is_busy(&error) && attempt < 200 => {
                attempt += 1;
                std::thread::sleep(Duration::from_millis(50));
            }
            other => return other.map(drop),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Migrates the schema in one transaction.
fn migrate(connection: &mut Connection) -> Result<(), LedgerError> {
    let failed = |error: rusqlite::Error| LedgerError::unavailable(error);
    let transaction = connection
        // A transaction that reads first fails at its write with `SQLITE_BUSY_SNAPSHOT`, without a wait, if another
        // process wrote in between.
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    let create = "CREATE TABLE IF NOT EXISTS ledger_schema (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT";
    transaction.execute(create, ()).map_err(failed)?;
    let found: u32 = transaction
        .query_row(VERSION, (), |row| row.get(0))
        .map_err(failed)?;
    rejected(found)?;
    for (version, statements) in (1..).zip(MIGRATIONS) {
        if version > found {
            transaction.execute_batch(statements).map_err(failed)?;
            let applied = (version, column(Timestamp::now()));
            transaction
                .execute(
                    "INSERT INTO ledger_schema (version, applied_at) VALUES (?1, ?2)",
                    applied,
                )
                .map_err(failed)?;
        }
    }
    transaction.commit().map_err(failed)
}
