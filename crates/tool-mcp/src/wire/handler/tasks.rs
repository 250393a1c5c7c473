//! Tasks: calls that outlive their request, and calls that wait for an operator.
//!
//! The id of a task is sealed for its client. It contains the id of the running call in this process, or the id of the request
//! for approval, and the key of the call in the ledger. So every replica with the same key and ledger can return the result of a
//! call, and no store of tasks is needed.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, ErrorData,
    ServerCapabilities, TASKS_EXTENSION_ID, Task, TaskPayload,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::sleep;
use tool_core::approval::ApprovalRequest;
use tool_core::ledger::{CallKey, LedgerEntry, LedgerError, LedgerState};
use tool_core::{CancellationToken, ErrorCode, Registry, Timestamp, ToolError, ToolResult};

use super::client::scope_of;
use super::tools::response;
use super::{Context, RegistryHandler, Reply};
use crate::locked;
use crate::server::{ClientIdentity, Way};

/// Time for which a task is kept.
const TTL: Duration = Duration::from_hours(1);
const TTL_MS: u64 = 3_600_000;

/// Recommended interval between two requests for the state of a task, in milliseconds.
const POLL_INTERVAL: u64 = 500;

/// Maximum number of tasks of a client, and of all clients.
const MAX_PER_CLIENT: usize = 100;
const MAX_TASKS: usize = 10_000;

/// Declares that the server supports tasks.
pub(super) fn declare(capabilities: &mut ServerCapabilities) {
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(TASKS_EXTENSION_ID.to_owned(), Map::new());
}

/// Tasks whose calls run in this process.
#[derive(Default)]
pub(super) struct Tasks {
    running: TaskManager,
    /// Clients and ids of the tasks.
    owned: Mutex<Vec<(String, String)>>,
}

impl Tasks {
    /// Returns `true` if a client may have another task. Calls over the limit run without one.
    fn admits(&self, subject: &str) -> bool {
        let mut owned = locked(&self.owned);
        owned.retain(|(owner, id)| owner != subject || self.running.get_task(id).is_ok());
        let own = owned.iter().filter(|(owner, _)| owner == subject);
        own.count() < MAX_PER_CLIENT && owned.len() < MAX_TASKS
    }
}

/// Outcome of a call.
type Outcome = Reply<CallToolResponse>;

impl RegistryHandler {
    /// Returns the time after which calls become tasks, if the client supports tasks.
    pub(super) fn tasks_after(&self, context: &Context) -> Option<Duration> {
        let capabilities = context.client_capabilities()?;
        let after = self.0.server.tasks_after;
        after.filter(|_| capabilities.supports_tasks())
    }

    /// Waits until a call must become a task. Without room for another task, it continues in its request, as for clients
    /// without tasks.
    pub(super) async fn becomes_task(&self, after: Option<Duration>, identity: &ClientIdentity) {
        if let Some(after) = after {
            sleep(after).await;
            if self.0.tasks.admits(&identity.subject) {
                return;
            }
        }
        std::future::pending::<()>().await;
    }

