//! rig's agent with dynamic tools and a scripted transport.

use benches::measure::Case;
use futures::stream;
use rig_agent::AgentBuilder;
use rig_agent::completion::{CompletionRequest, CompletionResponse, Usage};
use rig_core::driver::{Exchange, Model, Opened, Opening, Transport};
use rig_core::message::{AssistantContent, Message, Origin, ToolCall, ToolFunction, ToolName};
use rig_core::test_utils::{MockFrame, MockScript};
use rig_core::tool::{DynamicTool, ToolOutput};
use serde_json::{Value, json};

use super::{ANSWER, DESCRIPTION, TOOLS, TURNS, arguments, name, runtime, schema, sum};

pub(super) fn run() -> Case<'static> {
    let tools = (0..TOOLS).map(|tool| {
        DynamicTool::new(tool_name(tool), DESCRIPTION, schema(), |input| {
            Box::pin(async move { Ok(ToolOutput::json(json!(sum(&input)))) })
        })
    });
    let agent = AgentBuilder::new(Model::new(MockScript::new("scripted"), Scripted))
        .dynamic_tools(tools.collect())
        .build();
    let runtime = runtime();
    let call = move || {
        runtime.block_on(async {
            let prompt = agent.prompt("Add the numbers.").max_turns(100);
            prompt.await.expect("the run completes").to_string()
        })
    };
    Case::checked("rig", &json!(ANSWER), call, |answer| json!(answer))
}

fn tool_name(tool: usize) -> ToolName {
    ToolName::new(name(tool)).expect("the name is valid")
}

/// Model that replies with one complete response.
#[derive(Clone)]
struct Scripted;

impl Transport<MockScript> for Scripted {
    fn send(&self, request: CompletionRequest, _exchange: Exchange) -> Opening<MockFrame> {
        let origin = Origin::new("example.org", "scripted", "");
        let choice = vec![reply(&request)];
        let response = CompletionResponse::new(choice, Usage::new(), origin, Value::Null);
        let frame = MockFrame::Response(Box::new(response));
        Opening::ready(Opened::new(stream::iter([Ok(frame)])))
    }
}

fn reply(request: &CompletionRequest) -> AssistantContent {
    let history = request.chat_history.iter().map(AsRef::as_ref);
    let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
    let turn = history.filter(is_reply).count();
    if turn == TURNS {
        return AssistantContent::text(ANSWER);
    }
    let function = ToolFunction::new(tool_name(turn % TOOLS), arguments(turn));
    AssistantContent::ToolCall(ToolCall::from_wire(format!("call_{turn}"), function))
}
