//! Ledger of calls: a call that is not idempotent runs at most once per key, even across crashes and replicas.
//!
//! A registry with a [`Ledger`] ([`RegistryBuilder::ledger`](crate::RegistryBuilder::ledger)) claims the [`CallKey`] of a
//! call after the decision and before the tool runs, and stores the result before it is returned. A later call with the same
//! key returns the stored result or fails with `outcome_unknown`; it never runs a second time. Calls that only read skip the
//! ledger unless the host sets their key.
//!
//! | state | meaning | next claim of the key |
//! |---|---|---|
//! | `awaiting_approval` | a request for approval waits | [`Claim::AwaitingApproval`], or [`Claim::New`] with its decision |
//! | `claimed` | no run is in progress, and a run is safe | [`Claim::New`] |
//! | `running` | a run holds the lease | [`Claim::Running`] |
//! | `done` | the tool succeeded | [`Claim::Done`] |
//! | `failed_without_effect` | the call failed before it had any effect | [`Claim::New`] |
//! | `failed_with_possible_effect` | the call failed and may have had an effect | [`Claim::Done`] with the failed result |
//! | `unknown` | the lease ended before the outcome was stored | [`Claim::Unknown`] |
//!
//! If a lease ends, calls that may be repeated return to `claimed` and other calls become `unknown`.
//! [`Registry::recover`](crate::Registry::recover) asks the tools about unknown calls.
//!
//! Exactly-once is not promised: no library can promise it for effects outside its database.

mod entry;
mod intent;
mod state;

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::approval::ApprovalRequest;
use crate::{Timestamp, ToolOutput, ToolResult};

pub use crate::call_key::CallKey;
pub use entry::{LedgerEntry, LedgerFilter, Page};
pub use intent::{ArgumentCipher, CipherError, Intent, StoredArguments};
pub use state::{LedgerState, Settled};

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

    /// Stores the outcome. Only the holder of the token may settle, even after its lease ended if no other claim or recovery
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

/// Result of [`Ledger::claim`].
///
/// # Examples
/// ```
/// use tool_core::ledger::{Claim, LeaseToken};
///
/// let claim = Claim::New(LeaseToken::from_random(7));
/// assert!(matches!(claim, Claim::New(token) if token.as_u64() == 7));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "claim", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Claim {
    /// The caller holds the key and must run the call.
    New(LeaseToken),
    /// Another run holds the lease.
    Running {
        /// Time at which the run was claimed.
        since: Timestamp,
        /// Time at which its lease ends unless it is renewed.
        lease_until: Timestamp,
    },
    /// The call is settled and does not run again.
    Done(Box<ToolResult>),
    /// A request for approval of the call waits.
    AwaitingApproval(Box<ApprovalRequest>),
    /// The lease ended before the outcome was stored, and the call may have had an effect.
    Unknown(Box<LedgerEntry>),
    /// The key belongs to a call of another tool or with other arguments, or the approval was withdrawn.
    Conflict,
}

/// Token of a lease. Each claim has another one, so that a run that lost its lease cannot settle the call of another run.
///
/// # Examples
/// See [`Claim`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeaseToken(u64);

impl LeaseToken {
    /// Creates a token from random bits. Stores create one per claim.
    pub fn from_random(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the bits, for a store.
    pub fn as_u64(self) -> u64 {
        self.0
    }
}

/// Finding of a tool about a call whose outcome is unknown.
///
/// # Examples
/// ```
/// use tool_core::ledger::Verified;
///
/// let found = Verified::Happened("The payment was made.".into());
/// assert!(!matches!(found, Verified::Unknown));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Verified {
    /// The call took effect. The output is stored as its result.
    Happened(ToolOutput),
    /// The call did not take effect, and will not. It may run again.
    DidNotHappen,
    /// The tool cannot determine it.
    Unknown,
}

/// Result of [`Registry::recover`](crate::Registry::recover).
///
/// # Examples
/// See [`Registry::recover`](crate::Registry::recover).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Recovery {
    /// Calls that took effect. They are settled as `done`.
    pub happened: Vec<LedgerEntry>,
    /// Calls that did not take effect. They are settled as `failed_without_effect` and may run again.
    pub did_not_happen: Vec<LedgerEntry>,
    /// Calls whose outcome stays unknown.
    pub unknown: Vec<LedgerEntry>,
}

/// Error of a ledger.
///
/// # Examples
/// ```
/// use tool_core::ledger::LedgerError;
///
/// let error = LedgerError::NewerSchema { found: 3, supported: 2 };
/// assert_eq!(error.to_string(), "the ledger has schema version 3, and this version supports 2; update the program");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The database is missing, read-only, full or not reachable. It is not known whether the operation was stored.
    #[error("the ledger is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Another claim or a recovery replaced the lease, or the call is settled already.
    #[error("another run or a recovery took over the call, or it is settled already")]
    LeaseLost,
    /// A newer version of the library created the database.
    #[error(
        "the ledger has schema version {found}, and this version supports {supported}; update the program"
    )]
    NewerSchema {
        /// Version of the database.
        found: u32,
        /// Latest version that this library supports.
        supported: u32,
    },
    /// The scope or the key is too long.
    #[error("a scope or key of {bytes} bytes exceeds the limit of {max} bytes", max = CallKey::MAX_BYTES)]
    KeyTooLong {
        /// Bytes of the longer part.
        bytes: usize,
    },
    /// The scope or the key contains a null character.
    #[error("a scope or key contains a null character")]
    InvalidKey,
    /// An intent or outcome exceeds the limit of the store.
    #[error("an entry of {bytes} bytes exceeds the limit of {limit} bytes")]
    TooLarge {
        /// Bytes of the entry.
        bytes: usize,
        /// Maximum bytes.
        limit: usize,
    },
    /// A stored entry cannot be read.
    #[error("the entry `{key}` is damaged")]
    Damaged {
        /// Key of the entry.
        key: CallKey,
    },
}

impl LedgerError {
    /// Creates an error of an unavailable database.
    pub fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into())
    }
}

impl CallKey {
    /// Checks both parts. Stores call it before they store a key.
    ///
    /// # Errors
    /// Returns [`LedgerError::KeyTooLong`] if a part exceeds [`MAX_BYTES`](Self::MAX_BYTES), and [`LedgerError::InvalidKey`]
    /// if one contains a null character, which databases reject.
    pub fn check(&self) -> Result<(), LedgerError> {
        // Databases limit the length of what they index.
        let bytes = self.scope.len().max(self.key.len());
        if bytes > Self::MAX_BYTES {
            return Err(LedgerError::KeyTooLong { bytes });
        }
        // PostgreSQL cannot store this character in text.
        if self.scope.contains('\0') || self.key.contains('\0') {
            return Err(LedgerError::InvalidKey);
        }
        Ok(())
    }
}
