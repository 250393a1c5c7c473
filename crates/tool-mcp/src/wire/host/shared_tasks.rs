//! Tasks in a ledger that replicas share.
//!
//! The scope of a task has one entry for its run (`task`), which holds a lease and receives the final state, and one entry per
//! event: `asked {round}` with the requests to the client, `answer {round} {random}` with responses, and `cancel`.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolResult, ContentBlock, DetailedTask, InputRequests, InputResponses, TaskPayload,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter,
    LedgerState, Page, Settled,
};
use tool_core::{OutputLimit, RiskLevel, Timestamp, ToolError, ToolResult};

use super::convert::wire_block;
use super::task::{TTL, new_id, object, task};
use crate::hexadecimal::hexadecimal;
use crate::server::Reply;

/// Lease of a run. Its owner renews it whenever it reads the events.
const LEASE: Duration = Duration::from_secs(15);

/// Maximum number of entries of a task, after which responses are ignored.
const MAX_EVENTS: usize = 500;

/// Key of the entry of the run.
const RUN: &str = "task";

/// Key of the entry of a cancellation.
const CANCEL: &str = "cancel";

/// Name of the tool in the entries.
const TOOL: &str = "mcp.task";

/// Tasks of all replicas.
#[derive(Clone)]
pub(super) struct SharedTasks {
    ledger: Arc<dyn Ledger>,
    lease: Duration,
}

/// Run of a task that this process owns.
#[derive(Debug)]
pub(super) struct SharedRun {
    scope: String,
    token: LeaseToken,
}

/// Events that other replicas added to a task.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Events {
    pub(super) is_cancelled: bool,
    /// Number of the last requests.
    pub(super) round: u32,
    /// Responses to the last requests.
    pub(super) responses: InputResponses,
}

impl SharedTasks {
    pub(super) fn new(ledger: Arc<dyn Ledger>) -> Self {
        Self {
            ledger,
            lease: LEASE,
        }
    }

    /// Adds a task. Returns `None` if the ledger does not accept it.
    pub(super) async fn begin(&self, id: &str, subject: &str) -> Option<SharedRun> {
        let scope = scope(id, subject);
        match self.claim(&scope, RUN).await {
            Ok(Claim::New(token)) => Some(SharedRun { scope, token }),
            Ok(_) => None,
            Err(error) => {
                tracing::warn!(%error, "a task could not be stored");
                None
            }
        }
    }

    /// Extends the lease of a run and returns the events of other replicas.
    pub(super) async fn renew(&self, run: &SharedRun) -> Result<Events, LedgerError> {
        let key = CallKey::new(&*run.scope, RUN);
        self.ledger.renew(&key, run.token, self.lease).await?;
        let entries = self.entries(&run.scope).await?;
        let input = Input::of(&entries);
        Ok(Events {
            is_cancelled: find(&entries, CANCEL).is_some(),
            round: input.round,
            responses: input.responses,
        })
    }

    /// Stores the final state of a task.
    pub(super) async fn finish(&self, run: &SharedRun, state: &DetailedTask) {
        let key = CallKey::new(&*run.scope, RUN);
        let outcome = Settled::Done(Box::new(record(state)));
        if let Err(error) = self.ledger.settle(&key, run.token, &outcome).await {
            tracing::warn!(%error, "the result of a task could not be stored");
        }
    }

    /// Stores the requests of a round.
    pub(super) async fn ask(
        &self,
        run: &SharedRun,
        round: u32,
        requests: &InputRequests,
    ) -> Result<(), LedgerError> {
        self.post(&run.scope, &format!("asked {round}"), requests)
            .await
    }

    /// Stores responses of the client for the owner of the task.
    pub(super) async fn answer(
        &self,
        id: &str,
        subject: &str,
        responses: &InputResponses,
    ) -> Result<(), LedgerError> {
        let scope = scope(id, subject);
        let entries = self.entries(&scope).await?;
        let Input { round, open, .. } = Input::of(&entries);
        let mut responses = responses.clone();
        responses.retain(|key, _| open.contains_key(key));
        let random = new_id().filter(|_| !responses.is_empty() && entries.len() < MAX_EVENTS);
        match random {
            Some(random) => {
                let key = format!("answer {round} {random}");
                self.post(&scope, &key, &responses).await
            }
            None => Ok(()),
        }
    }

    /// Stores a cancellation for the owner of the task.
    pub(super) async fn cancel(&self, id: &str, subject: &str) -> Result<(), LedgerError> {
        self.post(&scope(id, subject), CANCEL, &Value::Null).await
    }

