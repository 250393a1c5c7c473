//! Definitions from a file or a contract.

use std::path::Path;

use provider_adapters::definitions_from_json;
use tool_core::{Contract, ToolDefinition};

use crate::failure::Failure;
use crate::input;

/// The definitions in a file.
pub(crate) fn from_file(path: &Path) -> Result<Vec<ToolDefinition>, Failure> {
    let text = input::file(path)?;
    definitions_from_json(&text).map_err(|error| Failure::input(path.display(), error))
}

/// The definitions of a contract, in order.
pub(crate) fn definitions(contract: &Contract) -> Vec<ToolDefinition> {
    contract
        .tools()
        .iter()
        .map(|tool| tool.definition().clone())
        .collect()
}
