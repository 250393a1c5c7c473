//! Our loop over a registry.

use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
use benches::measure::Case;
use provider_adapters::{Message, Transcript};
use serde_json::json;
use tool_core::{DynamicTool, Registry, RiskLevel, ToolCall, ToolDefinition};

use super::{ANSWER, DESCRIPTION, TOOLS, TURNS, arguments, name, runtime, schema, sum};

pub(super) fn run() -> Case<'static> {
    let agent = AgentLoop::new(registry(), ScriptedModel::from_fn(reply)).max_turns(100);
    let runtime = runtime();
    let call = move || {
        runtime
            .block_on(agent.run("Add the numbers.").into_future())
            .reply
    };
    Case::checked("ours", &json!(ANSWER), call, |answer| json!(answer))
}

fn registry() -> Registry {
    let registry = Registry::new();
    for tool in 0..TOOLS {
        let definition = ToolDefinition::new(name(tool), DESCRIPTION, schema());
        let tool = DynamicTool::new(
            definition.with_risk(RiskLevel::ReadOnly),
            |_, input| async move { Ok(json!(sum(&input)).into()) },
        );
        registry.register(tool).expect("the names differ");
    }
    registry
}

fn reply(transcript: &Transcript) -> ModelReply {
    let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
    let turn = transcript.messages().iter().filter(is_reply).count();
    if turn == TURNS {
        return ModelReply::text(ANSWER);
    }
    let call = ToolCall::new(name(turn % TOOLS), arguments(turn));
    ModelReply::calls([call.with_id(format!("call_{turn}"))])
}