    /// Returns the state of a task, or `None` if it does not exist or has expired.
    pub(super) async fn get(
        &self,
        id: &str,
        subject: &str,
    ) -> Result<Option<DetailedTask>, LedgerError> {
        let entries = self.entries(&scope(id, subject)).await?;
        let Some(run) = find(&entries, RUN) else {
            return Ok(None);
        };
        if run.since.after(TTL) <= Timestamp::now() {
            return Ok(None);
        }
        let payload = payload(run, &entries);
        let updated = entries.iter().map(|entry| entry.since).max();
        let task = task(
            id,
            payload.status(),
            run.since,
            updated.unwrap_or(run.since),
        );
        Ok(Some(DetailedTask::new(task, payload)))
    }

    async fn claim(&self, scope: &str, key: &str) -> Result<Claim, LedgerError> {
        let intent = Intent::new(TOOL, &json!({}), RiskLevel::ReadOnly)
            .ok_or_else(|| LedgerError::unavailable("built without digests"))?
            .with_repeatable(true);
        let key = CallKey::new(scope, key);
        self.ledger.claim(&key, &intent, self.lease).await
    }

    /// Adds an event. An event with the same key is kept.
    async fn post(&self, scope: &str, key: &str, data: &impl Serialize) -> Result<(), LedgerError> {
        let Claim::New(token) = self.claim(scope, key).await? else {
            return Ok(());
        };
        let outcome = Settled::Done(Box::new(record(data)));
        self.ledger
            .settle(&CallKey::new(scope, key), token, &outcome)
            .await
    }

    async fn entries(&self, scope: &str) -> Result<Vec<LedgerEntry>, LedgerError> {
        let filter = LedgerFilter::default().with_scope(scope);
        self.ledger
            .list(&filter, Page::first(Page::MAX_LIMIT))
            .await
    }
}

/// Returns the scope of a task, which only its client can name.
fn scope(id: &str, subject: &str) -> String {
    let digest = Sha256::new()
        .chain_update(subject.len().to_be_bytes())
        .chain_update(subject)
        .chain_update(id)
        .finalize();
    format!("mcp-task:{}", hexadecimal(&digest))
}

fn find<'e>(entries: &'e [LedgerEntry], key: &str) -> Option<&'e LedgerEntry> {
    entries.iter().find(|entry| entry.key.key == key)
}

/// Returns the state of a task from its entries.
fn payload(run: &LedgerEntry, entries: &[LedgerEntry]) -> TaskPayload {
    if find(entries, CANCEL).is_some() {
        return TaskPayload::Cancelled;
    }
    if let Some(state) = data::<DetailedTask>(run) {
        return state.payload;
    }
    if run.state != LedgerState::Running {
        return lost();
    }
    let input_requests = Input::of(entries).open;
    if input_requests.is_empty() {
        TaskPayload::Working
    } else {
        TaskPayload::InputRequired { input_requests }
    }
}

/// Returns the state of a task whose process ended.
fn lost() -> TaskPayload {
    let error = ToolError::outcome_unknown(
        "The server stopped during this call, so its outcome is unknown",
    )
    .suggest("Check whether the call took effect before you repeat it.");
    let result = ToolResult::refused("task", TOOL, error);
    let reply = Reply::of(result, false, OutputLimit::unlimited());
    let result = match reply {
        Reply::Result { content, data, .. } => {
            let blocks = content.into_iter().filter_map(wire_block).collect();
            let mut result = CallToolResult::error(blocks);
            result.structured_content = data;
            result
        }
        Reply::UnknownTool(message) => CallToolResult::error(vec![ContentBlock::text(message)]),
    };
    TaskPayload::Completed {
        result: object(&result),
    }
}

/// Last requests to the client.
#[derive(Default)]
struct Input {
    round: u32,
    /// Requests without a response.
    open: InputRequests,
    responses: InputResponses,
}

impl Input {
    fn of(entries: &[LedgerEntry]) -> Self {
        let asked = |entry: &LedgerEntry| -> Option<(u32, InputRequests)> {
            let round = entry.key.key.strip_prefix("asked ")?.parse().ok()?;
            Some((round, data(entry)?))
        };
        let rounds = entries.iter().filter_map(asked);
        let Some((round, mut open)) = rounds.max_by_key(|(round, _)| *round) else {
            return Self::default();
        };
        let start = format!("answer {round} ");
        let answers = entries
            .iter()
            .filter(|entry| entry.key.key.starts_with(&start))
            .filter_map(data::<InputResponses>);
        let mut responses = InputResponses::new();
        for (key, response) in answers.flatten() {
            if open.remove(&key).is_some() {
                responses.insert(key, response);
            }
        }
        Self {
            round,
            open,
            responses,
        }
    }
}

/// Returns a result that carries data of a task.
fn record(data: &impl Serialize) -> ToolResult {
    let mut result = ToolResult::refused("task", TOOL, ToolError::cancelled());
    (result.success, result.error) = (true, None);
    result.content.clear();
    result.data = serde_json::to_value(data).ok();
    result
}

fn data<T: DeserializeOwned>(entry: &LedgerEntry) -> Option<T> {
    let result = entry.result.as_deref()?;
    serde_json::from_value(result.data.clone()?).ok()
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
