//! `serve --ledger`: a ledger that replicas share.

use std::time::Duration;

use clap::Args;
use tool_core::RegistryBuilder;
use tool_mcp::McpServer;
use tool_mcp::server::Approvals;

use crate::call::seconds;
use crate::failure::Failure;
use crate::ledger_options::{LedgerOption, OpenLedger};

/// Ledger of a server.
#[derive(Debug, Args)]
pub(crate) struct SharedLedger {
    #[command(flatten)]
    ledger: LedgerOption,
    /// Time in seconds after which the outcome of a call is unknown if its server has stopped. By default, 30.
    #[arg(long, value_name = "S", value_parser = seconds, requires = "ledger")]
    lease: Option<Duration>,
}

impl SharedLedger {
    /// Opens the selected ledger.
    pub(crate) async fn open(&self) -> Result<Option<OpenLedger>, Failure> {
        self.ledger.open().await
    }

    /// Adds the opened ledger to a registry.
    pub(crate) fn add_to(
        &self,
        builder: RegistryBuilder,
        opened: Option<&OpenLedger>,
    ) -> RegistryBuilder {
        let Some(opened) = opened else {
            return builder;
        };
        let builder = builder
            .ledger(opened.calls.clone())
            .ledger_owner(format!("toolbox {}", std::process::id()));
        match self.lease {
            Some(lease) => builder.ledger_lease(lease),
            None => builder,
        }
    }
}

impl OpenLedger {
    /// Ensures that a decision of a user is used by one replica.
    pub(crate) fn share(self, server: McpServer, is_elicited: bool) -> McpServer {
        if is_elicited {
            server.approvals(Approvals::elicit_once(self.approvals))
        } else {
            server
        }
    }
}
