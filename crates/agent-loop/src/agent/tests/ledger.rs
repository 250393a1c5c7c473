use std::sync::atomic::{AtomicU32, Ordering};

use tool_core::ledger::{CallKey, Intent, Ledger, LedgerFilter, LedgerState, Page};
use tool_core::{CallOptions, RiskLevel};
use tool_ledger::SqliteLedger;

use super::*;

/// Registry with a ledger and the tool `send`, which must not run twice.
struct Sender {
    ledger: SqliteLedger,
    registry: Registry,
    sent: Arc<AtomicU32>,
}

impl Sender {
    fn new() -> Self {
        let (ledger, sent) = (
            SqliteLedger::in_memory().unwrap(),
            Arc::<AtomicU32>::default(),
        );
        let count = Arc::clone(&sent);
        let tool = tool_fn("send", "Sends.", move |_, input: Text| {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            async move { Ok(format!("{} {number}", input.text)) }
        });
        let registry = Registry::builder()
            .ledger(Arc::new(ledger.clone()))
            .tool(tool.risk(RiskLevel::SafeWrite))
            .unwrap()
            .build();
        Self {
            ledger,
            registry,
            sent,
        }
    }

    fn agent(&self, replies: impl IntoIterator<Item = ModelReply>) -> AgentLoop {
        AgentLoop::new(self.registry.clone(), ScriptedModel::new(replies))
    }

    /// Claims the key of a call for a process that exits.
    async fn claim(&self, id: &str, lease: Duration) {
        let mut intent = Intent::new("send", &json!({"text": "mail"}), RiskLevel::SafeWrite);
        intent.call_id = id.to_owned();
        let key = CallKey::new("run-7", id);
        self.ledger.claim(&key, &intent, lease).await.unwrap();
    }

    /// Resumes a run whose call has no recorded result, and returns the text of the result.
    async fn resume(&self, id: &str, run: Option<&str>) -> String {
        let transcript = Transcript::from(vec![
            Message::user("Go"),
            ModelReply::calls([send(id)]).to_message(),
        ]);
        let agent = self.agent([ModelReply::text("Done.")]);
        let resumed = agent.resume(transcript);
        let outcome = match run {
            Some(run) => resumed.with_id(run).await,
            None => resumed.await,
        };
        assert_eq!(outcome.status, Status::Completed);
        let text = &transcript_of(&outcome)[2]["results"][0]["content"][0]["text"];
        text.as_str().unwrap().to_owned()
    }

    fn sent(&self) -> u32 {
        self.sent.load(Ordering::SeqCst)
    }
}

fn send(id: &str) -> ToolCall {
    ToolCall::new("send", json!({"text": "mail"})).with_id(id)
}

#[tokio::test]
async fn run_records_calls_under_its_id() {
    let sender = Sender::new();
    let agent = sender.agent([ModelReply::calls([send("a")]), ModelReply::text("Done.")]);

    let outcome = agent.run("Go").with_id("run-7").await;

    assert_eq!((outcome.status, sender.sent()), (Status::Completed, 1));
    let entry = sender.ledger.find(&CallKey::new("run-7", "a")).await;
    assert_eq!(entry.unwrap().unwrap().state, LedgerState::Done);
}

#[tokio::test]
async fn resumed_call_receives_stored_result() {
    let sender = Sender::new();
    let options = CallOptions::default().with_scope("run-7");
    sender.registry.execute_call(&send("a"), &options).await;

    let result = sender.resume("a", Some("run-7")).await;

    assert_eq!((result.as_str(), sender.sent()), ("mail 1", 1));
}

#[tokio::test]
async fn resumed_call_without_outcome_is_unknown() {
    for (lease, run) in [
        (Duration::ZERO, Some("run-7")),
        // The lease of the earlier process ends first.
        (Duration::from_secs(1), Some("run-7")),
        // Another run knows nothing about the call.
        (Duration::ZERO, None),
    ] {
        let sender = Sender::new();
        sender.claim("a", lease).await;

        let result = sender.resume("a", run).await;

        assert!(result.contains("unknown"), "{run:?}: {result}");
        assert_eq!(sender.sent(), 0);
    }
}

#[tokio::test]
async fn resumed_call_that_the_ledger_does_not_contain_is_unknown() {
    let sender = Sender::new();

    let result = sender.resume("a", Some("run-7")).await;

    assert!(result.contains("unknown"), "{result}");
    assert_eq!(sender.sent(), 0);
}

#[tokio::test]
async fn repeated_ids_are_replaced() {
    let sender = Sender::new();
    let reply = || ModelReply::calls([send("a"), send("local_0"), send("a")]);
    let agent = sender.agent([reply(), reply(), ModelReply::text("Done.")]);

    let outcome = agent.run("Go").with_id("run-7").await;

    assert_eq!((outcome.status, sender.sent()), (Status::Completed, 6));
    let filter = LedgerFilter::default().with_scope("run-7");
    let entries = sender.ledger.list(&filter, Page::default()).await.unwrap();
    let ids: Vec<&str> = entries.iter().map(|entry| entry.key.key.as_str()).collect();
    assert_eq!((ids.len(), ids[0]), (6, "a"));
    assert!(
        ids[1..]
            .iter()
            .all(|id| id.starts_with("local_") && *id != "local_0"),
        "{ids:?}"
    );
    // The conversation has the same IDs.
    let calls = transcript_of(&outcome);
    for (turn, message) in [1, 3].into_iter().enumerate() {
        let calls = calls[message]["calls"].as_array().unwrap();
        let named: Vec<&str> = calls
            .iter()
            .map(|call| call["id"].as_str().unwrap())
            .collect();
        let mut of_turn = ids[turn * 3..turn * 3 + 3].to_vec();
        let mut named = named;
        of_turn.sort_unstable();
        named.sort_unstable();
        assert_eq!(named, of_turn);
    }
}

#[tokio::test]
async fn ids_are_unchanged_without_ledger() {
    let agent = agent([
        ModelReply::calls([echo("local_0", "one")]),
        ModelReply::text("Done."),
    ]);

    let outcome = agent.run("Go").await;

    assert_eq!(transcript_of(&outcome)[1]["calls"][0]["id"], "local_0");
}
