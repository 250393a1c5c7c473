//! Tasks of calls that wait for an operator.
//!
//! The state of such a task is the state of its call in the ledger of the registry. Its id is sealed and contains the key of
//! the call, so that no server keeps the task, and every replica with the same key returns it.

use std::collections::BTreeMap;

use rmcp::model::{CallToolResponse, CreateTaskResult, DetailedTask, ErrorData, TaskPayload};
use tool_core::approval::ApprovalRequest;
use tool_core::ledger::{CallKey, LedgerEntry, LedgerState};
use tool_core::result::ToolResult;
use tool_core::{ErrorCode, Registry, Timestamp, ToolError};

use super::Host;
use super::call_key::scope_of;
use super::task::{TTL, payload, task};
use super::tasks::{missing, unavailable};
use crate::server::{ClientIdentity, Way};

/// Call that waits for an operator.
pub(super) struct Waiting {
    /// Id of the request for approval.
    request_id: String,
    /// Key of the call in the ledger.
    key: CallKey,
}

impl Host {
    /// Returns the task of a call that waits for an operator, if the ledger of the registry contains its request.
    pub(super) async fn task_of(
        &self,
        request: &ApprovalRequest,
        registry: &Registry,
        identity: &ClientIdentity,
    ) -> Option<CallToolResponse> {
        let key = request.call_key.clone()?;
        let entry = registry.ledger()?.find(&key).await.ok()??;
        let is_graphic = key.key.bytes().all(|byte| byte.is_ascii_graphic());
        if !waits(&entry, &request.id) || !is_graphic || key.scope != scope_of(&identity.subject) {
            return None;
        }
        let text = format!("{}.{}", request.id, key.key);
        let id = self.0.seals.seal(&text, &bound(identity), TTL)?;
        let task = self.described(&id, &request.id, entry, registry, identity);
        Some(CallToolResponse::Task(CreateTaskResult::new(task.task)))
    }

    /// Returns the call of a task that waits for an operator, or `None` for other tasks.
    pub(super) fn waiting(&self, id: &str, identity: &ClientIdentity) -> Option<Waiting> {
        let text = self.0.seals.open(id, &bound(identity))?;
        let (request_id, key) = text.split_once('.')?;
        Some(Waiting {
            request_id: request_id.to_owned(),
            key: CallKey::new(scope_of(&identity.subject), key),
        })
    }

    /// Returns the state of a task whose call waited for an operator.
    pub(super) async fn waiting_task(
        &self,
        id: &str,
        waiting: &Waiting,
        identity: &ClientIdentity,
    ) -> Result<DetailedTask, ErrorData> {
        let registry = self.registry_for(identity);
        let ledger = registry.ledger().ok_or_else(missing)?;
        let found = ledger.find(&waiting.key).await;
        let entry = found.map_err(|error| unavailable(&error))?;
        let entry = entry.ok_or_else(missing)?;
        Ok(self.described(id, &waiting.request_id, entry, &registry, identity))
    }

    /// Withdraws the request of a call that waits for an operator.
    pub(super) async fn withdraw(&self, waiting: &Waiting) {
        if let Way::Pending(store, _) = &self.0.server.approvals.0
            && let Err(error) = store.take(&waiting.request_id).await
        {
            tracing::warn!(%error, "a request for approval could not be withdrawn");
        }
    }

    fn described(
        &self,
        id: &str,
        request_id: &str,
        entry: LedgerEntry,
        registry: &Registry,
        identity: &ClientIdentity,
    ) -> DetailedTask {
        let (since, tool) = (entry.since, entry.intent.tool.clone());
        let message = match (&self.0.server.approvals.0, &entry.request) {
            (Way::Pending(_, Some(next_step)), Some(request)) => Some(next_step(request)),
            _ => None,
        };
        let payload = outcome(entry, request_id).map(|result| {
            let result = self.response(result, registry, &tool, identity);
            payload(result.map(CallToolResponse::Complete))
        });
        let payload = payload.unwrap_or_else(|open| open);
        let mut task = task(id, payload.status(), since, since);
        task.status_message = message;
        DetailedTask::new(task, payload)
    }
}

/// Returns whether the call waits for the decision about a request.
fn waits(entry: &LedgerEntry, request_id: &str) -> bool {
    let request = entry.request.as_ref().map(|request| request.id.as_str());
    entry.state == LedgerState::AwaitingApproval && request == Some(request_id)
}

/// Returns the result of a call, or the state of its task until then.
fn outcome(entry: LedgerEntry, request_id: &str) -> Result<ToolResult, TaskPayload> {
    let error = match (entry.state, entry.result) {
        (LedgerState::Running, _) => return Err(TaskPayload::Working),
        (LedgerState::AwaitingApproval, _) => {
            let request = entry.request.filter(|request| request.id == request_id);
            if request.is_some_and(|request| !request.is_expired_at(Timestamp::now())) {
                // The client has nothing to answer.
                let input_requests = BTreeMap::new();
                return Err(TaskPayload::InputRequired { input_requests });
            }
            not_approved("The operator did not decide about this call in time")
        }
        (LedgerState::Unknown, _) => ToolError::outcome_unknown("The outcome is unknown")
            .suggest("Check whether the call took effect before you repeat it."),
        (_, Some(result)) => return Ok(*result),
        (_, None) => not_approved("The operator did not approve this call, or it was withdrawn"),
    };
    let (id, tool) = (entry.intent.call_id.as_str(), entry.intent.tool.as_str());
    Ok(ToolResult::refused(id, tool, error))
}

fn not_approved(reason: &str) -> ToolError {
    ToolError::new(ErrorCode::ApprovalDenied, reason)
        .suggest("Do not repeat it; ask what to do instead.")
}

/// Returns the client to which the id of a task belongs.
fn bound(identity: &ClientIdentity) -> Vec<u8> {
    format!("task:{}", identity.subject).into_bytes()
}
