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
  toolbox list --human
  toolbox list --contract repo_explorer --github rust-lang/log
  toolbox list --mcp mcp.json")]
pub(crate) struct List {
    #[command(flatten)]
    toolset: ToolsetOptions,
    /// Print one line for each tool instead of JSON.
    #[arg(long)]
    human: bool,
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
        if self.human {
            output::text(&human_text(&listed))?;
            return Ok(ExitCode::SUCCESS);
        }
        let listed: Vec<Value> = listed.iter().map(ToolDefinition::to_value).collect();
        output::document(&listed)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns name, risk and first sentence of each tool, in columns.
fn human_text(tools: &[ToolDefinition]) -> String {
    let longest = tools.iter().map(|tool| tool.name().chars().count()).max();
    let width = longest.unwrap_or_default();
    let line = |tool: &ToolDefinition| {
        let description = tool.description().lines().next().unwrap_or_default();
        let end = description
            .find(". ")
            .map_or(description.len(), |end| end + 1);
        let (name, risk) = (tool.name(), tool.risk().as_str());
        let line = format!("{name:width$}  {risk:10}  {}", &description[..end]);
        // Servers of others name and describe their tools.
        line.replace(char::is_control, "\u{fffd}") + "\n"
    };
    tools.iter().map(line).collect()
}
