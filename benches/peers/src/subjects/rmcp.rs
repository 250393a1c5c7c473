//! rmcp: an in-process router, defined with its attributes, without transport and with parsed
//! arguments.

use std::hint::black_box;

use benches::measure::{Case, at_once};
use rmcp::handler::server::tool::{ToolCallContext, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, JsonObject, NumberOrString,
};
use rmcp::service::{RequestContext, RoleServer, RunningService, serve_directly};
use rmcp::{ServerHandler, tool, tool_router};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{Add, ReadFile, Todo, Workload};

struct Server;

#[tool_router]
#[expect(clippy::unused_self, reason = "the attribute requires methods")]
impl Server {
    #[tool(description = "Adds two numbers.")]
    fn add(&self, Parameters(input): Parameters<Add>) -> String {
        input.answer().to_string()
    }

    #[tool(description = "Reads a text file, whole or by a range of lines.")]
    fn read_file(&self, Parameters(input): Parameters<ReadFile>) -> String {
        input.answer().to_string()
    }

    #[tool(description = "Replaces the plan with a new list of steps.")]
    fn todo(&self, Parameters(input): Parameters<Todo>) -> String {
        input.answer().to_string()
    }
}

impl ServerHandler for Server {}

/// Calls the router like a server that has read a request.
pub(super) fn router<W: Workload>(text: &str, expected: &Value) -> Case<'static> {
    let router = Server::tool_router();
    let arguments: JsonObject = serde_json::from_str(text).expect("the text is an object");
    let (runtime, running) = served();
    let call = move || {
        let _lives_on = &runtime;
        let request =
            CallToolRequestParams::new(W::NAME).with_arguments(black_box(&arguments).clone());
        let context = RequestContext::new(NumberOrString::Number(1), running.peer().clone());
        at_once(call(&router, request, context))
    };
    Case::checked("rmcp", expected, call, answer)
}

async fn call(
    router: &ToolRouter<Server>,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    router
        .call(ToolCallContext::new(&Server, request, context))
        .await
}

/// Starts a server on an idle stream, because a call requires the peer of a server.
fn served() -> (Runtime, RunningService<RoleServer, Server>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers always starts");
    let (near, _) = tokio::io::duplex(64);
    let running = {
        let _entered = runtime.enter();
        serve_directly::<RoleServer, _, _, _, _>(Server, near, None)
    };
    (runtime, running)
}

fn answer(response: Result<CallToolResponse, ErrorData>) -> Value {
    let Ok(CallToolResponse::Complete(CallToolResult { content, .. })) = response else {
        return Value::Null;
    };
    let text = content.first().and_then(|block| block.as_text());
    text.and_then(|text| serde_json::from_str(&text.text).ok())
        .unwrap_or_default()
}
