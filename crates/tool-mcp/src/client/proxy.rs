//! Tools that call a server.

use std::sync::Arc;

use serde_json::{Map, Value};
use tool_core::{
    Arguments, CallPlan, PreparedCall, Tool, ToolContext, ToolDefinition, ToolError, ToolName,
    ToolOutput,
};

use super::list::Listed;
use super::output::Origin;
use super::server::Server;
use super::{risk, rounds};
use crate::config::Trust;

type OutputSchema = tool_core::schema::CompiledSchema;

/// Tool of a server.
pub(crate) struct Proxy {
    definition: ToolDefinition,
    /// Name of the tool on the server.
    tool: Box<str>,
    server: Arc<Server>,
    output_schema: Option<OutputSchema>,
}

impl Proxy {
    pub(crate) fn new(server: &Arc<Server>, name: &ToolName, listed: &Listed) -> Self {
        Self {
            definition: definition(server, name, listed),
            tool: listed.name.as_str().into(),
            server: Arc::clone(server),
            output_schema: output_schema(listed),
        }
    }

    fn origin(&self) -> Origin<'_> {
        let config = &self.server.config;
        Origin {
            server: &self.server.name,
            is_trusted: config.trust == Trust::Trusted,
            max_result: config.max_result,
            max_message: config.max_message,
        }
    }

    /// Adds a warning, or returns an error, if the data does not match the output schema.
    fn check_output(&self, mut output: ToolOutput) -> Result<ToolOutput, ToolError> {
        let (Some(schema), Some(data)) = (&self.output_schema, &output.data) else {
            return Ok(output);
        };
        let issues = schema.issues(data);
        let Some(issue) = issues.first() else {
            return Ok(output);
        };
        let server = &self.server.name;
        let pointer = &issue.pointer;
        let sentence = format!(
            "The data of the server \"{server}\" does not match its output schema at `{pointer}`"
        );
        if self.server.config.strict_output {
            return Err(ToolError::failed(sentence).with_output(output));
        }
        output.warnings.push(sentence + ".");
        Ok(output)
    }
}

/// Compiles the output schema. An invalid one only disables the check of outputs.
fn output_schema(listed: &Listed) -> Option<OutputSchema> {
    OutputSchema::compile(listed.output_schema.clone()?).ok()
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
        let plan = CallPlan::of(self.definition.risk());
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
        let link = self.server.link().await?;
        cx.record("mcp.method.name", "tools/call");
        cx.record("mcp.protocol.version", link.protocol_version());
        self.server.record_peer(cx);
        let origin = self.origin();
        let call = rounds::call(&self.server, &link, cx, &self.tool, arguments, &origin);
        let result = Box::pin(call).await;
        drop(permit);
        self.check_output(origin.output(result?)?)
    }
}
