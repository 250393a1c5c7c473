//! `list`: tool definitions for hosts.

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use tool_core::ToolDefinition;

use crate::failure::Failure;
use crate::options::ToolsetOptions;
use crate::{output, tools};

/// Lists the tools: names, descriptions, schemas and risks.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  toolbox list --workspace .")]
pub(crate) struct List {
    #[command(flatten)]
    toolset: ToolsetOptions,
}

impl List {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let listed: Vec<Value> = tools::definitions(&self.toolset.open()?)
            .iter()
            .map(ToolDefinition::to_value)
            .collect();
        output::document(&listed)?;
        Ok(ExitCode::SUCCESS)
    }
}
