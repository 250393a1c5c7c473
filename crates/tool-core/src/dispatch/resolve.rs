//! Step 1: resolves the name of the tool.

use crate::catalog::{Entry, Tools};
use crate::{ErrorCode, ToolError, text};

/// Maximum number of names listed after a call of an unknown tool.
const MAX_LISTED: usize = 30;

/// Finds a tool by its name or by a name that a dialect gave it.
#[inline]
pub(super) fn find<'t>(tools: &'t Tools, name: &str) -> Option<&'t Entry> {
    tools.get(name).or_else(|| tools.by_wire_name(name))
}

/// Returns the found tool, or the error of an unknown or unusable one.
#[inline]
pub(super) fn resolve<'t>(
    tools: &Tools,
    name: &str,
    found: Option<&'t Entry>,
) -> Result<&'t Entry, ToolError> {
    let entry = found.ok_or_else(|| absent(tools, name))?;
    entry.check_schema()?;
    Ok(entry)
}

fn absent(tools: &Tools, name: &str) -> ToolError {
    if tools.is_disabled(name) {
        let message = format!("The tool `{name}` is disabled");
        return ToolError::new(ErrorCode::ToolNotExecutable, message)
            .suggest("Use another tool, or tell the user that it is disabled.");
    }
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
