//! The trait of ledgers.

use std::time::Duration;

use async_trait::async_trait;

use super::{
    CallKey, Claim, Intent, LeaseToken, LedgerEntry, LedgerError, LedgerFilter, Page, Settled,
};

/// Store of calls, so that a call runs at most once per key. The crate `tool-ledger` implements it in memory, over SQLite and
/// over PostgreSQL. Methods may be called concurrently and by several processes.
///
/// A store must keep an entry before the future of its operation is ready, and must use one clock for all leases.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Claims `key` for one run. Atomic: of several callers one receives [`Claim::New`].
    ///
    /// A claim whose `intent.approval` is the id of the waiting request takes that request in the same step. It replaces the
    /// intent, because an approver may edit the arguments.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if the claim may not be stored; the caller must not run the call.
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError>;

    /// Extends the lease of a running call to `lease` from now.
    ///
    /// # Errors
    /// Returns [`LedgerError::LeaseLost`] if the call has another token, is settled or has become unknown.
    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError>;

    /// Stores the outcome. Only the holder of the token may settle, also after its lease ended if no other claim or recovery
    /// followed.
    ///
    /// # Errors
    /// Returns [`LedgerError::LeaseLost`] if the call has another token or is settled.
    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError>;

    /// Returns the entry of `key`, with its state at this time.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if it cannot be read.
    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError>;

    /// Returns the selected entries, oldest first, in pages.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if they cannot be read.
    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError>;

    /// Removes settled entries older than `age`, and returns their number. Their keys are new afterwards.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if they cannot be removed.
    async fn prune(&self, age: Duration) -> Result<u64, LedgerError>;
}
