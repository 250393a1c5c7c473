//! Tools that call a server.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_core::schema::CompiledSchema;
use tool_core::{
    Arguments, CallPlan, PreparedCall, Tool, ToolContext, ToolDefinition, ToolError, ToolName,
    ToolOutput,
};

use super::list::Listed;
use super::output::Origin;
use super::risk;
use super::server::Server;
use crate::meta::meta;
use crate::wire::{Link, Round, kept_alive, waiting};

/// Maximum number of rounds of one call.
const MAX_ROUNDS: usize = 8;

/// Tool of a server.
pub(crate) struct Proxy {
    definition: ToolDefinition,
    /// Name of the tool on the server. `None` for our own one, which reads resources.
    tool: Option<Box<str>>,
    /// Why people may take the name for another one.
    look_alike: Option<String>,
    server: Arc<Server>,
    output_schema: Option<CompiledSchema>,
}

impl Proxy {
    pub(crate) fn new(
        server: &Arc<Server>,
        name: &ToolName,
        listed: &Listed,
        look_alike: Option<String>,
    ) -> Self {
        Self {
            definition: definition(server, name, listed),
            tool: Some(listed.name.as_str().into()),
            look_alike,
            server: Arc::clone(server),
            output_schema: output_schema(listed),
        }
    }

    /// Creates our own tool that reads resources.
    pub(crate) fn reader(server: &Arc<Server>, name: &ToolName, listed: &Listed) -> Self {
        Self {
            tool: None,
            ..Self::new(server, name, listed, None)
        }
    }

    /// Adds a warning if the data does not match the output schema. Not an error: about 3 % of servers break their
    /// own schema, and their results are still useful.
    fn check_output(&self, mut output: ToolOutput) -> ToolOutput {
        if let (Some(schema), Some(data)) = (&self.output_schema, &output.data)
            && let Some(issue) = schema.issues(data).first()
        {
            output.warnings.push(format!(
                "The data of the server \"{}\" does not match its output schema at `{}`.",
                self.server.name, issue.pointer
            ));
        }
        output
    }
}

/// Compiles the output schema. An invalid one only disables the check of outputs.
fn output_schema(listed: &Listed) -> Option<CompiledSchema> {
    CompiledSchema::compile(listed.output_schema.clone()?).ok()
}

fn definition(server: &Server, name: &ToolName, listed: &Listed) -> ToolDefinition {
    let config = &server.config;
    let (risk, hints) = risk::assess(config, &listed.name, listed.claims);
    let mut definition = ToolDefinition::new(
        name.as_str(),
        listed.description.clone(),
        listed.input_schema.clone(),
    )
    .with_risk(risk)
    .with_hints(hints)
    .with_idle_timeout(config.timeout)
    .with_timeout(config.max_timeout)
    .with_source(format!("the MCP server `{}`", server.name));
    if let Some(title) = &listed.title {
        definition = definition.with_title(title.clone());
    }
    if let Some(schema) = &listed.output_schema {
        definition = definition.with_output_schema(schema.clone());
    }
    definition
}

impl Tool for Proxy {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let members = match arguments.to_value() {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        // We cannot know what a foreign tool touches, so the plan has only its risk.
        let mut plan = CallPlan::of(self.definition.risk());
        if let Some(reason) = &self.look_alike {
            plan = plan.asking("look_alike", format!("the name of the tool {reason}"));
        }
        Ok(PreparedCall::new(plan, self.call(cx, members)))
    }
}

impl Proxy {
    async fn call(
        &self,
        cx: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let permit = self.server.permit().await?;
        let link = self.server.link()?;
        link.record(cx);
        let origin = Origin {
            server: &self.server.name,
            config: &self.server.config,
        };
        let result = match &self.tool {
            Some(tool) => Box::pin(self.rounds(&link, cx, (tool, arguments), &origin)).await,
            None => self.read(&link, cx, &arguments, &origin).await,
        };
        // Converting the result does not use the server.
        drop(permit);
        Ok(self.check_output(origin.output(result?)?))
    }

    /// Reads a resource. Returns its contents as the result of a tool.
    async fn read(
        &self,
        link: &Link,
        cx: &ToolContext,
        arguments: &Map<String, Value>,
        origin: &Origin<'_>,
    ) -> Result<Value, ToolError> {
        let uri = arguments.get("uri").and_then(Value::as_str);
        let meta = meta(self.server.shared.trace.as_ref(), cx);
        let sent = link.read(cx, uri.unwrap_or_default(), meta).await;
        let mut result = sent.map_err(|failure| origin.failure(failure))?;
        let Some(Value::Array(contents)) = result.get_mut("contents").map(Value::take) else {
            return Ok(result);
        };
        let block = |contents| json!({"type": "resource", "resource": contents});
        Ok(json!({"content": contents.into_iter().map(block).collect::<Value>()}))
    }

    /// Calls the tool, and provides the input that its server requests. Returns the result as sent.
    async fn rounds(
        &self,
        link: &Link,
        cx: &ToolContext,
        (tool, arguments): (&str, Map<String, Value>),
        origin: &Origin<'_>,
    ) -> Result<Value, ToolError> {
        let server = &self.server;
        let meta = meta(server.shared.trace.as_ref(), cx);
        let mut round = Round::default();
        for _ in 0..=MAX_ROUNDS {
            let sent = link.call(cx, tool, arguments.clone(), round, meta.clone());
            let mut result = sent.await.map_err(|failure| origin.failure(failure))?;
            if text(&result, "resultType") != Some("input_required") {
                return Ok(result);
            }
            round = Round {
                responses: responses(server, cx, &mut result).await?,
                state: text(&result, "requestState").map(str::to_owned),
            };
        }
        Err(ToolError::failed(format!(
            "The server \"{}\" requested input more than {MAX_ROUNDS} times",
            server.name
        ))
        .suggest("Continue without this tool."))
    }
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
    let mut responses = BTreeMap::new();
    for (key, mut request) in requests {
        let method = text(&request, "method").unwrap_or_default().to_owned();
        let params = request.get_mut("params").map(Value::take);
        let params = params.unwrap_or_default();
        let response = server.shared.input.respond(&server.name, &method, params);
        let response = kept_alive(response, || cx.progress(&waiting())).await;
        let response = response.map_err(|missing| no_input(server, &missing))?;
        responses.insert(key, response);
    }
    Ok(Some(responses))
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
