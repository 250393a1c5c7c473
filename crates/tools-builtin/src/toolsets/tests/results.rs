//! The printed examples of the three systems, each made of a result.

mod cli_agent;
mod cli_agent_text;
mod repo_explorer;
mod ryan;

use std::time::Duration;

use serde_json::Value;

use tool_core::{ContentBlock, ExecutedArguments, ToolError, ToolResult};

/// A success of `name` that the model reads as `text`, after `milliseconds`.
fn succeeded(name: &str, text: &str, milliseconds: u64) -> ToolResult {
    let mut result = failed(name, ToolError::cancelled());
    result.success = true;
    result.error = None;
    result.content = vec![ContentBlock::text(text)];
    result.metadata.execution_time = Duration::from_millis(milliseconds);
    result
}

fn failed(name: &str, error: ToolError) -> ToolResult {
    ToolResult::refused("call_1", name, error)
}

fn with_parameters(mut result: ToolResult, parameters: Value) -> ToolResult {
    result.metadata.parameters = ExecutedArguments::from(parameters);
    result
}
