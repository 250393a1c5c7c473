//! Calls that require input before their result.

use std::collections::BTreeMap;
use std::pin::pin;

use serde_json::{Map, Value};
use tokio::time::timeout;
use tool_core::{Progress, ToolContext, ToolError};

use super::output::Origin;
use super::server::Server;
use crate::meta::meta;
use crate::wire::{KEEP_ALIVE, Link, Round};

/// Maximum number of rounds of one call.
const MAX_ROUNDS: usize = 8;

/// Maximum number of requests of one round.
const MAX_REQUESTS: usize = 16;

/// Calls a tool, and provides the input that its server requests. Returns the result as sent.
pub(crate) async fn call(
    server: &Server,
    link: &Link,
    cx: &ToolContext,
    tool: &str,
    arguments: Map<String, Value>,
    origin: &Origin<'_>,
) -> Result<Value, ToolError> {
    let meta = meta(server.shared.trace.as_ref(), cx);
    let mut round = Round::default();
    for _ in 0..=MAX_ROUNDS {
        round.meta.clone_from(&meta);
        let sent = link.call(cx, tool, arguments.clone(), round).await;
        let mut result = sent.map_err(|failure| origin.failure(failure))?;
        if text(&result, "resultType") != Some("input_required") {
            return Ok(result);
        }
        round = Round {
            responses: responses(server, cx, &mut result).await?,
            state: text(&result, "requestState").map(str::to_owned),
            meta: Map::new(),
        };
    }
    Err(ToolError::failed(format!(
        "The server \"{}\" requested input more than {MAX_ROUNDS} times",
        server.name
    ))
    .suggest("Continue without this tool."))
}

/// Returns the responses to the requests of one round.
async fn responses(
    server: &Server,
    cx: &ToolContext,
    result: &mut Value,
) -> Result<Option<BTreeMap<String, Value>>, ToolError> {
    let requests = result.get_mut("inputRequests").map(Value::take);
    let Some(Value::Object(requests)) = requests else {
        return Ok(None);
    };
    if requests.len() > MAX_REQUESTS {
        return Err(no_input(
            server,
            &format!("more than {MAX_REQUESTS} inputs"),
        ));
    }
    let mut responses = BTreeMap::new();
    for (key, mut request) in requests {
        let method = text(&request, "method").unwrap_or_default().to_owned();
        let params = request.get_mut("params").map(Value::take);
        let params = params.unwrap_or_default();
        let response = server.shared.input.respond(&server.name, &method, params);
        let response = kept_alive(cx, response).await;
        let response = response.map_err(|missing| no_input(server, &missing.request))?;
        responses.insert(key, response);
    }
    Ok(Some(responses))
}

/// Waits for input. The idle timeout of the call does not count this time.
async fn kept_alive<F: Future>(cx: &ToolContext, input: F) -> F::Output {
    let mut input = pin!(input);
    loop {
        match timeout(KEEP_ALIVE, &mut input).await {
            Ok(input) => return input,
            Err(_) => cx.progress(&Progress::new("waiting for input")),
        }
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

fn no_input(server: &Server, request: &str) -> ToolError {
    ToolError::failed(format!(
        "The server \"{}\" requires {request}, which is not available here",
        server.name
    ))
    .suggest("Pass the information in the arguments, or continue without this tool.")
}
