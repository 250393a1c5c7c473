//! The ledger of `call`, `serve` and `ledger`.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use tool_core::RegistryBuilder;
use tool_core::approval::PendingApprovals;
use tool_core::ledger::Ledger;
use tool_ledger::{PostgresLedger, SqliteLedger};

use crate::failure::Failure;

/// Option for the place of a ledger.
#[derive(Debug, Args)]
pub(crate) struct LedgerOption {
    /// Ledger in which a call with effects runs at most once per key: an SQLite file, which is created if it does not exist,
    /// or a `postgres://` URL.
    #[arg(long, value_name = "FILE or URL")]
    ledger: Option<String>,
}

/// Opened ledger.
#[derive(Clone)]
pub(crate) struct OpenLedger {
    pub(crate) calls: Arc<dyn Ledger>,
    pub(crate) approvals: Arc<dyn PendingApprovals>,
}

impl LedgerOption {
    /// Adds the selected ledger to a registry.
    pub(crate) async fn add_to(
        &self,
        builder: RegistryBuilder,
    ) -> Result<RegistryBuilder, Failure> {
        Ok(match self.open().await? {
            Some(ledger) => builder.ledger(ledger.calls),
            None => builder,
        })
    }

    /// Opens the selected ledger.
    pub(crate) async fn open(&self) -> Result<Option<OpenLedger>, Failure> {
        match &self.ledger {
            Some(place) => OpenLedger::at(place).await.map(Some),
            None => Ok(None),
        }
    }
}

impl OpenLedger {
    /// Opens the ledger at a place.
    pub(crate) async fn at(place: &str) -> Result<Self, Failure> {
        if place.starts_with("postgres://") || place.starts_with("postgresql://") {
            let ledger = PostgresLedger::connect(place).await;
            // The URL may contain a password.
            return Ok(Self::of(
                ledger.map_err(|error| unavailable("the ledger", &error))?,
            ));
        }
        let ledger = SqliteLedger::open(Path::new(place)).await;
        Ok(Self::of(
            ledger.map_err(|error| unavailable(place, &error))?,
        ))
    }

    fn of(store: impl Ledger + PendingApprovals + Clone + 'static) -> Self {
        Self {
            calls: Arc::new(store.clone()),
            approvals: Arc::new(store),
        }
    }
}

/// Returns the failure with the source of the error, which names the cause.
pub(crate) fn unavailable(place: &str, error: &dyn std::error::Error) -> Failure {
    match error.source() {
        Some(source) => Failure::input(place, format!("{error}: {source}")),
        None => Failure::input(place, error),
    }
}
