//! `pending`: calls of MCP clients that wait for approval.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use tool_core::approval::{Answer, Decision, PendingApprovals};
use tool_core::{CallOptions, Registry};

use crate::failure::Failure;
use crate::ledger_options::OpenLedger;
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::{output, runtime};

/// Lists and decides the calls that `serve --approve pending` has stored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  toolbox pending --ledger calls.db list
  toolbox pending --ledger calls.db --workspace . approve 6f1c2d")]
pub(crate) struct Pending {
    /// Ledger of the calls: an SQLite file or a `postgres://` URL.
    #[arg(long, value_name = "FILE or URL")]
    ledger: String,
    #[command(flatten)]
    toolset: ToolsetOptions,
    #[command(flatten)]
    sandbox: SandboxOptions,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the waiting calls, oldest first.
    List,
    /// Run a call and print its result. The toolset and the workspace must be those of the server.
    Approve {
        /// Id of the request.
        id: String,
    },
    /// Remove a call.
    Deny {
        /// Id of the request.
        id: String,
    },
}

impl Pending {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let store = runtime::run(async |_| OpenLedger::at(&self.ledger).await)??.approvals;
        let (id, answer) = match &self.action {
            Action::List => return list(store.as_ref()),
            Action::Approve { id } => (id, Answer::Approve),
            Action::Deny { id } => (id, Answer::Deny { reason: None }),
        };
        let builder = Registry::builder();
        let builder = self.toolset.add_to(builder, &self.sandbox)?;
        decide(&builder.build(), &self.toolset, store.as_ref(), id, answer)
    }
}

fn list(store: &dyn PendingApprovals) -> Result<ExitCode, Failure> {
    let requests = runtime::run(async |_| store.list().await)?;
    let requests = requests.map_err(|error| Failure::input("the calls cannot be listed", error))?;
    output::document(&requests)?;
    Ok(ExitCode::SUCCESS)
}

fn decide(
    registry: &Registry,
    toolset: &ToolsetOptions,
    store: &dyn PendingApprovals,
    id: &str,
    answer: Answer,
) -> Result<ExitCode, Failure> {
    let decided = runtime::run(async |interrupt| {
        let requests = store.list().await;
        let requests = requests.map_err(|error| Failure::input(id, error))?;
        let request = requests.iter().find(|request| request.id == id);
        let Some(request) = request else {
            return Ok(None);
        };
        let decision = Decision::new(request, answer);
        let options = CallOptions::default().with_cancellation(interrupt.clone());
        let decide = async || registry.decide(store, &decision, &options).await;
        let decided = toolset.with_servers(registry, &interrupt, decide).await?;
        let failed = |error| Failure::input(id, error);
        decided.transpose().map_err(failed)
    })??;
    let result = decided.ok_or_else(|| Failure::input(id, "no such call waits"))?;
    output::document(&result)?;
    Ok(ExitCode::from(u8::from(!result.success)))
}
