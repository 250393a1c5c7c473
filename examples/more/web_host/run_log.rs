//! Events and open approvals of one run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_loop::{Event, EventKind, EventSink, RunOutcome};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tool_core::CancellationToken;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};

/// Maximum number of events that a run keeps. Further parts of replies and outputs are dropped.
const MAX_EVENTS: usize = 10_000;

/// Events of a run, and the calls that wait for a decision.
pub struct RunLog {
    /// Serialized events.
    events: Mutex<Vec<String>>,
    /// Number of events, and whether there will be no further ones.
    state: watch::Sender<(usize, bool)>,
    waiting: Mutex<HashMap<String, oneshot::Sender<Answer>>>,
    /// Stops the run.
    pub stop: CancellationToken,
}

impl RunLog {
    /// Creates an empty log.
    pub fn new() -> Self {
        Self {
            events: Mutex::default(),
            state: watch::Sender::new((0, false)),
            waiting: Mutex::default(),
            stop: CancellationToken::new(),
        }
    }

    /// Returns whether the run ended.
    pub fn has_ended(&self) -> bool {
        self.state.borrow().1
    }

    /// Adds the end of the run.
    pub fn end(&self, outcome: &RunOutcome) {
        let error = outcome.error.as_ref().map(ToString::to_string);
        let (status, answer) = (outcome.status, &outcome.reply);
        self.push(&json!({"event": "ended", "status": status, "answer": answer, "error": error}));
        lock(&self.waiting).clear();
        self.state.send_modify(|state| state.1 = true);
    }

    /// Waits for the event with this index; `None` after the last one.
    pub async fn event_at(&self, index: usize) -> Option<String> {
        let mut state = self.state.subscribe();
        // The sender lives as long as this log.
        let _ = state
            .wait_for(|(count, has_ended)| *count > index || *has_ended)
            .await;
        lock(&self.events).get(index).cloned()
    }

    /// Sends the decision to a waiting call. Returns `false` if no call waits for it.
    pub fn decide(&self, request: &str, answer: Answer) -> bool {
        let waiting = lock(&self.waiting).remove(request);
        waiting.is_some_and(|waiting| waiting.send(answer).is_ok())
    }

    fn push(&self, event: &Value) {
        let mut events = lock(&self.events);
        events.push(event.to_string());
        let count = events.len();
        drop(events);
        self.state.send_modify(|state| state.0 = count);
    }

    fn is_full(&self) -> bool {
        self.state.borrow().0 >= MAX_EVENTS
    }
}

/// Receiver for the events and approval requests of one run.
#[derive(Clone)]
pub struct Follower(pub Arc<RunLog>);

impl EventSink for Follower {
    fn event(&self, event: &Event<'_>) {
        let is_part = matches!(
            event.kind,
            EventKind::ModelPartial { .. }
                | EventKind::CallPartial { .. }
                | EventKind::CallProgress { .. }
        );
        if is_part && self.0.is_full() {
            return;
        }
        // Events consist of strings, numbers, lists and objects with string keys.
        if let Ok(value) = serde_json::to_value(event) {
            self.0.push(&value);
        }
    }
}

#[async_trait]
impl Approver for Follower {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let (sender, receiver) = oneshot::channel();
        lock(&self.0.waiting).insert(request.id.clone(), sender);
        self.0
            .push(&json!({"event": "approval_requested", "request": request}));
        let answer = receiver.await.unwrap_or(Answer::Deny {
            reason: Some("The run ended before the decision".to_owned()),
        });
        self.0
            .push(&json!({"event": "approval_decided", "request": request.id, "answer": answer}));
        Decision::new(request, answer)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
