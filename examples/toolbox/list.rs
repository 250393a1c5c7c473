//! `list`: tool definitions for hosts.

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use tool_core::{Registry, ToolDefinition};

use crate::failure::Failure;
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::{output, runtime};

/// Lists the tools: names, descriptions, schemas and risks.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  toolbox list --workspace .
  toolbox list --contract repo_explorer --github rust-lang/log
  toolbox list --mcp mcp.json")]
pub(crate) struct List {
    #[command(flatten)]
    toolset: ToolsetOptions,
}

impl List {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let builder = self
            .toolset
            .add_to(Registry::builder(), &SandboxOptions::default())?;
        let registry = builder.build();
        let listed = runtime::run(async |interrupt| {
            let list = async || registry.list();
            self.toolset.with_servers(&registry, &interrupt, list).await
        })??;
        let Some(listed) = listed else {
            return Ok(ExitCode::from(runtime::INTERRUPTED));
        };
        let listed: Vec<Value> = listed.iter().map(ToolDefinition::to_value).collect();
        output::document(&listed)?;
        Ok(ExitCode::SUCCESS)
    }
}
