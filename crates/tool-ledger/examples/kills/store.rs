//! The store under test.

use std::sync::Arc;

use tool_core::approval::PendingApprovals;
use tool_core::ledger::Ledger;
use tool_ledger::{PostgresLedger, SqliteLedger};

use crate::{Outcome, print};

/// A store.
pub(crate) struct Store {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) approvals: Arc<dyn PendingApprovals>,
    durability: String,
}

impl Store {
    pub(crate) async fn open(store: &str) -> Outcome<Self> {
        if store.starts_with("postgres") {
            let ledger = PostgresLedger::connect(store).await?;
            return Ok(Self {
                durability: format!("synchronous_commit = {}", ledger.durability().await?),
                ledger: Arc::new(ledger.clone()),
                approvals: Arc::new(ledger),
            });
        }
        let ledger = SqliteLedger::open(store).await?;
        Ok(Self {
            durability: format!("synchronous = {}", ledger.durability().await?),
            ledger: Arc::new(ledger.clone()),
            approvals: Arc::new(ledger),
        })
    }

    /// Prints the durability that the database reports.
    pub(crate) fn report(&self) -> Outcome {
        print(&self.durability)
    }
}
