//! Calls of tools.

mod approval;

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, MetaObject};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use tool_core::approval::{ApprovalRequest, Decision, suspend_to};
use tool_core::result::ToolResult;
use tool_core::{CallOptions, CancellationToken, Extensions, Registry, ToolCall};

use self::approval::{Elicit, PeerChannel};
use super::Host;
use super::call_key::{idempotency_key, scope_of};
use super::client::{identity_of, is_current, supported, supports_tasks};
use super::convert::wire_block;
use super::reports::{Reports, with_reports};
use super::rounds::{Origin, Round, missing_capability};
use crate::server::{Channel, ClientIdentity, ClientInput, Reply, TraceParent, Way};

/// Key of the error of a failed call in the metadata of its result.
const ERROR: &str = "toolwright/error";

impl Host {
    /// Runs a call, or requests input for it. A long call becomes a task if the client supports tasks.
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.0.server.tasks_after {
            Some(after) if supports_tasks(&context) => {
                self.call_or_task(request, context, after).await
            }
            _ => self.run(request, context, None).await,
        }
    }

    /// Runs a call, or requests input for it. The call is cancelled with `stop`, or else with the request.
    pub(super) async fn run(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        stop: Option<CancellationToken>,
    ) -> Result<CallToolResponse, ErrorData> {
        let identity = identity_of(&context);
        let registry = self.registry_for(&identity);
        let key = idempotency_key(&context.meta)?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = ToolCall::new(&*request.name, arguments).with_id(self.0.call_ids.next());
        let origin = Origin {
            subject: &identity.subject,
            method: "tools/call",
            name: &call.name,
            arguments: &call.arguments,
        };
        let sealed = request.request_state.as_deref();
        let round = Round::open(&self.0.seals, origin, sealed, request.input_responses)?;
        let run = Run {
            host: self,
            call: &call,
            key,
            input: input_of(&context, &round),
            registry,
            identity: &identity,
            round,
            context,
            stop,
        };
        run.finish().await
    }

    /// Returns the tools of a client.
    pub(super) fn registry_for(&self, identity: &ClientIdentity) -> Registry {
        match &self.0.server.view_for {
            Some(view_for) => view_for(identity).unwrap_or_default(),
            None => self.0.server.registry.clone(),
        }
    }
}

/// Returns the requests to a client that a call may send.
pub(super) fn input_of(context: &RequestContext<RoleServer>, round: &Round<'_>) -> ClientInput {
    let channel = || Arc::new(PeerChannel(context.peer.clone())) as Arc<dyn Channel>;
    let channel = (!is_current(context)).then(channel);
    ClientInput::new(supported(context), channel, round.answers())
}

/// Call of a client.
struct Run<'r> {
    host: &'r Host,
    call: &'r ToolCall,
    /// Key of the client.
    key: Option<String>,
    registry: Registry,
    identity: &'r ClientIdentity,
    input: ClientInput,
    round: Round<'r>,
    context: RequestContext<RoleServer>,
    stop: Option<CancellationToken>,
}

impl Run<'_> {
    async fn finish(mut self) -> Result<CallToolResponse, ErrorData> {
        let result = match self.round.take_approval() {
            None => self.execute(None).await,
            Some(request) => match self.decision(&request) {
                Some(decision) => self.execute(Some((&request, &decision))).await,
                // The answer is missing or invalid.
                None => return self.ask_approval(request),
            },
        };
        let asked = self.input.take_asked();
        if is_current(&self.context) {
            if let Some(method) = asked.unsupported.filter(|_| !result.success) {
                return Err(missing_capability(method));
            }
            if !asked.requests.is_empty() {
                let required = self.round.required(&self.host.0.seals, asked)?;
                return Ok(CallToolResponse::InputRequired(required));
            }
            if let Some(request) = self.elicitable(&result) {
                self.remember(&request).await?;
                return self.ask_approval(request);
            }
        }
        match self.waiting_task(&result).await {
            Some(task) => Ok(task),
            None => self.respond(result),
        }
    }

    /// Runs the call until it is finished, or cancelled by the client or the end of the service.
    async fn execute(&self, decided: Option<(&ApprovalRequest, &Decision)>) -> ToolResult {
        let stop = self.host.0.ended.child();
        let reports = Reports::new(&self.context, self.host.log_level(&self.context));
        let options = self.options(&reports).with_cancellation(stop.child());
        let run = async {
            match decided {
                Some((request, decision)) => self.resume(request, decision, &options).await,
                None => self.registry.execute_call(self.call, &options).await,
            }
        };
        let mut run = std::pin::pin!(with_reports(run, reports));
        tokio::select! {
            result = &mut run => result,
            () = self.stopped() => {
                stop.cancel();
                run.await
            }
        }
    }

    async fn stopped(&self) {
        match &self.stop {
            Some(stop) => stop.cancelled().await,
            None => self.context.ct.cancelled().await,
        }
    }

    fn options(&self, reports: &Reports) -> CallOptions {
        let server = &self.host.0.server;
        let mut extensions = Extensions::default().with(self.identity.clone());
        if let Some(parent) = self
            .context
            .meta
            .get_traceparent()
            .and_then(TraceParent::parse)
        {
            extensions = extensions.with(parent);
        }
        if let Some(log) = reports.log(self.registry.redactor().cloned()) {
            extensions = extensions.with(log);
        }
        if server.interactive.contains(&self.call.name) {
            extensions = extensions.with(self.input.clone());
        }
        let mut options = CallOptions::default()
            .with_parent_id(format!("mcp:{}", self.identity.subject))
            .with_scope(scope_of(&self.identity.subject))
            .with_extensions(extensions);
        options.call_key.clone_from(&self.key);
        options.progress = reports.sink();
        match &server.approvals.0 {
            Way::Registry => options,
            Way::Elicit(_) => options.with_approver(Elicit::new(self)),
            Way::Pending(store, _) => options.with_approver(suspend_to(Arc::clone(store))),
        }
    }

    fn respond(self, mut result: ToolResult) -> Result<CallToolResponse, ErrorData> {
        self.add_next_step(&mut result);
        let (registry, name) = (&self.registry, &self.call.name);
        let result = response(result, registry, name)?;
        Ok(CallToolResponse::Complete(result))
    }
}

/// Converts the result of a call of the tool `name`.
pub(super) fn response(
    result: ToolResult,
    registry: &Registry,
    name: &str,
) -> Result<CallToolResult, ErrorData> {
    let limit = registry.output_limit(name);
    match Reply::of(result, has_output_schema(registry, name), limit) {
        Reply::UnknownTool(message) => Err(ErrorData::invalid_params(message, None)),
        Reply::Result {
            content,
            data,
            error,
        } => {
            let blocks = content.into_iter().filter_map(wire_block);
            let mut result = CallToolResult::success(blocks.collect());
            result.structured_content = data;
            result.is_error = Some(error.is_some());
            result.meta = error.map(|error| {
                let member = (ERROR.to_owned(), error);
                MetaObject::from(Map::from_iter([member]))
            });
            Ok(result)
        }
    }
}

/// Returns whether a tool has an output schema that is an object.
fn has_output_schema(registry: &Registry, name: &str) -> bool {
    let tool = registry.get(name);
    tool.is_some_and(|tool| {
        let schema = tool.definition().output_schema();
        schema.is_some_and(Value::is_object)
    })
}
