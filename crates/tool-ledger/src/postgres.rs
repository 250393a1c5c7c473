//! Ledger in a PostgreSQL database.

mod approvals;
mod calls;
mod connection;
mod outputs;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
pub use deadpool_postgres;
use deadpool_postgres::Pool;
use tool_core::approval::{ApprovalRequest, PendingApprovals, PendingError};
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter, Page,
    Settled,
};
use tool_core::output_store::{OutputHandle, OutputStore, StoreError, StoredPage};

use self::approvals::NewRequest;
use self::calls::NewClaim;
use self::connection::{Attempts, Connections, repeated};
use crate::LedgerLimits;
use crate::store::{call_of, io_error, milliseconds, new_handle, new_token, store_failed};

/// Ledger in a PostgreSQL database, for many machines. Clones share one pool.
///
/// Leases follow the clock of the database. An operation that loses its connection reads the entry again and continues, for
/// at most 8 seconds; a restart of the database therefore delays calls or fails them with `ledger_unavailable`. The server must
/// keep `synchronous_commit` enabled ([`durability`](Self::durability)).
///
/// # Examples
/// ```no_run
/// use std::sync::Arc;
/// use tool_core::Registry;
/// use tool_ledger::PostgresLedger;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ledger = PostgresLedger::connect("postgres://tools:secret@localhost/tools").await?;
/// let registry = Registry::builder().ledger(Arc::new(ledger)).build();
/// # let _ = registry;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct PostgresLedger {
    connections: Connections,
    limits: LedgerLimits,
}

impl PostgresLedger {
    /// Connects without TLS, with at most 32 connections, and migrates the schema. For TLS or other settings, see
    /// [`with_pool`](Self::with_pool).
    ///
    /// # Errors
    /// Returns [`LedgerError::Unavailable`] if the URL is invalid or the server cannot be reached, and
    /// [`LedgerError::NewerSchema`] if a newer version of the library created the schema.
    pub async fn connect(url: &str) -> Result<Self, LedgerError> {
        Self::with_pool(connection::pool(url)?).await
    }

    /// Uses a pool, and migrates the schema. The tables are in the first schema of the search path.
    ///
    /// # Errors
    /// Like [`connect`](Self::connect).
    pub async fn with_pool(pool: Pool) -> Result<Self, LedgerError> {
        let connections = Connections::new(pool);
        connection::migrate(&connections).await?;
        Ok(Self {
            connections,
            limits: LedgerLimits::default(),
        })
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: LedgerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the durability of commits as the server reports it, such as `on`. With `off`, a crash of the server can lose
    /// entries that were reported as stored.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if the server cannot be reached.
    pub async fn durability(&self) -> Result<String, LedgerError> {
        repeated(|| connection::durability(&self.connections)).await
    }
}

#[async_trait]
impl Ledger for PostgresLedger {
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError> {
        key.check()?;
        let claim = NewClaim {
            key,
            intent,
            json: self.limits.json(intent)?,
            // Before the first attempt, so that a repeated one recognizes the entry of a lost one.
            token: new_token()?,
            lease: milliseconds(lease),
        };
        repeated(|| calls::claim(&self.connections, &claim)).await
    }

    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        repeated(|| calls::renew(&self.connections, key, token, milliseconds(lease))).await
    }

    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError> {
        let (state, result) = (outcome.state(), self.limits.result_json(outcome)?);
        let mut attempts = Attempts::start();
        loop {
            let is_repeated = attempts.is_repeated();
            match calls::settle(&self.connections, key, token, state, &result, is_repeated).await {
                Ok(()) => return Ok(()),
                Err(failure) => attempts.pause(failure).await?,
            }
        }
    }

    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
        key.check()?;
        repeated(|| calls::find(&self.connections, key)).await
    }

    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        repeated(|| calls::list(&self.connections, filter, page)).await
    }

    async fn prune(&self, age: Duration) -> Result<u64, LedgerError> {
        repeated(|| calls::prune(&self.connections, milliseconds(age))).await
    }
}

#[async_trait]
impl PendingApprovals for PostgresLedger {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let new = NewRequest {
            request,
            call: call_of(request).map_err(store_failed)?,
            json: self.limits.json(request).map_err(store_failed)?,
            limit: self.limits.max_requests,
        };
        match repeated(|| approvals::put(&self.connections, &new)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(PendingError::Full { limit: new.limit }),
            Err(error) => Err(store_failed(error)),
        }
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        repeated(|| approvals::list(&self.connections))
            .await
            .map_err(store_failed)
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        // Not repeated: a lost response would hide the request that was taken.
        let taken = approvals::take(&self.connections, request_id).await;
        taken.map_err(|failure| store_failed(failure.into_error()))
    }

    async fn find(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        repeated(|| approvals::find(&self.connections, request_id))
            .await
            .map_err(store_failed)
    }

    fn claims_requests(&self) -> bool {
        true
    }
}

#[async_trait]
impl OutputStore for PostgresLedger {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        let (bytes, limits) = (text.len() as u64, self.limits.outputs);
        if bytes > limits.max_bytes {
            return Err(StoreError::TooLarge { bytes });
        }
        let mut attempts = Attempts::start();
        loop {
            // A handle that was stored by a lost attempt expires.
            let handle = new_handle()?;
            match outputs::put(&self.connections, &handle, &text, limits).await {
                Ok(()) => return Ok(handle),
                Err(failure) => attempts.pause(failure).await.map_err(io_error)?,
            }
        }
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let age = self.limits.outputs.max_age;
        repeated(|| outputs::read(&self.connections, handle, offset, limit, age))
            .await
            .map_err(io_error)?
    }
}

tool_core::debug_fields!(PostgresLedger, this => limits: this.limits);
