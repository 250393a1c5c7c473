//! Ledger in a SQLite file.

mod approvals;
mod calls;
mod file;
mod outputs;

use std::path::PathBuf;
use std::sync::Arc;

use tool_core::ledger::LedgerError;
use tool_core::{Clock, Timestamp};

use self::file::Writer;
use crate::LedgerLimits;

/// Ledger in a SQLite file, for one machine and several processes, or in memory. Clones share one connection.
///
/// One thread executes all operations and commits waiting ones together, each after it is on the disk (WAL with
/// `synchronous=FULL`). Leases follow the clock of the machine. After an error of the file, such as a full disk, the next
/// operation opens it again. The directory must be on a local file system.
///
/// # Examples
/// See the [crate].
#[derive(Clone)]
pub struct SqliteLedger {
    writer: Writer,
    limits: LedgerLimits,
    clock: Arc<dyn Clock>,
}

impl SqliteLedger {
    /// Opens a file, which is created if it is missing, and migrates its schema. Its directory must exist.
    ///
    /// # Errors
    /// Returns [`LedgerError::Unavailable`] if the file cannot be opened or written, and [`LedgerError::NewerSchema`] if a
    /// newer version of the library created it.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, LedgerError> {
        Ok(Self::of(Writer::open(path.into()).await?))
    }

    /// Creates a ledger in memory, which exists as long as its last clone: for tests, and for calls that nobody repeats
    /// after the process has ended.
    ///
    /// # Errors
    /// Returns [`LedgerError::Unavailable`] if the system starts no thread.
    pub fn in_memory() -> Result<Self, LedgerError> {
        Writer::in_memory().map(Self::of)
    }

    fn of(writer: Writer) -> Self {
        Self {
            writer,
            limits: LedgerLimits::default(),
            clock: Arc::new(Timestamp::now),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: LedgerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the clock of the leases, instead of the system's. All processes must use the same one.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Returns the durability of commits as the database reports it: `FULL` unless the file was opened by other means.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if the file cannot be read.
    pub async fn durability(&self) -> Result<String, LedgerError> {
        let level = self.writer.run(|connection| {
            let level: i64 =
                connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
            Ok(level)
        });
        let names = ["OFF", "NORMAL", "FULL", "EXTRA"];
        let level = usize::try_from(level.await?).unwrap_or(usize::MAX);
        Ok(names.get(level).copied().unwrap_or("unknown").to_owned())
    }

    /// Returns a function that reads the clock inside of the transaction, so that waiting operations do not use old times.
    fn clock(&self) -> impl Fn() -> Timestamp + Send + Sync + 'static {
        let clock = Arc::clone(&self.clock);
        move || clock.now()
    }
}

tool_core::debug_fields!(SqliteLedger, this => limits: this.limits);
