//! Task support of MCP tools.

use serde::{Deserialize, Serialize};

/// Whether an MCP host may run a tool as a task and fetch the result later.
///
/// Only protocol version 2025-11-25 supports tasks.
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
    /// The host must not run the tool as a task.
    Forbidden,
    /// The host may run the tool as a task or call it normally.
    Optional,
    /// The host must run the tool as a task.
    Required,
}
