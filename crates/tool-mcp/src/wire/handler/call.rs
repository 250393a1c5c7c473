//! Calls of tools, and their approval by the user of the client.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ServerRequest};
use rmcp::service::{Peer, RoleServer};
use serde_json::Value;
use tokio::time::timeout;
use tool_core::ToolResult;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision, suspend_to};
use tool_core::{
    CallOptions, CancellationToken, ContentBlock, ErrorCode, Extensions, Registry, ToolCall,
};
use tracing::Instrument;

use super::client::{call_id, idempotency_key, identity_of, is_current, scope_of, supported};
use super::notifications::{Reports, with_reports};
use super::rounds::{
    APPROVAL, Origin, Round, approval_form, approval_of, missing_capability, wire_request,
};
use super::tools::{request_of, response};
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
        let identity = identity_of(&context);
        let key = idempotency_key(&context.meta)?;
        let after = self.tasks_after(&context);
        let (stop, ct) = (self.0.ended.child(), context.ct.clone());
        let work = self
            .clone()
            .run(request, context, key.clone(), stop.clone());
        // On the heap, so that open subscriptions do not reserve the space of calls.
        let mut work = Box::pin(work.in_current_span());
        tokio::select! {
            biased;
            outcome = &mut work => outcome,
            () = ct.cancelled() => {
                stop.cancel();
                // Still wait for the result: the tool ends its processes, and the audit record gets an end.
                work.await
            }
            () = self.becomes_task(after, &identity) => {
                self.start_task(work, stop, &key.unwrap_or_default(), &identity)
            }
        }
    }

    /// Runs a call until it is finished, or cancelled with `stop`, or requests input for it.
    async fn run(
        self,
        request: CallToolRequestParams,
        context: Context,
        key: Option<String>,
        stop: CancellationToken,
    ) -> Reply<CallToolResponse> {
        let identity = identity_of(&context);
        let registry = self.registry_for(&identity);
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = ToolCall::new(&*request.name, arguments).with_id(call_id()?);
        let origin = Origin {
            subject: &identity.subject,
            method: "tools/call",
            name: &call.name,
            arguments: &call.arguments,
        };
        let sealed = request.request_state.as_deref();
        let round = Round::open(&self.0.seals, origin, sealed, request.input_responses)?;
        let run = Run {
            handler: &self,
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
    let peer = context.peer.clone();
    let send = move |request: InputRequest| -> Responding {
        let peer = peer.clone();
        Box::pin(async move { responded(&peer, &request).await })
    };
    // The current revision has no requests of servers.
    let channel = (!is_current(context)).then(|| Arc::new(send) as Channel);
    ClientInput::new(supported(context), channel, round.answers())
}

/// Sends a request to a client of an older revision, and returns its response.
async fn responded(peer: &Peer<RoleServer>, request: &InputRequest) -> Result<Value, String> {
    let request = serde_json::from_value::<ServerRequest>(wire_request(request));
    let request = request.map_err(|_| "the request is invalid")?;
    let response = timeout(ANSWER_TIMEOUT, peer.send_request(request)).await;
    let response = response.map_err(|_| "the client did not respond in time")?;
    let response = response.map_err(|error| error.to_string())?;
    serde_json::to_value(response).map_err(|error| error.to_string())
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
    stop: CancellationToken,
}

impl Run<'_> {
    async fn finish(mut self) -> Reply<CallToolResponse> {
        // If the answer is missing or invalid, the call asks again.
        let answers = self.round.answers();
        let decided = self.round.take_approval().and_then(|request| {
            let answer = approval_of(answers.get(APPROVAL)?)?;
            let decision = Decision::new(&request, answer);
            Some((request, decision))
        });
        let mut result = self.execute(decided.as_ref()).await;
        let asked = self.input.take_asked();
        if is_current(&self.context) {
            if let Some(method) = asked.unsupported.filter(|_| !result.success) {
                return Err(missing_capability(method));
            }
            if !asked.requests.is_empty() {
                return Ok(self.round.required(asked)?.into());
            }
        }
        if let Some(request) = request_of(&result).cloned()
            && let Some(response) = self.wait(request, &mut result).await?
        {
            return Ok(response);
        }
        Ok(response(result, &self.registry, &self.call.name)?.into())
    }

    async fn execute(&self, decided: Option<&(ApprovalRequest, Decision)>) -> ToolResult {
        let level = self.handler.log_level(&self.context);
        let reports = Reports::new(&self.context, level, self.registry.redactor());
        let options = self.options(&reports).with_cancellation(self.stop.child());
        let run = async {
            match decided {
                Some((request, decision)) => self.resume(request, decision, &options).await,
                None => self.registry.execute_call(self.call, &options).await,
            }
        };
        with_reports(run, reports).await
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
        if let Some(log) = reports.log() {
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
            // The request is stored, so that its decision is used by one replica.
            Way::Elicit(Some(store)) if is_current(&self.context) && self.input.has_forms() => {
                options.with_approver(suspend_to(Arc::clone(store)))
            }
            Way::Elicit(_) => options.with_approver(Elicit {
                input: self.input.clone(),
                is_current: is_current(&self.context),
            }),
            Way::Pending(store, _) => options.with_approver(suspend_to(Arc::clone(store))),
        }
    }
}

/// Approval.
impl Run<'_> {
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

    /// Returns the form or the task of a call that waits for an approval. Otherwise its result states the next step.
    async fn wait(
        &self,
        request: ApprovalRequest,
        result: &mut ToolResult,
    ) -> Reply<Option<CallToolResponse>> {
        let error = result.error.as_mut();
        match (&self.handler.0.server.approvals.0, error) {
            (Way::Elicit(_), Some(error))
                if is_current(&self.context) && error.code == ErrorCode::ApprovalPending =>
            {
                return Ok(Some(self.round.approval_required(request)?.into()));
            }
            (Way::Pending(_, next_step), error) => {
                if self.handler.tasks_after(&self.context).is_some() {
                    let task = self
                        .handler
                        .task_of(&request, &self.registry, self.identity);
                    if let Some(task) = task.await {
                        return Ok(Some(task));
                    }
                }
                if let (Some(next_step), Some(error)) = (next_step, error) {
                    error.suggestion = Some(next_step(&request));
                    result.content = vec![ContentBlock::text(error.to_model_text())];
                }
            }
            _ => {}
        }
        Ok(None)
    }
}

/// Approver that asks the user of the client.
struct Elicit {
    input: ClientInput,
    /// Whether the call must be suspended, because the current revision has no requests of servers.
    is_current: bool,
}

#[async_trait]
impl Approver for Elicit {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let deny = |reason: &str| Answer::Deny {
            reason: Some(reason.to_owned()),
        };
        let form = approval_form(request);
        let answer = if !self.input.has_forms() {
            deny("the client cannot show the request to its user")
        } else if self.is_current {
            Answer::Suspend
        } else {
            let given = self.input.ask(APPROVAL, form).await;
            let answer = given.ok().and_then(|given| approval_of(given.as_value()));
            answer.unwrap_or_else(|| deny("the client did not respond to the request"))
        };
        Decision::new(request, answer)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}
