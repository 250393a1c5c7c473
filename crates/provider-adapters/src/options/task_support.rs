//! Calls that are run as tasks.

use serde::{Deserialize, Serialize};

/// Whether a host of MCP may run a tool as a task, whose answer it asks for later. Protocol 2025-11-25 alone.
///
/// # Examples
/// ```
/// use provider_adapters::{Options, Provider, TaskSupport};
/// use serde_json::json;
/// use tool_core::{Dialect, ToolDefinition};
///
/// let options = Options::default().with_task_support("build", TaskSupport::Optional);
/// let build = ToolDefinition::new("build", "Builds the project.", json!({"type": "object"}));
/// let converted = Provider::Mcp.with_options(options).convert(&[build]);
/// assert_eq!(converted.tools[0]["execution"], json!({"taskSupport": "optional"}));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskSupport {
    /// It may not.
    Forbidden,
    /// It may, and it may call as usual.
    Optional,
    /// It must.
    Required,
}
