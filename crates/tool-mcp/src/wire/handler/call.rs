//! Calls of tools, and their approval by the user of the client.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, ServerRequest};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Value, json};
use tokio::time::timeout;
use tool_core::ToolResult;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision, suspend_to};
use tool_core::{
    CallOptions, CancellationToken, ContentBlock, ErrorCode, Extensions, Registry, ToolCall,
};

use super::client::{
    idempotency_key, identity_of, is_current, scope_of, supported, supports_tasks,
};
use super::reports::{Reports, with_reports};
use super::results::response;
use super::rounds::{
    APPROVAL, Origin, Round, approval_form, approval_of, missing_capability, wire_request,
};
use super::{Context, RegistryHandler, Reply};
use crate::server::{
    Channel, ClientIdentity, ClientInput, InputRequest, Responding, TraceParent, Way,
};

/// Maximum time for the response of a client.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

impl RegistryHandler {
    /// Runs a call, or requests input for it. A long call becomes a task if the client supports tasks.
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Reply<CallToolResponse> {
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
        context: Context,
        stop: Option<CancellationToken>,
    ) -> Reply<CallToolResponse> {
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
            handler: self,
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
pub(super) fn input_of(context: &Context, round: &Round<'_>) -> ClientInput {
    let peer = PeerChannel(context.peer.clone());
    let send = move |request: InputRequest| -> Responding {
        let peer = peer.clone();
        Box::pin(async move { peer.request(&request).await })
    };
    // The current revision has no requests of servers.
    let channel = (!is_current(context)).then(|| Arc::new(send) as Channel);
    ClientInput::new(supported(context), channel, round.answers())
}

/// Call of a client.
struct Run<'r> {
    handler: &'r RegistryHandler,
    call: &'r ToolCall,
    /// Key of the client.
    key: Option<String>,
    registry: Registry,
    identity: &'r ClientIdentity,
    input: ClientInput,
    round: Round<'r>,
    context: Context,
    stop: Option<CancellationToken>,
}

impl Run<'_> {
    async fn finish(mut self) -> Reply<CallToolResponse> {
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
                let required = self.round.required(&self.handler.0.seals, asked)?;
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
        let stop = self.handler.0.ended.child();
        let reports = Reports::new(&self.context, self.handler.log_level(&self.context));
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
        // Still wait for the result: the tool ends its processes, and the audit record gets an end.
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
        let server = &self.handler.0.server;
        // What tools can read about their client.
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

    fn respond(self, mut result: ToolResult) -> Reply<CallToolResponse> {
        self.add_next_step(&mut result);
        let result = response(result, &self.registry, &self.call.name)?;
        Ok(CallToolResponse::Complete(result))
    }
}

/// Approval.
impl Run<'_> {
    fn ask_approval(self, request: ApprovalRequest) -> Reply<CallToolResponse> {
        let required = self
            .round
            .approval_required(&self.handler.0.seals, request)?;
        Ok(CallToolResponse::InputRequired(required))
    }

    /// Returns the decision of the user about a request.
    fn decision(&self, request: &ApprovalRequest) -> Option<Decision> {
        let answers = self.round.answers();
        let is_approved = approval_of(answers.get(APPROVAL)?)?;
        Some(Decision::new(request, answer(is_approved)))
    }

    /// Runs an approved call. If replicas share a store, it must still contain the request.
    async fn resume(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        options: &CallOptions,
    ) -> ToolResult {
        if let Way::Elicit(Some(store)) = &self.handler.0.server.approvals.0 {
            let taken = store.take(&request.id).await;
            if !taken.is_ok_and(|taken| taken.is_some()) {
                // The call requires a new approval.
                return self.registry.execute_call(self.call, options).await;
            }
        }
        self.registry.resume(request, decision, options).await
    }

