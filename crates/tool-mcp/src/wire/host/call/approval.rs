//! Approval of a call by the user of the client.

use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{CallToolResponse, ErrorData, ServerRequest};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Value, json};
use tokio::time::timeout;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};
use tool_core::{CallOptions, ContentBlock, ErrorCode, ToolResult};

use super::Run;
use crate::server::{Channel, InputRequest, Way};
use crate::wire::host::client::is_current;
use crate::wire::host::rounds::{APPROVAL, approval_form, approval_of, wire_request};

/// Maximum time for the response of a client.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

impl Run<'_> {
    pub(super) fn ask_approval(
        self,
        request: ApprovalRequest,
    ) -> Result<CallToolResponse, ErrorData> {
        let required = self.round.approval_required(&self.host.0.seals, request)?;
        Ok(CallToolResponse::InputRequired(required))
    }

    /// Returns the decision of the user about a request.
    pub(super) fn decision(&self, request: &ApprovalRequest) -> Option<Decision> {
        let answers = self.round.answers();
        let is_approved = approval_of(answers.get(APPROVAL)?)?;
        Some(Decision::new(request, answer(is_approved)))
    }

    /// Runs an approved call. If replicas share a store, it must still contain the request.
    pub(super) async fn resume(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        options: &CallOptions,
    ) -> ToolResult {
        if let Way::Elicit(Some(store)) = &self.host.0.server.approvals.0 {
            let taken = store.take(&request.id).await;
            if !taken.is_ok_and(|taken| taken.is_some()) {
                // The call requires a new approval.
                return self.registry.execute_call(self.call, options).await;
            }
        }
        self.registry.resume(request, decision, options).await
    }

    /// States the next step of a call that waits for an operator.
    pub(super) fn add_next_step(&self, result: &mut ToolResult) {
        let Way::Pending(_, Some(next_step)) = &self.host.0.server.approvals.0 else {
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
    pub(super) async fn waiting_task(&self, result: &ToolResult) -> Option<CallToolResponse> {
        let is_pending = matches!(self.host.0.server.approvals.0, Way::Pending(..));
        self.stop.as_ref().filter(|_| is_pending)?;
        let request = result.metadata.approval.as_ref()?.request.as_deref()?;
        let task = self.host.task_of(request, &self.registry, self.identity);
        task.await
    }

    /// Returns the request of a call that waits for the user of the client.
    pub(super) fn elicitable(&self, result: &ToolResult) -> Option<ApprovalRequest> {
        let is_elicited = matches!(self.host.0.server.approvals.0, Way::Elicit(_));
        let error = result.error.as_ref().filter(|_| is_elicited)?;
        let approval = result.metadata.approval.as_ref()?;
        let request = approval.request.as_deref()?.clone();
        (error.code == ErrorCode::ApprovalPending).then_some(request)
    }

    /// Stores a request, so that its decision is used by one replica.
    pub(super) async fn remember(&self, request: &ApprovalRequest) -> Result<(), ErrorData> {
        let Way::Elicit(Some(store)) = &self.host.0.server.approvals.0 else {
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
pub(super) struct Elicit {
    /// Connection of an older revision. The current revision suspends the call.
    channel: Option<PeerChannel>,
    has_forms: bool,
}

impl Elicit {
    pub(super) fn new(run: &Run<'_>) -> Self {
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
pub(super) struct PeerChannel(pub(super) Peer<RoleServer>);

#[async_trait]
impl Channel for PeerChannel {
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
