//! Settings of the ledger.

use std::sync::Arc;
use std::time::Duration;

use super::RegistryBuilder;
use crate::dispatch::LedgerSettings;
use crate::ledger::{Ledger, StoredArguments};

/// Default lease of a call in a ledger.
const LEASE: Duration = Duration::from_secs(30);

/// Ledger and its settings.
pub(super) struct LedgerChoice {
    ledger: Option<Arc<dyn Ledger>>,
    lease: Duration,
    owner: Option<String>,
    arguments: StoredArguments,
}

impl Default for LedgerChoice {
    fn default() -> Self {
        Self {
            ledger: None,
            lease: LEASE,
            owner: None,
            arguments: StoredArguments::default(),
        }
    }
}

impl LedgerChoice {
    pub(super) fn settings(self) -> Option<Box<LedgerSettings>> {
        Some(Box::new(LedgerSettings {
            ledger: self.ledger?,
            lease: self.lease,
            owner: self.owner,
            arguments: self.arguments,
        }))
    }
}

impl RegistryBuilder {
    /// Sets the ledger, in which every call that may have an effect runs at most once per key. A call whose claim cannot be
    /// stored does not run.
    ///
    /// # Examples
    /// See the crate `tool-ledger`, which has ledgers in memory, over SQLite and over PostgreSQL.
    #[cfg(feature = "typed")]
    #[must_use]
    pub fn ledger(mut self, ledger: Arc<dyn Ledger>) -> Self {
        self.ledger.ledger = Some(ledger);
        self
    }

    /// Sets the time for which a run holds a key unless it renews its lease; a running call renews it every third of this
    /// time. At least one second. The default is 30 seconds.
    #[must_use]
    pub fn ledger_lease(mut self, lease: Duration) -> Self {
        self.ledger.lease = lease.max(Duration::from_secs(1));
        self
    }

    /// Sets the name of this process in the entries of the ledger, such as the name of the host or worker.
    #[must_use]
    pub fn ledger_owner(mut self, name: impl Into<String>) -> Self {
        self.ledger.owner = Some(name.into());
        self
    }

    /// Sets which arguments the ledger stores. By default, secrets are removed.
    #[must_use]
    pub fn ledger_arguments(mut self, arguments: StoredArguments) -> Self {
        self.ledger.arguments = arguments;
        self
    }
}