    /// States the next step of a call that waits for an operator.
    fn add_next_step(&self, result: &mut ToolResult) {
        let Way::Pending(_, Some(next_step)) = &self.handler.0.server.approvals.0 else {
            return;
        };
        let approval = result.metadata.approval.as_ref();
        let request = approval.and_then(|approval| approval.request.as_deref());
        if let (Some(request), Some(error)) = (request, &mut result.error) {
            error.suggestion = Some(next_step(request));
            result.content = vec![ContentBlock::text(error.to_model_text())];
        }
    }

    /// Returns the task of a call that waits for an operator, if the client supports tasks.
    async fn waiting_task(&self, result: &ToolResult) -> Option<CallToolResponse> {
        let is_pending = matches!(self.handler.0.server.approvals.0, Way::Pending(..));
        self.stop.as_ref().filter(|_| is_pending)?;
        let request = result.metadata.approval.as_ref()?.request.as_deref()?;
        let task = self.handler.task_of(request, &self.registry, self.identity);
        task.await
    }

    /// Returns the request of a call that waits for the user of the client.
    fn elicitable(&self, result: &ToolResult) -> Option<ApprovalRequest> {
        let is_elicited = matches!(self.handler.0.server.approvals.0, Way::Elicit(_));
        let error = result.error.as_ref().filter(|_| is_elicited)?;
        let approval = result.metadata.approval.as_ref()?;
        let request = approval.request.as_deref()?.clone();
        (error.code == ErrorCode::ApprovalPending).then_some(request)
    }

    /// Stores a request, so that its decision is used by one replica.
    async fn remember(&self, request: &ApprovalRequest) -> Reply<()> {
        let Way::Elicit(Some(store)) = &self.handler.0.server.approvals.0 else {
            return Ok(());
        };
        store.put(request).await.map_err(|error| {
            tracing::warn!(%error, "a request for approval could not be stored");
            ErrorData::internal_error("the request for approval could not be stored", None)
        })
    }
}

fn answer(is_approved: bool) -> Answer {
    if is_approved {
        Answer::Approve
    } else {
        Answer::Deny { reason: None }
    }
}

/// Approver that asks the user of the client.
struct Elicit {
    /// Connection of an older revision. The current revision suspends the call.
    channel: Option<PeerChannel>,
    has_forms: bool,
}

impl Elicit {
    fn new(run: &Run<'_>) -> Self {
        let form = InputRequest::form("", json!({}));
        Self {
            channel: (!is_current(&run.context)).then(|| PeerChannel(run.context.peer.clone())),
            has_forms: run.input.supports(&form),
        }
    }

    async fn answer(&self, request: &ApprovalRequest) -> Answer {
        let deny = |reason: &str| Answer::Deny {
            reason: Some(reason.to_owned()),
        };
        if !self.has_forms {
            return deny("the client cannot show the request to its user");
        }
        let Some(channel) = &self.channel else {
            return Answer::Suspend;
        };
        match channel.request(&approval_form(request)).await {
            Ok(given) => {
                approval_of(&given).map_or_else(|| deny("the response is invalid"), answer)
            }
            Err(_) => deny("the client did not respond to the request"),
        }
    }
}

#[async_trait]
impl Approver for Elicit {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        Decision::new(request, self.answer(request).await)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}

/// Connection to a client of an older revision.
#[derive(Clone)]
struct PeerChannel(Peer<RoleServer>);

impl PeerChannel {
    /// Sends a request to the client, and returns its response.
    async fn request(&self, request: &InputRequest) -> Result<Value, String> {
        let wire = wire_request(request).ok_or("the schema of the form is invalid")?;
        let wire = serde_json::to_value(wire).ok();
        let wire = wire.and_then(|wire| serde_json::from_value::<ServerRequest>(wire).ok());
        let wire = wire.ok_or("the request is invalid")?;
        let response = timeout(ANSWER_TIMEOUT, self.0.send_request(wire)).await;
        let response = response.map_err(|_| "the client did not respond in time")?;
        let response = response.map_err(|error| error.to_string())?;
        serde_json::to_value(response).map_err(|error| error.to_string())
    }
}
