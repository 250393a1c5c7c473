//! Registries with default settings: policy, timeout, permits, validation, span.

use serde_json::json;
use tool_core::{
    DynamicTool, RegisterError, Registry, RiskLevel, Tool, ToolDefinition, ToolOutput, tool_fn,
};

use crate::workload::{Add, ReadFile, Todo, Workload};

/// Creates a registry with the three workloads.
///
/// # Panics
/// Never panics, because the names are unique.
#[must_use]
pub fn registry() -> Registry {
    let tools = Registry::new();
    register::<Add>(&tools)
        .and_then(|()| register::<ReadFile>(&tools))
        .and_then(|()| register::<Todo>(&tools))
        .expect("the names are unique");
    tools
}

fn register<W: Workload>(tools: &Registry) -> Result<(), RegisterError> {
    tools.register(tool::<W>())
}

/// Creates a read-only tool for a workload.
#[must_use]
pub fn tool<W: Workload>() -> impl Tool + 'static {
    let tool = tool_fn(W::NAME, W::DESCRIPTION, |_, input: W| async move {
        Ok(input.answer())
    });
    tool.risk(RiskLevel::ReadOnly)
}

/// Creates a registry of `size` tools, called `tool_0`, `tool_1` and so on, each of which returns
/// its integer argument `a`.
///
/// # Panics
/// Never panics, because the names are unique.
#[must_use]
pub fn registry_of(size: usize) -> Registry {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer", "description": "A number."}},
        "required": ["a"]
    });
    let builder = (0..size).try_fold(Registry::builder(), |builder, index| {
        let name = format!("tool_{index}");
        let definition = ToolDefinition::new(name, "One of many.", schema.clone())
            .with_risk(RiskLevel::ReadOnly);
        builder.tool(DynamicTool::new(definition, |_, arguments| async move {
            Ok(ToolOutput::json(arguments))
        }))
    });
    builder.expect("the names are unique").build()
}
