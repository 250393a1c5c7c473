//! Tasks: calls that outlive their request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    DetailedTask, ErrorData, InputRequiredResult, InputResponses, ServerCapabilities,
    TASKS_EXTENSION_ID, Task, TaskPayload,
};
use serde_json::Map;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout_at};
use tool_core::ledger::{Ledger, LedgerError};
use tool_core::{CancellationToken, Timestamp};

use super::shared_tasks::{SharedRun, SharedTasks};
use super::task::{POLL_INTERVAL, TTL, new_id, task};

/// Maximum number of tasks of a client.
const MAX_PER_CLIENT: usize = 100;

/// Maximum number of tasks.
const MAX_TASKS: usize = 10_000;

/// Maximum number of responses that wait for a task.
const MAX_RESPONSES: usize = 64;

/// Declares that the server supports tasks.
pub(super) fn declare(capabilities: &mut ServerCapabilities) {
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(TASKS_EXTENSION_ID.to_owned(), Map::new());
}

/// Tasks of a server.
pub(super) struct Tasks {
    /// Tasks whose calls run in this process.
    own: Mutex<HashMap<String, Entry>>,
    /// Tasks of all replicas, if they are kept in a ledger.
    shared: Option<SharedTasks>,
}

/// Task of a client.
struct Entry {
    subject: String,
    created: Timestamp,
    updated: Timestamp,
    expires: Instant,
    payload: TaskPayload,
    stop: CancellationToken,
    /// Number of requests for input.
    round: u32,
    responses: InputResponses,
    /// Notified when a response arrives.
    answered: Arc<Notify>,
}

impl Entry {
    fn set(&mut self, payload: TaskPayload) {
        if !self.payload.status().is_terminal() {
            self.payload = payload;
            self.updated = Timestamp::now();
        }
    }

    fn to_task(&self, id: &str) -> Task {
        task(id, self.payload.status(), self.created, self.updated)
    }

    fn to_detailed(&self, id: &str) -> DetailedTask {
        DetailedTask::new(self.to_task(id), self.payload.clone())
    }

    /// Removes the requests that have a response. Returns `true` if all requests have one.
    fn accept(&mut self, responses: InputResponses) -> bool {
        let TaskPayload::InputRequired { input_requests } = &mut self.payload else {
            return false;
        };
        for (key, response) in responses {
            if input_requests.remove(&key).is_some() && self.responses.len() < MAX_RESPONSES {
                self.responses.insert(key, response);
            }
        }
        input_requests.is_empty()
    }
}

