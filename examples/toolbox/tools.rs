//! Definitions from a file or a toolset.

use std::path::Path;

use provider_adapters::trusted_definitions_from_json;
use tool_core::{ToolDefinition, Toolset};

use crate::failure::Failure;
use crate::input;

/// Reads the definitions in a file. They are only converted, so their risk is not in doubt.
pub(crate) fn from_file(path: &Path) -> Result<Vec<ToolDefinition>, Failure> {
    let text = input::file(path)?;
    trusted_definitions_from_json(&text).map_err(|error| Failure::input(path.display(), error))
}

/// Returns the definitions of a toolset, in order.
pub(crate) fn definitions(toolset: &Toolset) -> Vec<ToolDefinition> {
    toolset
        .tools()
        .iter()
        .map(|tool| tool.definition().clone())
        .collect()
}
