//! Ledger in a PostgreSQL database.

mod approvals;
mod calls;
mod connection;
mod outputs;

pub use deadpool_postgres;
use deadpool_postgres::Pool;
use tool_core::ledger::LedgerError;

use self::connection::{Connections, repeated};
use crate::LedgerLimits;

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

tool_core::debug_fields!(PostgresLedger, this => limits: this.limits);