impl Tasks {
    pub(super) fn new(shared: Option<Arc<dyn Ledger>>) -> Self {
        Self {
            own: Mutex::default(),
            shared: shared.map(SharedTasks::new),
        }
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task. Returns `None` if the client has too many, or if the ledger does not accept it.
    pub(super) async fn create(
        &self,
        subject: String,
        stop: &CancellationToken,
    ) -> Option<(NewTask, Task)> {
        let (id, task) = self.add(&subject, stop)?;
        let run = match &self.shared {
            Some(shared) => shared.begin(&id, &subject).await,
            None => None,
        };
        if run.is_none() && self.shared.is_some() {
            self.entries().remove(&id);
            return None;
        }
        Some((NewTask { id, subject, run }, task))
    }

    /// Adds a task. Returns `None` if the client has too many.
    fn add(&self, subject: &str, stop: &CancellationToken) -> Option<(String, Task)> {
        let id = new_id()?;
        let mut entries = self.entries();
        let now = Instant::now();
        entries.retain(|_, entry| entry.expires > now);
        let own = entries.values().filter(|entry| entry.subject == subject);
        if entries.len() >= MAX_TASKS || own.count() >= MAX_PER_CLIENT {
            return None;
        }
        let entry = Entry {
            subject: subject.to_owned(),
            created: Timestamp::now(),
            updated: Timestamp::now(),
            expires: now + TTL,
            payload: TaskPayload::Working,
            stop: stop.clone(),
            round: 0,
            responses: InputResponses::new(),
            answered: Arc::default(),
        };
        let task = entry.to_task(&id);
        entries.insert(id.clone(), entry);
        Some((id, task))
    }

    /// Runs `work` on a task of a client whose call runs in this process.
    fn with<T>(&self, id: &str, subject: &str, work: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        let mut entries = self.entries();
        let entry = entries.get_mut(id)?;
        let is_own = entry.subject == subject && entry.expires > Instant::now();
        is_own.then(|| work(entry))
    }

    /// Returns the state of a task.
    pub(super) async fn get(&self, id: &str, subject: &str) -> Result<DetailedTask, ErrorData> {
        if let Some(task) = self.with(id, subject, |entry| entry.to_detailed(id)) {
            return Ok(task);
        }
        let shared = self.shared.as_ref().ok_or_else(missing)?;
        let task = shared
            .get(id, subject)
            .await
            .map_err(|error| unavailable(&error))?;
        task.ok_or_else(missing)
    }

    /// Accepts responses of the client.
    pub(super) async fn update(
        &self,
        id: &str,
        subject: &str,
        responses: InputResponses,
    ) -> Result<(), ErrorData> {
        if let Some(shared) = &self.shared {
            self.get(id, subject).await?;
            let answered = shared.answer(id, subject, &responses).await;
            answered.map_err(|error| unavailable(&error))?;
        }
        let known = self.answer(id, subject, responses);
        known
            .or(self.shared.is_some().then_some(()))
            .ok_or_else(missing)
    }

    /// Cancels a task.
    pub(super) async fn cancel(&self, id: &str, subject: &str) -> Result<(), ErrorData> {
        if let Some(shared) = &self.shared {
            let task = self.get(id, subject).await?;
            if !task.status().is_terminal() {
                shared
                    .cancel(id, subject)
                    .await
                    .map_err(|error| unavailable(&error))?;
            }
        }
        let known = self.stop(id, subject);
        known
            .or(self.shared.is_some().then_some(()))
            .ok_or_else(missing)
    }

    fn answer(&self, id: &str, subject: &str, responses: InputResponses) -> Option<()> {
        self.with(id, subject, |entry| {
            if entry.accept(responses) {
                entry.set(TaskPayload::Working);
                entry.answered.notify_one();
            }
        })
    }

    fn stop(&self, id: &str, subject: &str) -> Option<()> {
        self.with(id, subject, |entry| {
            entry.set(TaskPayload::Cancelled);
            entry.stop.cancel();
        })
    }

    /// Waits for the end of a call, and shares its state with other replicas.
    pub(super) async fn share(&self, new: &NewTask, end: impl Future<Output = ()>) {
        let Some((shared, run)) = self.shared.as_ref().zip(new.run.as_ref()) else {
            return end.await;
        };
        tokio::select! {
            () = end => {}
            () = self.follow(&new.id, &new.subject, run, shared) => {}
        }
        let task = self.with(&new.id, &new.subject, |entry| entry.to_detailed(&new.id));
        if let Some(task) = task {
            shared.finish(run, &task).await;
        }
    }

    /// Applies the events of other replicas.
    async fn follow(&self, id: &str, subject: &str, run: &SharedRun, shared: &SharedTasks) {
        loop {
            sleep(Duration::from_millis(POLL_INTERVAL)).await;
            // The lease outlasts several failures.
            let Ok(events) = shared.renew(run).await else {
                continue;
            };
            if events.is_cancelled {
                self.stop(id, subject);
            }
            let round = self.with(id, subject, |entry| entry.round);
            if !events.responses.is_empty() && round == Some(events.round) {
                self.answer(id, subject, events.responses);
            }
        }
    }

    pub(super) fn set(&self, id: &str, payload: TaskPayload) {
        if let Some(entry) = self.entries().get_mut(id) {
            entry.set(payload);
        }
    }

    /// Shows the requests of a call, and returns the responses of the client. Returns `None` if the task is cancelled or
    /// expires first.
    pub(super) async fn answers(
        &self,
        id: &str,
        run: Option<&SharedRun>,
        required: &InputRequiredResult,
    ) -> Option<InputResponses> {
        let input_requests = required.input_requests.clone()?;
        let round = self.entries().get(id)?.round + 1;
        if let Some((shared, run)) = self.shared.as_ref().zip(run) {
            shared.ask(run, round, &input_requests).await.ok()?;
        }
        let (answered, stop, expires) = {
            let mut entries = self.entries();
            let entry = entries.get_mut(id)?;
            entry.round = round;
            entry.responses.clear();
            entry.set(TaskPayload::InputRequired { input_requests });
            (
                Arc::clone(&entry.answered),
                entry.stop.clone(),
                entry.expires,
            )
        };
        let answer = timeout_at(expires, answered.notified());
        stop.run_until_cancelled(answer).await?.ok()?;
        let mut entries = self.entries();
        Some(std::mem::take(&mut entries.get_mut(id)?.responses))
    }
}

/// Task whose call runs in this process.
pub(super) struct NewTask {
    pub(super) id: String,
    subject: String,
    /// Entry in the ledger, if tasks are kept there.
    pub(super) run: Option<SharedRun>,
}

pub(super) fn missing() -> ErrorData {
    ErrorData::invalid_params("the task does not exist or has expired", None)
}

pub(super) fn unavailable(error: &LedgerError) -> ErrorData {
    tracing::warn!(%error, "a task could not be read or changed");
    ErrorData::internal_error("the tasks are not available; try again later", None)
}