    /// Continues a call as a task. It is cancelled with `stop`.
    pub(super) fn start_task(
        &self,
        work: impl Future<Output = Outcome> + Send + Unpin + 'static,
        stop: CancellationToken,
        key: &str,
        identity: &ClientIdentity,
    ) -> Outcome {
        let options = TaskOptions::new()
            .with_ttl_ms(TTL_MS)
            .with_poll_interval_ms(POLL_INTERVAL);
        let mut task = self.0.tasks.running.spawn(options, |task| {
            Box::pin(async move { finish(&task, work, &stop).await })
        });
        let owner = (identity.subject.clone(), task.task_id.clone());
        locked(&self.0.tasks.owned).push(owner);
        let sealed = self.sealed(&task.task_id, key, identity);
        task.task_id = sealed.ok_or_else(missing)?;
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    fn sealed(&self, id: &str, key: &str, identity: &ClientIdentity) -> Option<String> {
        let text = format!("{id}.{key}");
        // Running calls are kept for another hour after their end.
        self.0.seals.seal(&text, &bound(identity), 2 * TTL)
    }

    /// Returns the id of a running call, or of a request for approval, and the key of the call in the ledger.
    fn opened(&self, id: &str, identity: &ClientIdentity) -> Reply<(String, CallKey)> {
        let text = self.0.seals.open(id, &bound(identity));
        let text = text.ok_or_else(missing)?;
        let (id, key) = text.split_once('.').ok_or_else(missing)?;
        let key = CallKey::new(scope_of(&identity.subject), key);
        Ok((id.to_owned(), key))
    }

    /// Returns the state of a task.
    pub(super) async fn task(&self, id: &str, identity: &ClientIdentity) -> Reply<DetailedTask> {
        let (own, key) = self.opened(id, identity)?;
        if let Ok(mut task) = self.0.tasks.running.get_task(&own) {
            id.clone_into(&mut task.task.task_id);
            return Ok(task);
        }
        let registry = self.registry_for(identity);
        let ledger = registry.ledger().ok_or_else(missing)?;
        let found = ledger.find(&key).await;
        let entry = found.map_err(|error| unavailable(&error))?;
        let entry = entry.ok_or_else(missing)?;
        Ok(self.described(id, entry, &registry))
    }

    /// Cancels a running call, or withdraws the request of a call that waits for an operator.
    pub(super) async fn cancel(&self, id: &str, identity: &ClientIdentity) -> Reply<()> {
        let (own, _) = self.opened(id, identity)?;
        if self.0.tasks.running.cancel_task(&own).is_err()
            && let Way::Pending(store, _) = &self.0.server.approvals.0
            && let Err(error) = store.take(&own).await
        {
            tracing::warn!(%error, "a request for approval could not be withdrawn");
        }
        Ok(())
    }

    /// Returns the task of a call that waits for an operator, if the ledger of the registry contains its request.
    pub(super) async fn task_of(
        &self,
        request: &ApprovalRequest,
        registry: &Registry,
        identity: &ClientIdentity,
    ) -> Option<CallToolResponse> {
        let key = request.call_key.clone()?;
        let entry = registry.ledger()?.find(&key).await.ok()??;
        let known = entry.request.as_ref().map(|request| request.id.as_str());
        let waits =
            entry.state == LedgerState::AwaitingApproval && known == Some(request.id.as_str());
        if !waits || key.scope != scope_of(&identity.subject) {
            return None;
        }
        let id = self.sealed(&request.id, &key.key, identity)?;
        let task = self.described(&id, entry, registry);
        Some(CallToolResponse::Task(CreateTaskResult::new(task.task)))
    }

    /// Describes the task of a call in the ledger.
    fn described(&self, id: &str, entry: LedgerEntry, registry: &Registry) -> DetailedTask {
        let (since, tool) = (entry.since.to_string(), entry.intent.tool.clone());
        let message = match (&self.0.server.approvals.0, &entry.request) {
            (Way::Pending(_, Some(next_step)), Some(request)) => Some(next_step(request)),
            _ => None,
        };
        let payload = match outcome(entry) {
            Ok(result) => match response(result, registry, &tool) {
                Ok(result) => TaskPayload::Completed {
                    result: object(&result),
                },
                Err(error) => TaskPayload::Failed {
                    error: object(&error),
                },
            },
            Err(open) => open,
        };
        let mut task = Task::new(id, payload.status(), since.clone(), since)
            .with_ttl_ms(TTL_MS)
            .with_poll_interval_ms(POLL_INTERVAL);
        task.status_message = message;
        DetailedTask::new(task, payload)
    }
}

/// Returns the client to which the id of a task belongs.
fn bound(identity: &ClientIdentity) -> Vec<u8> {
    format!("task:{}", identity.subject).into_bytes()
}

/// Waits for the outcome of a task.
async fn finish(
    task: &TaskContext,
    mut work: impl Future<Output = Outcome> + Unpin,
    stop: &CancellationToken,
) -> Result<CallToolResult, TaskExit> {
    let outcome = tokio::select! {
        outcome = &mut work => outcome,
        () = task.cancelled() => {
            stop.cancel();
            // The call ends before its task does.
            let _ = work.await;
            return Err(TaskExit::Cancelled);
        }
    };
    match outcome? {
        CallToolResponse::Complete(result) => Ok(result),
        // Its result is the one of another task.
        CallToolResponse::Task(CreateTaskResult { task, .. }) => {
            let text = format!(
                "Error: This call waits for approval and has not run. The task `{}` has its result.",
                task.task_id
            );
            Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
        }
        // Tools ask before their first effect, so the client can call again.
        _ => {
            let reason = "the call requires input, which a task cannot ask for";
            Err(ErrorData::invalid_request(reason, None).into())
        }
    }
}

/// Returns the result of a call in the ledger, or the state of its task until then.
fn outcome(entry: LedgerEntry) -> Result<ToolResult, TaskPayload> {
    let error = match (entry.state, entry.result) {
        (LedgerState::Running, _) => return Err(TaskPayload::Working),
        (LedgerState::AwaitingApproval, _) => {
            let request = entry.request;
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

/// Returns a result or an error as an object.
fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        // Results and errors are objects.
        _ => Map::new(),
    }
}

fn missing() -> ErrorData {
    ErrorData::invalid_params("the task does not exist or has expired", None)
}

fn unavailable(error: &LedgerError) -> ErrorData {
    tracing::warn!(%error, "a task could not be read");
    ErrorData::internal_error("the tasks are not available; try again later", None)
}
