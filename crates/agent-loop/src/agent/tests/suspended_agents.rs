//! Runs as tools that wait for approval.

mod limits;
mod state;

use std::sync::atomic::{AtomicUsize, Ordering};

use tool_core::approval::{Answer, Decision, approver_fn};
use tool_core::ledger::{Ledger, LedgerFilter, LedgerState, Page};
use tool_core::{RegistryBuilder, RiskLevel, ToolDefinition};
use tool_ledger::SqliteLedger;

use super::*;
use crate::{ApprovalWait, Suspended, TotalUsage};

/// Run and parent call of an event.
type Heard = (String, Option<String>);

/// Effects and events that processes share, and the settings of their loops.
#[derive(Clone)]
struct Office {
    noted: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
    ledger: SqliteLedger,
    /// Events of agents.
    events: Arc<Mutex<Vec<Heard>>>,
    send: &'static str,
    ask: &'static str,
    ask_risk: RiskLevel,
}

impl Office {
    fn new() -> Self {
        Self {
            noted: Arc::default(),
            sent: Arc::default(),
            ledger: SqliteLedger::in_memory().unwrap(),
            events: Arc::default(),
            send: "Sends.",
            ask: "Asks.",
            ask_risk: RiskLevel::ReadOnly,
        }
    }

    /// Returns a registry with the ledger and an approver that suspends.
    fn registry(&self) -> RegistryBuilder {
        Registry::builder()
            .ledger(Arc::new(self.ledger.clone()))
            .approver(approver_fn(|_| Answer::Suspend))
    }

    /// Returns an agent that makes a note, and sends a message after approval.
    fn clerk(&self) -> AgentLoop {
        let (noted, sent) = (Arc::clone(&self.noted), Arc::clone(&self.sent));
        let note = tool_fn("note", "Notes.", move |_, input: Text| {
            noted.fetch_add(1, Ordering::SeqCst);
            async move { Ok(format!("noted {}", input.text)) }
        });
        let mail = tool_fn("send", self.send, move |_, input: Text| {
            sent.fetch_add(1, Ordering::SeqCst);
            async move { Ok(format!("sent {}", input.text)) }
        });
        let registry = self
            .registry()
            .tool(note.risk(RiskLevel::SafeWrite))
            .and_then(|builder| builder.tool(mail.risk(RiskLevel::Dangerous)))
            .unwrap()
            .build();
        let replies = [
            ModelReply::calls([text("note", "n1", "it"), text("send", "s1", "mail")]),
            ModelReply::text("The clerk is done."),
        ];
        self.heard(AgentLoop::new(registry, script(replies)))
    }

    /// Returns an agent with `agent` as the tool `ask`, whose first reply has `calls`.
    fn manager(&self, agent: AgentLoop, calls: &[ToolCall]) -> AgentLoop {
        let definition = ToolDefinition::new("ask", self.ask, json!({"type": "object"}));
        let echo = tool_fn("echo", "Repeats the text.", |_, input: Text| async move {
            Ok(input.text)
        });
        let registry = self
            .registry()
            .tool(agent.as_tool(definition.with_risk(self.ask_risk)))
            .and_then(|builder| builder.tool(echo))
            .unwrap()
            .build();
        let replies = [
            ModelReply::calls(calls.iter().cloned()),
            ModelReply::text("Done."),
        ];
        AgentLoop::new(registry, script(replies))
    }

    /// Returns a loop with an agent as a tool, as a new process creates it.
    fn root(&self) -> AgentLoop {
        self.root_with(&[call("p1", "ask"), echo("p2", "two")])
    }

    fn root_with(&self, calls: &[ToolCall]) -> AgentLoop {
        let root = self.manager(self.clerk(), calls);
        root.wait_for_approvals(ApprovalWait::Suspend)
    }

    fn heard(&self, agent: AgentLoop) -> AgentLoop {
        let events = Arc::clone(&self.events);
        agent.on_event(move |event: &Event<'_>| {
            let parent = event.parent_call.map(str::to_owned);
            let event = (event.run.to_owned(), parent);
            events.lock().unwrap().push(event);
        })
    }

    fn effects(&self) -> (usize, usize) {
        let count = |effects: &AtomicUsize| effects.load(Ordering::SeqCst);
        (count(&self.noted), count(&self.sent))
    }

    /// Runs a loop that suspends, and returns its stored state.
    async fn suspended(&self, root: AgentLoop) -> Value {
        let outcome = root.run("Go").with_id("root").await;
        assert_eq!(outcome.status, Status::AwaitingApproval);
        stored(&outcome)
    }

    /// Returns the ID, the state and the number of claims of each call of a run.
    async fn recorded(&self, run: &str) -> Vec<(String, LedgerState, u32)> {
        let filter = LedgerFilter::default().with_scope(run);
        let entries = self.ledger.list(&filter, Page::default()).await.unwrap();
        let entries = entries.into_iter();
        entries
            .map(|entry| (entry.key.key, entry.state, entry.claims))
            .collect()
    }
}

/// Returns a model that replies depending on the number of earlier replies, in any process.
fn script<const N: usize>(replies: [ModelReply; N]) -> ScriptedModel {
    ScriptedModel::from_fn(move |transcript| {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
        let number = transcript.messages().iter().filter(is_reply).count();
        replies[number].clone().with_usage(10, 1)
    })
}

