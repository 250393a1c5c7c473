//! `serve`: the tools as an MCP server.

use std::process::ExitCode;

use clap::Args;
use tool_core::Registry;
use tool_mcp::McpServer;

use crate::approval::Approval;
use crate::failure::Failure;
use crate::network::NetworkOptions;
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::runtime;

/// Serves the tools to an MCP client until the end of standard input.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  toolbox serve --stdio --workspace . --approve none")]
pub(crate) struct Serve {
    /// Use standard input and output.
    #[arg(long, required = true)]
    stdio: bool,
    #[command(flatten)]
    toolset: ToolsetOptions,
    #[command(flatten)]
    network: NetworkOptions,
    /// Handling of calls that require approval. A prompt is not possible.
    #[arg(long, value_name = "WHO", value_enum, default_value = "none")]
    approve: Approval,
    #[command(flatten)]
    sandbox: SandboxOptions,
}

impl Serve {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let builder = self
            .toolset
            .add_to(Registry::builder(), &self.sandbox, &self.network)?;
        let registry = self
            .approve
            .configure(builder, false, self.toolset.contract)
            .build();
        let server = McpServer::new(registry).name("toolbox");
        let ended = runtime::run(async |interrupt| {
            interrupt.run_until_cancelled(server.serve_stdio()).await
        })?;
        match ended {
            Some(Err(error)) => Err(Failure::input("the client cannot be served", error)),
            Some(Ok(())) => Ok(ExitCode::SUCCESS),
            None => Ok(ExitCode::from(runtime::INTERRUPTED)),
        }
    }
}
