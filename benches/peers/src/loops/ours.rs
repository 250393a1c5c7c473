//! Our loop over a registry.

use std::sync::atomic::{AtomicU32, Ordering};

use agent_loop::{AgentLoop, KeepEnds, ModelReply, ScriptedModel};
use benches::measure::Case;
use provider_adapters::{Message, Transcript};
use serde_json::{Value, json};
use tool_core::{DynamicTool, Registry, RiskLevel, ToolCall, ToolDefinition};

use super::{
    ANSWER, DESCRIPTION, LONG_TURNS, TOOLS, TURNS, arguments, block_on, name, runtime, schema, sum,
};

pub(super) fn run() -> Case<'static> {
    let agent = AgentLoop::new(
        registry(|input| json!(sum(input))),
        ScriptedModel::from_fn(reply),
    );
    case("ours", agent.max_turns(100))
}

/// Keeps the first turn and the last four.
pub(super) fn long_run() -> Case<'static> {
    let registry = registry(|_| json!("x".repeat(4096)));
    let next = AtomicU32::new(0);
    let model = ScriptedModel::from_fn(move |_| {
        // Each run has one reply more than calls.
        match next.fetch_add(1, Ordering::Relaxed) % (LONG_TURNS + 1) {
            LONG_TURNS => ModelReply::text(ANSWER),
            turn => call(turn as usize),
        }
    });
    let agent = AgentLoop::new(registry, model)
        .max_turns(300)
        .compaction(50_000, KeepEnds::turns(1, 4));
    case("long run", agent)
}

fn registry(output: fn(&Value) -> Value) -> Registry {
    let registry = Registry::new();
    for tool in 0..TOOLS {
        let definition = ToolDefinition::new(&name(tool), DESCRIPTION, schema());
        let definition = definition.with_risk(RiskLevel::ReadOnly);
        let tool = DynamicTool::new(definition, move |_, input| async move {
            Ok(output(&input).into())
        });
        registry.register(tool).expect("the names differ");
    }
    registry
}

fn case(name: &'static str, agent: AgentLoop) -> Case<'static> {
    let runtime = runtime();
    let call = move || {
        let outcome = block_on(&runtime, async { agent.run("Add the numbers.").await });
        outcome.answer
    };
    Case::checked(name, &json!(ANSWER), call, |answer| json!(answer))
}

fn reply(transcript: &Transcript) -> ModelReply {
    let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
    let turn = transcript.iter().filter(is_reply).count();
    if turn == TURNS {
        return ModelReply::text(ANSWER);
    }
    call(turn)
}

fn call(turn: usize) -> ModelReply {
    let call = ToolCall::new(name(turn % TOOLS), arguments(turn));
    ModelReply::calls([call.with_id(format!("call_{turn}"))])
}
