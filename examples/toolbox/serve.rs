//! `serve`: the tools as an MCP server.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tool_core::approval::{Answer, approver_fn};
use tool_core::{CancellationToken, Registry, RegistryBuilder};
use tool_mcp::McpServer;
use tool_mcp::server::Approvals;

use crate::call::seconds;
use crate::failure::Failure;
#[cfg(feature = "ledger")]
use crate::ledger_options::OpenLedger;
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::runtime;
#[cfg(feature = "http")]
use crate::serve_http::Http;
#[cfg(feature = "ledger")]
use crate::serve_ledger::SharedLedger;

/// Serves the tools to MCP clients until the end of standard input, or over HTTP until an interrupt.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  toolbox serve --stdio --workspace . --approve none
  toolbox serve --http 127.0.0.1:8080 --token-env MCP_TOKEN
  toolbox serve --http 127.0.0.1:8081 --no-token --ledger postgres://localhost/calls --lease 10 --key-env MCP_KEY")]
pub(crate) struct Serve {
    /// Use standard input and output.
    #[cfg_attr(feature = "http", arg(long, required_unless_present = "http"))]
    #[cfg_attr(not(feature = "http"), arg(long, required = true))]
    stdio: bool,
    #[cfg(feature = "http")]
    #[command(flatten)]
    http: Http,
    #[command(flatten)]
    toolset: ToolsetOptions,
    /// Handling of calls that require approval.
    #[arg(long, value_name = "WHO", value_enum, default_value = "none")]
    approve: Approver,
    /// Ledger for calls that wait for `toolbox pending`, with `--approve pending`: an SQLite file or a `postgres://` URL.
    #[cfg(feature = "ledger")]
    #[arg(long, value_name = "FILE or URL", required_if_eq("approve", "pending"))]
    pending: Option<String>,
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Duration in seconds after which a call becomes a task, for clients that support tasks.
    #[arg(long, value_name = "S", value_parser = seconds)]
    tasks_after: Option<Duration>,
    #[cfg(feature = "ledger")]
    #[command(flatten)]
    ledger: SharedLedger,
}

/// Handling of calls that require approval. A prompt is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Approver {
    /// Run them. Denied calls stay denied.
    All,
    /// Show them to the user of the client as a form.
    Elicit,
    /// Deny them.
    None,
    /// Store them for `toolbox pending`.
    #[cfg(feature = "ledger")]
    Pending,
}

impl Approver {
    fn configure(self, builder: RegistryBuilder) -> RegistryBuilder {
        match self {
            Self::All => builder.approver(approver_fn(|_request| Answer::Approve)),
            _ => builder,
        }
    }
}

impl Serve {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let builder = self.toolset.add_to(Registry::builder(), &self.sandbox)?;
        let builder = self.approve.configure(builder);
        runtime::run(async |interrupt| {
            let (registry, server) = self.server(builder).await?;
            let work = async || {
                #[cfg(feature = "http")]
                if let Some(address) = self.http.address {
                    return self.http.serve(server, address, interrupt.clone()).await;
                }
                serve_stdio(server, &interrupt).await
            };
            let outcome = self
                .toolset
                .with_servers(&registry, &interrupt, work)
                .await?;
            outcome.unwrap_or_else(|| Ok(ExitCode::from(runtime::INTERRUPTED)))
        })?
    }

    async fn server(&self, builder: RegistryBuilder) -> Result<(Registry, McpServer), Failure> {
        #[cfg(feature = "ledger")]
        let opened = self.ledger.open().await?;
        #[cfg(feature = "ledger")]
        let builder = self.ledger.add_to(builder, opened.as_ref());
        let registry = builder.build();
        let server = McpServer::new(registry.clone())
            .name("toolbox")
            .approvals(self.approvals().await?);
        let server = match self.tasks_after {
            Some(after) => server.tasks_after(after),
            None => server,
        };
        #[cfg(feature = "ledger")]
        let server = match opened {
            Some(ledger) => ledger.share(server, self.approve == Approver::Elicit),
            None => server,
        };
        Ok((registry, server))
    }

    async fn approvals(&self) -> Result<Approvals, Failure> {
        #[cfg(feature = "ledger")]
        if let (Approver::Pending, Some(place)) = (self.approve, &self.pending) {
            let store = OpenLedger::at(place).await?.approvals;
            return Ok(Approvals::pending(store).next_step(|request| {
                let id = &request.id;
                format!("The operator runs it with `toolbox pending approve {id}`.")
            }));
        }
        Ok(match self.approve {
            Approver::Elicit => Approvals::elicit(),
            _ => Approvals::registry(),
        })
    }
}

async fn serve_stdio(
    server: McpServer,
    interrupt: &CancellationToken,
) -> Result<ExitCode, Failure> {
    let ended = interrupt.run_until_cancelled(server.serve_stdio()).await;
    match ended {
        Some(Err(error)) => Err(Failure::input("the client cannot be served", error)),
        Some(Ok(())) => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::from(runtime::INTERRUPTED)),
    }
}