fn text(tool: &str, id: &str, text: &str) -> ToolCall {
    ToolCall::new(tool, json!({"text": text})).with_id(id)
}

fn stored(outcome: &RunOutcome) -> Value {
    serde_json::to_value(outcome.suspended.as_ref().unwrap()).unwrap()
}

fn read(stored: &Value) -> Suspended {
    serde_json::from_value(stored.clone()).unwrap()
}

/// Resumes a stored run with the same answer to all requests.
async fn resumed(root: AgentLoop, stored: &Value, answer: Answer) -> RunOutcome {
    let suspended = read(stored);
    let decisions = suspended
        .requests()
        .map(|request| Decision::new(request, answer.clone()))
        .collect();
    root.resume_with(suspended, decisions).await
}

/// Returns the text of a result of the first turn.
fn result(outcome: &RunOutcome, number: usize) -> String {
    let results = &transcript_of(outcome)[2]["results"];
    let text = &results[number]["content"][0]["text"];
    text.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn waiting_call_of_agent_suspends_parent() {
    let office = Office::new();
    let stored = office.suspended(office.root()).await;

    assert_eq!(office.effects(), (1, 0));
    let suspended = read(&stored);
    let requests: Vec<_> = suspended.requests().collect();
    assert_eq!(requests.len(), 1);
    assert_eq!(
        (requests[0].tool.as_str(), requests[0].call_id.as_str()),
        ("send", "s1")
    );

    let outcome = resumed(office.root(), &stored, Answer::Approve).await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(office.effects(), (1, 1));
    assert_eq!(result(&outcome, 0), "The clerk is done.");
    assert_eq!(result(&outcome, 1), "two");
}

#[tokio::test]
async fn denied_call_of_agent_does_not_run() {
    let office = Office::new();
    let stored = office.suspended(office.root()).await;

    let outcome = resumed(office.root(), &stored, Answer::Deny { reason: None }).await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(office.effects(), (1, 0));
    assert_eq!(result(&outcome, 0), "The clerk is done.");
}

#[tokio::test]
async fn waiting_call_suspends_all_levels() {
    let office = Office::new();
    let root = || {
        let middle = office.manager(office.clerk(), &[call("m1", "ask"), echo("m2", "two")]);
        let root = office.manager(office.heard(middle), &[call("p1", "ask")]);
        root.wait_for_approvals(ApprovalWait::Suspend)
    };
    let stored = office.suspended(root()).await;
    assert_eq!(read(&stored).requests().count(), 1);

    let outcome = resumed(root(), &stored, Answer::Approve).await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(office.effects(), (1, 1));
    assert_eq!(result(&outcome, 0), "Done.");
    // Two replies of each run.
    assert_eq!(outcome.usage.total_tokens(), 6 * 11);
    let events = office.events.lock().unwrap();
    let runs: std::collections::BTreeSet<_> = events.iter().cloned().collect();
    let parents: Vec<_> = runs
        .iter()
        .filter_map(|(_, parent)| parent.as_deref())
        .collect();
    assert_eq!(runs.len(), 2, "{runs:?}");
    assert!(
        parents.contains(&"p1") && parents.contains(&"m1"),
        "{runs:?}"
    );
}

#[tokio::test]
async fn agents_of_one_turn_wait_separately() {
    let office = Office::new();
    let root = || office.root_with(&[call("p1", "ask"), call("p2", "ask"), echo("p3", "three")]);
    let suspended = read(&office.suspended(root()).await);
    let requests: Vec<_> = suspended.requests().cloned().collect();
    assert_eq!((requests.len(), office.effects()), (2, (2, 0)));

    let first = Decision::new(&requests[0], Answer::Approve);
    let outcome = root().resume_with(suspended, vec![first]).await;

    assert_eq!(outcome.status, Status::AwaitingApproval);
    assert_eq!(office.effects(), (2, 1));
    let waiting: Vec<_> = read(&stored(&outcome)).requests().cloned().collect();
    assert_eq!(waiting, &requests[1..]);

    let outcome = resumed(root(), &stored(&outcome), Answer::Deny { reason: None }).await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(office.effects(), (2, 1));
    assert_eq!(result(&outcome, 2), "three");
    assert_eq!(outcome.usage.total_tokens(), 6 * 11);
}

#[tokio::test]
async fn agent_of_run_that_continues_receives_pending_result() {
    let office = Office::new();
    let root = office.root().wait_for_approvals(ApprovalWait::Continue);

    let outcome = root.run("Go").await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(office.effects(), (1, 0));
}

#[tokio::test]
async fn replay_of_suspended_run_is_identical() {
    let office = Office::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let recorded = office.root().record_to(&path).unwrap();
    office.suspended(recorded).await;

    let recorded = crate::RecordedRun::read(&path).unwrap();
    let replayed = office.root().replay(&recorded).await.unwrap();

    assert_eq!(replayed.difference, None);
    assert_eq!(replayed.outcome.status, Status::AwaitingApproval);
    assert_eq!(office.effects(), (1, 0));
}
