//! Tasks: calls that outlive their request, and calls that wait for an operator.
//!
//! The id of a task is sealed for its client. It contains the id of the running call in this process, or the id of the request
//! for approval, and the key of the call in the ledger. So every replica with the same key and ledger can return the result of a
//! call, and no store of tasks is needed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult,
    DetailedTask, ErrorData, InputRequests, InputResponses, ServerCapabilities, TASKS_EXTENSION_ID,
    Task, TaskPayload,
};

use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tool_core::approval::ApprovalRequest;
use tool_core::ledger::{CallKey, LedgerEntry, LedgerError, LedgerState};
use tool_core::{CancellationToken, ErrorCode, Registry, Timestamp, ToolError, ToolResult};
use tracing::Instrument;

use super::client::{idempotency_key, identity_of, scope_of};
use super::results::response;
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
    /// Ids of the tasks of each client.
    owned: Mutex<HashMap<String, Vec<String>>>,
}

impl Tasks {
    /// Returns `true` if a client may have another task. Calls over the limit run without one.
    fn admits(&self, subject: &str) -> bool {
        let mut owned = locked(&self.owned);
        if let Some(ids) = owned.get_mut(subject) {
            ids.retain(|id| self.running.get_task(id).is_ok());
        }
        owned.retain(|_, ids| !ids.is_empty());
        let own = owned.get(subject).map_or(0, Vec::len);
        own < MAX_PER_CLIENT && owned.values().map(Vec::len).sum::<usize>() < MAX_TASKS
    }

    fn add(&self, subject: &str, id: &str) {
        let mut owned = locked(&self.owned);
        owned
            .entry(subject.to_owned())
            .or_default()
            .push(id.to_owned());
    }
}

/// Outcome of a call.
type Outcome = Reply<CallToolResponse>;

/// Running call, which is aborted on drop.
type Work = JoinSet<Outcome>;

async fn outcome_of(work: &mut Work) -> Outcome {
    let finished = work.join_next().await;
    let aborted = || Err(ErrorData::internal_error("the call was aborted", None));
    finished.and_then(Result::ok).unwrap_or_else(aborted)
}

impl RegistryHandler {
    /// Runs a call, which becomes a task after `after`.
    pub(super) async fn call_or_task(
        &self,
        request: CallToolRequestParams,
        context: Context,
        after: Duration,
    ) -> Outcome {
        let identity = identity_of(&context);
        let key = idempotency_key(&context.meta)?.unwrap_or_default();
        let stop = self.0.ended.child();
        let mut work = self.start(&request, &context, &stop);
        let is_slow = async {
            sleep(after).await;
            // Without room for another task, the call goes on in its request, as for clients without tasks.
            if !self.0.tasks.admits(&identity.subject) {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            outcome = outcome_of(&mut work) => return outcome,
            () = context.ct.cancelled() => {
                stop.cancel();
                return outcome_of(&mut work).await;
            }
            () = is_slow => {}
        }
        let options = TaskOptions::new()
            .with_ttl_ms(TTL_MS)
            .with_poll_interval_ms(POLL_INTERVAL);
        let handler = self.clone();
        let mut task = self.0.tasks.running.spawn(options, |task| {
            Box::pin(async move { handler.finish(&task, work, request, &context, &stop).await })
        });
        self.0.tasks.add(&identity.subject, &task.task_id);
        let sealed = self.sealed(&task.task_id, &key, &identity);
        task.task_id = sealed.ok_or_else(missing)?;
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    fn start(
        &self,
        request: &CallToolRequestParams,
        context: &Context,
        stop: &CancellationToken,
    ) -> Work {
        let (handler, stop) = (self.clone(), stop.clone());
        let (request, context) = (request.clone(), context.clone());
        let run = async move { handler.run(request, context, Some(stop)).await };
        let mut work = Work::new();
        // A task of its own, because the request that started it may end first.
        work.spawn(run.in_current_span());
        work
    }

    /// Waits for the outcome of a task, and runs it again with the input that it requires.
    async fn finish(
        &self,
        task: &TaskContext,
        mut work: Work,
        mut request: CallToolRequestParams,
        context: &Context,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, TaskExit> {
        loop {
            let outcome = tokio::select! {
                outcome = outcome_of(&mut work) => outcome,
                () = task.cancelled() => {
                    stop.cancel();
                    // The call ends before its task does.
                    let _ = outcome_of(&mut work).await;
                    return Err(TaskExit::Cancelled);
                }
            };
            let required = match outcome? {
                CallToolResponse::Complete(result) => return Ok(result),
                CallToolResponse::Task(other) => return Ok(waits_as(&other.task)),
                CallToolResponse::InputRequired(required) => required,
                _ => return Err(TaskExit::Cancelled),
            };
            let requests = required.input_requests.unwrap_or_default();
            request.input_responses = Some(responses(task, requests).await?);
            request.request_state = required.request_state;
            work = self.start(&request, context, stop);
        }
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

    /// Accepts responses of the client. Only an operator decides about calls that wait for one.
    pub(super) fn respond_to_task(
        &self,
        id: &str,
        identity: &ClientIdentity,
        responses: InputResponses,
    ) -> Reply<()> {
        let (own, _) = self.opened(id, identity)?;
        // Calls of other processes accept no responses here.
        let _ = self.0.tasks.running.update_task(&own, responses);
        Ok(())
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
        let is_graphic = key.key.bytes().all(|byte| byte.is_ascii_graphic());
        if !waits || !is_graphic || key.scope != scope_of(&identity.subject) {
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

/// Shows the requests of a call, and waits for the responses of the client.
async fn responses(
    task: &TaskContext,
    requests: InputRequests,
) -> Result<InputResponses, TaskExit> {
    let mut waiting = JoinSet::new();
    for (key, request) in requests {
        let task = task.clone();
        waiting.spawn(async move {
            let response = task.request_input(key.clone(), request).await;
            response.map(|response| (key, response))
        });
    }
    let responses = waiting.join_all().await;
    responses.into_iter().collect()
}

/// Returns the result of a task whose call waits for an operator, as another task.
fn waits_as(other: &Task) -> CallToolResult {
    let text = format!(
        "Error: This call waits for approval and has not run. The task `{}` has its result.",
        other.task_id
    );
    CallToolResult::error(vec![ContentBlock::text(text)])
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
