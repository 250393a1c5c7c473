//! The thread of a file, which commits waiting operations together.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};
use tool_core::ledger::LedgerError;

use super::operation_error::OperationError;
use super::schema;

/// Maximum number of waiting operations. Further ones wait for capacity.
const WAITING: usize = 1024;
/// Maximum number of operations in one transaction.
const GROUP: usize = 256;

/// Error of all operations of a transaction.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
struct FileError(Arc<rusqlite::Error>);

impl FileError {
    fn new(error: rusqlite::Error) -> Self {
        Self(Arc::new(error))
    }
}

/// Handle of the thread. The thread exits after the last handle is dropped.
#[derive(Clone)]
pub(super) struct Writer(mpsc::Sender<Box<dyn Operation>>);

impl Writer {
    pub(super) async fn open(path: PathBuf) -> Result<Self, LedgerError> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let (ready, opened) = oneshot::channel();
        thread::Builder::new()
            // Own thread, because rusqlite blocks.
            .name("tool-ledger".to_owned())
            .spawn(move || serve(&path, receiver, ready))
            .map_err(LedgerError::unavailable)?;
        opened.await.map_err(LedgerError::unavailable)??;
        Ok(Self(sender))
    }

    /// Executes an operation in the thread. Returns after its commit.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, OperationError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let (reply, outcome) = oneshot::channel();
        let task = Task {
            work: Some(work),
            outcome: None,
            reply,
        };
        let stopped = || LedgerError::unavailable("the thread of the ledger stopped");
        self.0.send(Box::new(task)).await.map_err(|_| stopped())?;
        outcome.await.map_err(|_| stopped())?
    }
}

/// An operation and its caller.
trait Operation: Send {
    /// Executes the operation. An error rolls the transaction back.
    fn run(&mut self, connection: &Connection) -> Result<(), rusqlite::Error>;

    /// Sends the outcome after the transaction.
    fn reply(self: Box<Self>, committed: Result<(), FileError>);
}

struct Task<T, F> {
    work: Option<F>,
    outcome: Option<Result<T, LedgerError>>,
    reply: oneshot::Sender<Result<T, LedgerError>>,
}

impl<T, F> Operation for Task<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, OperationError> + Send,
{
    fn run(&mut self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        self.outcome = Some(match work(connection) {
            Ok(value) => Ok(value),
            Err(OperationError::Rejected(error)) => Err(error),
            Err(OperationError::File(error)) => return Err(error),
        });
        Ok(())
    }

    fn reply(self: Box<Self>, committed: Result<(), FileError>) {
        let unknown = || LedgerError::unavailable("the operation did not run");
        let outcome = match committed {
            Ok(()) => self.outcome.unwrap_or_else(|| Err(unknown())),
            Err(error) => Err(LedgerError::unavailable(error)),
        };
        // The caller may have been dropped.
        let _ = self.reply.send(outcome);
    }
}

/// Executes operations until the last handle is dropped.
fn serve(
    path: &Path,
    mut receiver: mpsc::Receiver<Box<dyn Operation>>,
    ready: oneshot::Sender<Result<(), LedgerError>>,
) {
    let mut file = match schema::create(path) {
        Ok(connection) => File::new(path, connection),
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    if ready.send(Ok(())).is_err() {
        return;
    }
    while let Some(first) = receiver.blocking_recv() {
        let mut group = vec![first];
        while group.len() < GROUP
            // Only those that wait already. A pause for further operations would delay a single caller.
            && let Ok(next) = receiver.try_recv()
        {
            group.push(next);
        }
        // Replies follow the commit, because a caller starts its tool after the reply.
        let committed = file.execute(&mut group);
        for operation in group {
            operation.reply(committed.clone());
        }
    }
}

/// The open file.
struct File {
    path: PathBuf,
    identity: Option<Identity>,
    connection: Option<Connection>,
}

impl File {
    fn new(path: &Path, connection: Connection) -> Self {
        Self {
            path: path.to_owned(),
            identity: Identity::of(path),
            connection: Some(connection),
        }
    }

    /// Executes a group in one transaction. After an error, the next group opens the file again.
    fn execute(&mut self, group: &mut [Box<dyn Operation>]) -> Result<(), FileError> {
        let outcome = self.try_execute(group);
        if let Err(error) = &outcome {
            tracing::error!(error = %error, "the file of the ledger failed");
            self.connection = None;
        }
        outcome.map_err(FileError::new)
    }

    fn try_execute(&mut self, group: &mut [Box<dyn Operation>]) -> Result<(), rusqlite::Error> {
        // A removed file can still be written, but no other process would find it.
        let identity = Identity::of(&self.path);
        let connection = match &mut self.connection {
            Some(connection) if identity.is_some() && identity == self.identity => connection,
            connection => {
                let opened = schema::reopen(&self.path)?;
                self.identity = Identity::of(&self.path);
                connection.insert(opened)
            }
        };
        // A deferred transaction that read first fails with `SQLITE_BUSY_SNAPSHOT`, and the busy timeout does not help.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for operation in group {
            operation.run(&transaction)?;
        }
        transaction.commit()
    }
}

/// Identity of a file, which a replacement changes.
#[derive(PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;

        let metadata = std::fs::metadata(path).ok()?;
        Some(Self(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok()?;
        Some(Self(0, 0))
    }
}
