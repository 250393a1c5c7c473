//! Definitions from a file or a toolset.

use std::path::Path;

use provider_adapters::definitions_from_json;
use tool_core::{ToolDefinition, Toolset};

use crate::failure::Failure;
use crate::input;

/// Reads the definitions in a file.
pub(crate) fn from_file(path: &Path) -> Result<Vec<ToolDefinition>, Failure> {
    let text = input::file(path)?;
    definitions_from_json(&text).map_err(|error| Failure::input(path.display(), error))
}

/// Returns the definitions of a toolset, in order.
pub(crate) fn definitions(toolset: &Toolset) -> Vec<ToolDefinition> {
    toolset
        .tools()
        .iter()
        .map(|tool| tool.definition().clone())
        .collect()
}
