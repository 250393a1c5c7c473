//! Repeated requests for the definitions of 100 unchanged tools.

use benches::measure::Case;
use provider_adapters::Provider;
use rig_agent::tool::{DynamicTool, ToolOutput, ToolSet};
use rig_core::message::ToolName;
use rig_core::providers::openai::responses_api::ResponsesToolDefinition;
use serde_json::{Value, json};
use tool_core::{Registry, ToolDefinition};

const TOOLS: usize = 100;

/// Our registry, and rig's approach: copy the definitions, convert each, serialize them as JSON.
#[must_use]
pub fn subjects() -> Vec<Case<'static>> {
    vec![ours(), rig()]
}

fn ours() -> Case<'static> {
    let builder = (0..TOOLS).try_fold(Registry::builder(), |builder, index| {
        let definition = ToolDefinition::new(name(index), DESCRIPTION, parameters());
        builder.tool(tool_core::DynamicTool::new(
            definition,
            |_, arguments| async { Ok(tool_core::ToolOutput::json(arguments)) },
        ))
    });
    let tools = builder.expect("the names are unique").build();
    let call = move || tools.definitions(&Provider::OpenAi);
    Case::checked("ours", &json!(TOOLS), call, |converted| {
        json!(converted.tools.as_array().map(Vec::len))
    })
}

fn rig() -> Case<'static> {
    let tools = (0..TOOLS).map(|index| {
        let name = ToolName::new(name(index)).expect("the name is not empty");
        DynamicTool::new(name, DESCRIPTION, parameters(), |arguments| {
            Box::pin(async { Ok(ToolOutput::json(arguments)) })
        })
    });
    let tools = ToolSet::from_dynamic_tools(tools.collect());
    let call = move || {
        let definitions = tools.tool_definitions().into_iter();
        let wire: Vec<ResponsesToolDefinition> = definitions.map(Into::into).collect();
        serde_json::to_value(wire).expect("definitions are JSON")
    };
    Case::checked("rig", &json!(TOOLS), call, |wire| {
        json!(wire.as_array().map(Vec::len))
    })
}

const DESCRIPTION: &str = "Reads a text file, optionally limited to a range of lines.";

fn name(index: usize) -> String {
    format!("read_file_{index}")
}

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path, relative to the workspace."},
            "start_line": {"type": "integer", "description": "The first line, counting from 1."},
            "end_line": {"type": "integer", "description": "The last line, included."}
        },
        "required": ["path"]
    })
}
