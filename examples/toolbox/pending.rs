//! `pending`: calls of MCP clients that wait for approval.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use tool_core::approval::{Answer, Decision, DirectoryPendingApprovals, PendingApprovals};
use tool_core::{CallOptions, Registry};

use crate::failure::Failure;
use crate::network::NetworkOptions;
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::{output, runtime};

/// Lists and decides the calls that `serve --approve pending` has stored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  toolbox pending --directory approvals list
  toolbox pending --directory approvals --workspace . approve 6f1c2d")]
pub(crate) struct Pending {
    /// Directory of the calls.
    #[arg(long, value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    toolset: ToolsetOptions,
    #[command(flatten)]
    network: NetworkOptions,
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
        let store = runtime::run(async |_| open(&self.directory).await)??;
        let (id, answer) = match &self.action {
            Action::List => return list(&store),
            Action::Approve { id } => (id, Answer::Approve),
            Action::Deny { id } => (id, Answer::Deny { reason: None }),
        };
        let builder = Registry::builder();
        let builder = self.toolset.add_to(builder, &self.sandbox, &self.network)?;
        decide(&builder.build(), &store, id, answer)
    }
}

/// Opens the directory, which is created if it does not exist.
pub(crate) async fn open(directory: &Path) -> Result<DirectoryPendingApprovals, Failure> {
    let opened = DirectoryPendingApprovals::open(directory).await;
    opened.map_err(|error| Failure::input(directory.display(), error))
}

fn list(store: &DirectoryPendingApprovals) -> Result<ExitCode, Failure> {
    let requests = runtime::run(async |_| store.list().await)?;
    let requests = requests.map_err(|error| Failure::input("the calls cannot be listed", error))?;
    output::document(&requests)?;
    Ok(ExitCode::SUCCESS)
}

fn decide(
    registry: &Registry,
    store: &DirectoryPendingApprovals,
    id: &str,
    answer: Answer,
) -> Result<ExitCode, Failure> {
    let decided = runtime::run(async |interrupt| {
        let requests = store.list().await?;
        let request = requests.iter().find(|request| request.id == id);
        let Some(request) = request else {
            return Ok(None);
        };
        let decision = Decision::new(request, answer);
        let options = CallOptions::default().with_cancellation(interrupt);
        registry.decide(store, &decision, &options).await.map(Some)
    })?;
    let result = decided.map_err(|error| Failure::input(id, error))?;
    let result = result.ok_or_else(|| Failure::input(id, "no such call waits"))?;
    output::document(&result)?;
    Ok(ExitCode::from(u8::from(!result.success)))
}
