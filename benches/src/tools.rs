//! Registries as users set them up: default policy, timeout, permits, validation, span.

use serde_json::json;
use tool_core::{
    DynamicTool, RegisterError, Registry, RiskLevel, Tool, ToolDefinition, ToolOutput, tool_fn,
};

use crate::workload::{Add, ReadFile, Todo, Workload};

/// The three workloads as tools.
///
/// # Panics
/// Never: their names differ.
#[must_use]
pub fn registry() -> Registry {
    let tools = Registry::new();
    register::<Add>(&tools)
        .and_then(|()| register::<ReadFile>(&tools))
        .and_then(|()| register::<Todo>(&tools))
        .expect("the names differ");
    tools
}

fn register<W: Workload>(tools: &Registry) -> Result<(), RegisterError> {
    tools.register(tool::<W>())
}

/// A workload as a tool that only reads.
#[must_use]
pub fn tool<W: Workload>() -> impl Tool + 'static {
    let tool = tool_fn(W::NAME, W::DESCRIPTION, |_, input: W| async move {
        Ok(input.answer())
    });
    tool.risk(RiskLevel::ReadOnly)
}

/// So many tools `tool_0`, `tool_1` and so on, each of which takes an integer `a` and gives it back.
///
/// # Panics
/// Never: their names differ.
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
    builder.expect("the names differ").build()
}
