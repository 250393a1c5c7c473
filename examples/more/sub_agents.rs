//! An agent whose tools are other agents.
//!
//! `cargo run -p examples --example sub_agents`

use std::error::Error;

use agent_loop::{AgentLoop, Event, EventKind, ModelReply, ScriptedModel};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tool_core::{Registry, RiskLevel, ToolCall, ToolDefinition, tool_fn};

#[derive(Deserialize, JsonSchema)]
struct Place {
    /// Name of a town.
    town: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let weather = tool_fn(
        "weather",
        "Returns the weather.",
        |_, place: Place| async move { Ok(format!("{}: sunny, 24 degrees", place.town)) },
    );
    let forecaster = sub_agent(
        Registry::of(weather.risk(RiskLevel::ReadOnly))?,
        [
            ModelReply::calls([ToolCall::new("weather", json!({"town": "Ulm"}))]),
            ModelReply::text("It stays sunny in Ulm."),
        ],
    );
    let gardener = sub_agent(Registry::new(), [ModelReply::text("Water in the evening.")]);
    let tools = Registry::builder()
        .tool(forecaster.as_tool(definition(
            "ask_forecaster",
            "Answers questions about the weather.",
        )))?
        .tool(gardener.as_tool(definition(
            "ask_gardener",
            "Answers questions about plants.",
        )))?
        .build();

    // Both agents run at the same time, because their calls are in one reply.
    let model = ScriptedModel::new([
        ModelReply::calls([
            ToolCall::new(
                "ask_forecaster",
                json!({"task": "How is the weather in Ulm?"}),
            ),
            ToolCall::new(
                "ask_gardener",
                json!({"task": "When do I water tulips on a sunny day?"}),
            ),
        ]),
        ModelReply::text("It stays sunny, so water the tulips in the evening."),
    ]);
    let outcome = AgentLoop::new(tools, model)
        .on_event(print_calls)
        .run("Plan my evening.")
        .await;

    println!("{}", outcome.reply.unwrap_or_default());
    println!("tokens of all agents: {}", outcome.usage.total_tokens());
    Ok(())
}

fn sub_agent(tools: Registry, replies: impl IntoIterator<Item = ModelReply>) -> AgentLoop {
    AgentLoop::new(tools, ScriptedModel::new(replies)).on_event(print_calls)
}

fn definition(name: &str, description: &str) -> ToolDefinition {
    let schema =
        json!({"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]});
    ToolDefinition::new(name, description, schema).with_risk(RiskLevel::ReadOnly)
}

/// Prints the results of calls, indented if they belong to a sub-agent.
fn print_calls(event: &Event<'_>) {
    if let EventKind::CallFinished { result } = event.kind {
        let indent = if event.parent_call.is_some() {
            "  "
        } else {
            ""
        };
        println!("{indent}{}: {result}", result.name);
    }
}
