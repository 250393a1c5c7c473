//! The thread of a file, which commits waiting operations together, and the schema of the file.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};
use tool_core::Timestamp;
use tool_core::ledger::LedgerError;

use crate::store::column;

/// Maximum number of waiting operations. Further ones wait for capacity.
const WAITING: usize = 1024;
/// Maximum number of operations in one transaction.
const GROUP: usize = 256;

/// What SQLite calls a database in memory.
const MEMORY: &str = ":memory:";

/// Error of all operations of a transaction.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
struct FileError(Arc<rusqlite::Error>);

/// Handle of the thread. The thread exits after the last handle is dropped.
#[derive(Clone)]
pub(super) struct Writer(mpsc::Sender<Operation>);

/// An operation and its caller.
struct Operation {
    work: Work,
    reply: oneshot::Sender<Outcome>,
}

type Work = Box<dyn FnOnce(&Connection) -> Result<Value, OperationError> + Send>;
type Outcome = Result<Value, LedgerError>;
/// Value of any operation. Its caller knows the type.
type Value = Box<dyn Any + Send>;

impl Writer {
    pub(super) async fn open(path: PathBuf) -> Result<Self, LedgerError> {
        let (writer, opened) = Self::start(path)?;
        opened.await.map_err(LedgerError::unavailable)??;
        Ok(writer)
    }

    /// Opens a database in memory. If that fails, every operation does.
    pub(super) fn in_memory() -> Result<Self, LedgerError> {
        Ok(Self::start(PathBuf::from(MEMORY))?.0)
    }

    /// Starts the thread, and returns its handle and what becomes of the file.
    fn start(
        path: PathBuf,
    ) -> Result<(Self, oneshot::Receiver<Result<(), LedgerError>>), LedgerError> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let (ready, opened) = oneshot::channel();
        thread::Builder::new()
            // Own thread, because rusqlite blocks.
            .name("tool-ledger".to_owned())
            .spawn(move || serve(&path, receiver, ready))
            .map_err(LedgerError::unavailable)?;
        Ok((Self(sender), opened))
    }

    /// Executes an operation in the thread. Returns after its commit.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, OperationError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let (reply, outcome) = oneshot::channel();
        let work: Work = Box::new(move |connection| Ok(Box::new(work(connection)?)));
        let stopped = || LedgerError::unavailable("the thread of the ledger stopped");
        let sent = self.0.send(Operation { work, reply }).await;
        sent.map_err(|_| stopped())?;
        let value = outcome.await.map_err(|_| stopped())??;
        value.downcast().map(|value| *value).map_err(|_| stopped())
    }
}

/// Executes operations until the last handle is dropped.
fn serve(
    path: &Path,
    mut receiver: mpsc::Receiver<Operation>,
    ready: oneshot::Sender<Result<(), LedgerError>>,
) {
    let mut file = match create(path) {
        Ok(connection) => File::new(path, connection),
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    // Without a caller there is no handle either, and the loop ends at once.
    let _ = ready.send(Ok(()));
    while let Some(first) = receiver.blocking_recv() {
        let mut group = vec![first];
        while group.len() < GROUP
            // Only those that wait already. A pause for further operations would delay a single caller.
            && let Ok(next) = receiver.try_recv()
        {
            group.push(next);
        }
        let (works, replies): (Vec<_>, Vec<_>) = group
            .into_iter()
            .map(|operation| (operation.work, operation.reply))
            .unzip();
        // Replies follow the commit, because a caller starts its tool after the reply.
        let outcomes = match file.execute(works) {
            Ok(outcomes) => outcomes,
            Err(error) => {
                let failed = || Err(LedgerError::unavailable(error.clone()));
                replies.iter().map(|_| failed()).collect()
            }
        };
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // The caller may have been dropped.
            let _ = reply.send(outcome);
        }
    }
}

/// The open file.
struct File {
    path: PathBuf,
    identity: Option<(u64, u64)>,
    connection: Option<Connection>,
}

impl File {
    fn new(path: &Path, connection: Connection) -> Self {
        Self {
            path: path.to_owned(),
            identity: identity(path),
            connection: Some(connection),
        }
    }

    /// Executes a group in one transaction. After an error, the next group opens the file again.
    fn execute(&mut self, group: Vec<Work>) -> Result<Vec<Outcome>, FileError> {
        let outcome = self.try_execute(group);
        if let Err(error) = &outcome {
            tracing::error!(error = %error, "the file of the ledger failed");
            // In memory, the transaction was rolled back, and opening again would lose everything.
            if self.path != Path::new(MEMORY) {
                self.connection = None;
            }
        }
        outcome.map_err(|error| FileError(Arc::new(error)))
    }

    fn try_execute(&mut self, group: Vec<Work>) -> Result<Vec<Outcome>, rusqlite::Error> {
        // A removed file can still be written, but no other process would find it.
        let found = identity(&self.path);
        let is_same = found.is_some() && found == self.identity;
        let connection = match &mut self.connection {
            Some(connection) if is_same || self.path == Path::new(MEMORY) => connection,
            connection => {
                let opened = reopen(&self.path)?;
                self.identity = identity(&self.path);
                connection.insert(opened)
            }
        };
        // A deferred transaction that read first fails with `SQLITE_BUSY_SNAPSHOT`, and the busy timeout does not help.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut outcomes = Vec::with_capacity(group.len());
        for work in group {
            outcomes.push(match work(&transaction) {
                Ok(value) => Ok(value),
                Err(OperationError::Rejected(error)) => Err(error),
                Err(OperationError::File(error)) => return Err(error),
            });
        }
        transaction.commit()?;
        Ok(outcomes)
    }
}

/// Device and number of a file, which a replacement changes.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|_| (0, 0))
}

/// Error of an operation.
pub(super) enum OperationError {
    /// The file failed, so the transaction is rolled back.
    File(rusqlite::Error),
    /// The operation is rejected and has written nothing.
    Rejected(LedgerError),
}

impl From<rusqlite::Error> for OperationError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl From<LedgerError> for OperationError {
    fn from(error: LedgerError) -> Self {
        Self::Rejected(error)
    }
}

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
fn create(path: &Path) -> Result<Connection, LedgerError> {
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
fn reopen(path: &Path) -> Result<Connection, rusqlite::Error> {
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
pub(super) fn check_version(connection: &Connection) -> Result<(), OperationError> {
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
