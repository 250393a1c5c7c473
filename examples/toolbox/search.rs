//! `search`: tools by what they do.

use std::process::ExitCode;

use clap::Args;
use tool_core::search::ToolIndex;

use crate::failure::Failure;
use crate::options::DefinitionOptions;
use crate::{input, output};

/// Finds tools by what they do, as `search_tools` does for a model that sees only a few of many tools.
///
/// Prints names and scores, the best first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  toolbox search \"stop a running command\" --limit 3")]
pub(crate) struct Search {
    /// What the tool should do.
    #[arg(required_unless_present = "batch")]
    query: Option<String>,
    #[command(flatten)]
    definitions: DefinitionOptions,
    /// Maximum number of tools.
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Read one query per line from standard input, and write one line of JSON for each.
    #[arg(long, conflicts_with = "query")]
    batch: bool,
}

impl Search {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let index = ToolIndex::new(&self.definitions.or_default()?);
        if let Some(query) = &self.query {
            output::document(&index.search(query, self.limit))?;
            return Ok(ExitCode::SUCCESS);
        }
        for query in input::standard_input()?.lines() {
            output::line(&index.search(query, self.limit))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
