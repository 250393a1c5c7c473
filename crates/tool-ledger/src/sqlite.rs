//! Ledger in a SQLite file.

mod approvals;
mod calls;
mod file;
mod outputs;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tool_core::approval::{ApprovalRequest, PendingApprovals, PendingError};
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter, Page,
    Settled,
};
use tool_core::output_store::{OutputHandle, OutputStore, StoreError, StoredPage};
use tool_core::{Clock, Timestamp};

use self::file::Writer;
use crate::LedgerLimits;
use crate::store::{io_error, new_handle, new_token, store_failed};

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
    clock: Option<Arc<dyn Clock>>,
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
            clock: None,
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
        self.clock = Some(Arc::new(clock));
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
        let clock = self.clock.clone();
        move || {
            clock
                .as_ref()
                .map_or_else(Timestamp::now, |clock| clock.now())
        }
    }
}

#[async_trait]
impl Ledger for SqliteLedger {
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError> {
        key.check()?;
        let json = self.limits.json(intent)?;
        let token = new_token()?;
        let (key, intent, now) = (key.clone(), intent.clone(), self.clock());
        self.writer
            .run(move |connection| {
                calls::claim(connection, &key, &intent, &json, token, now(), lease)
            })
            .await
    }

    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        let (key, now) = (key.clone(), self.clock());
        self.writer
            .run(move |connection| calls::renew(connection, &key, token, now().after(lease)))
            .await
    }

    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError> {
        let (state, result) = (outcome.state(), self.limits.result_json(outcome)?);
        let (key, now) = (key.clone(), self.clock());
        self.writer
            .run(move |connection| calls::settle(connection, &key, token, state, &result, now()))
            .await
    }

    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
        let (key, now) = (key.clone(), self.clock());
        self.writer
            .run(move |connection| {
                let entry = calls::load(connection, &key)?;
                Ok(entry.map(|entry| entry.at(now())))
            })
            .await
    }

    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let (filter, now) = (filter.clone(), self.clock());
        self.writer
            .run(move |connection| calls::list(connection, &filter, page, now()))
            .await
    }

    async fn prune(&self, age: Duration) -> Result<u64, LedgerError> {
        let now = self.clock();
        self.writer
            .run(move |connection| calls::prune(connection, now(), age))
            .await
    }
}

#[async_trait]
impl PendingApprovals for SqliteLedger {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let json = self.limits.json(request).map_err(store_failed)?;
        let (request, now, limit) = (request.clone(), self.clock(), self.limits.max_requests);
        let stored = self
            .writer
            .run(move |connection| approvals::put(connection, &request, &json, limit, now()))
            .await;
        match stored {
            Ok(true) => Ok(()),
            Ok(false) => Err(PendingError::Full { limit }),
            Err(error) => Err(store_failed(error)),
        }
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        let listed = self.writer.run(approvals::list);
        listed.await.map_err(store_failed)
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let (id, now) = (request_id.to_owned(), self.clock());
        let taken = self
            .writer
            .run(move |connection| approvals::take(connection, &id, now()));
        taken.await.map_err(store_failed)
    }

    async fn find(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let id = request_id.to_owned();
        let found = self
            .writer
            .run(move |connection| approvals::find(connection, &id));
        found.await.map_err(store_failed)
    }

    fn claims_requests(&self) -> bool {
        true
    }
}

#[async_trait]
impl OutputStore for SqliteLedger {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        let bytes = text.len() as u64;
        let limits = self.limits.outputs;
        if bytes > limits.max_bytes {
            return Err(StoreError::TooLarge { bytes });
        }
        let handle = new_handle()?;
        let (stored, now) = (handle.clone(), self.clock());
        let put = self
            .writer
            .run(move |connection| outputs::put(connection, &stored, &text, limits, now()));
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
        let page = self
            .writer
            .run(move |connection| outputs::read(connection, &handle, offset, limit, now(), age));
        page.await.map_err(io_error)?
    }
}

tool_core::debug_fields!(SqliteLedger, this => limits: this.limits);
