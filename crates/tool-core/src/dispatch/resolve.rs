//! Step 1: which tool is meant.

use crate::registry::{Entry, Tools};
use crate::{ErrorCode, ToolError, text};

/// Names listed for a model that called an unknown tool.
const MAX_LISTED: usize = 30;

/// Finds the tool by its name, or by a name that a provider was told.
pub(super) fn resolve<'t>(tools: &'t Tools, name: &str) -> Result<&'t Entry, ToolError> {
    tools
        .get(name)
        .or_else(|| tools.by_wire_name(name))
        .map(AsRef::as_ref)
        .ok_or_else(|| unknown(tools, name))
}

fn unknown(tools: &Tools, name: &str) -> ToolError {
    let error = ToolError::new(
        ErrorCode::ToolNotFound,
        format!("No tool is named `{}`", text::short(name, 64)),
    );
    let names: Vec<&str> = tools.names().take(MAX_LISTED).collect();
    if names.is_empty() {
        return error.suggest("There are no tools.");
    }
    let listed = format!("The tools are {}.", names.join(", "));
    match text::nearest(name, tools.names()) {
        Some(nearest) => error.suggest(format!("Did you mean `{nearest}`? {listed}")),
        None => error.suggest(listed),
    }
}
