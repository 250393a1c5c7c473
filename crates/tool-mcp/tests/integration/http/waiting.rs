//! Tasks of calls that wait for an operator.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_core::approval::{
    Answer, ApprovalRequest, Decision, MemoryPendingApprovals, PendingApprovals, PendingError,
};
use tool_core::{CallOptions, DynamicTool, Registry, RiskLevel, ToolDefinition};
use tool_ledger::SqliteLedger;
use tool_mcp::McpServer;
use tool_mcp::server::{Approvals, BearerTokens, HttpOptions};

use crate::http::Served;
use crate::http::tasks::{send, until};

/// Ledger that servers and operators share, and the number of runs of `delete`.
#[derive(Clone)]
struct Office {
    ledger: SqliteLedger,
    runs: Arc<AtomicU32>,
    expiry: Duration,
}

impl Office {
    fn new() -> Self {
        Self {
            ledger: SqliteLedger::in_memory().unwrap(),
            runs: Arc::default(),
            expiry: Duration::from_mins(5),
        }
    }

    fn registry(&self) -> Registry {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let delete =
            ToolDefinition::new("delete", "Deletes.", schema).with_risk(RiskLevel::Dangerous);
        let runs = Arc::clone(&self.runs);
        let delete = DynamicTool::new(delete, move |_, arguments| {
            runs.fetch_add(1, Ordering::SeqCst);
            async move {
                tokio::time::sleep(Duration::from_millis(200)).await;
                Ok(format!("deleted {}", arguments["path"]).into())
            }
        });
        Registry::builder()
            .ledger(Arc::new(self.ledger.clone()))
            .approval_expiry(self.expiry)
            .tool(delete)
            .unwrap()
            .build()
    }

    fn server(&self, after: Duration) -> McpServer {
        let approvals = Approvals::pending(Arc::new(self.ledger.clone()))
            .next_step(|request| format!("The operator decides on {}.", request.tool));
        let server = McpServer::new(self.registry()).approvals(approvals);
        server.tasks_after(after).key(&[7; 32]).unwrap()
    }

    async fn replica(&self) -> Served {
        let tokens = BearerTokens::default()
            .with_token("first", &"t".to_owned().into())
            .with_token("second", &"other".to_owned().into());
        let options = HttpOptions::default().authenticate(tokens);
        Served::of(self.server(Duration::from_secs(5)), options).await
    }

    async fn requests(&self) -> Vec<ApprovalRequest> {
        self.ledger.list().await.unwrap()
    }

    /// Decides about the only request, as another process does.
    async fn decide(&self, answer: Answer) -> Result<String, PendingError> {
        let decision = Decision::new(&self.requests().await[0], answer);
        let options = CallOptions::default();
        let registry = self.registry();
        let result = registry.decide(&self.ledger, &decision, &options).await;
        result.map(|result| result.text())
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }
}

async fn call(served: &Served) -> Value {
    let params = json!({"name": "delete", "arguments": {"path": "a"}});
    send(served, "t", "tools/call", params).await
}

#[tokio::test]
async fn approved_call_completes_task() {
    let office = Office::new();
    let served = office.replica().await;

    let waiting = call(&served).await["result"].clone();

    assert_eq!(
        (&waiting["resultType"], &waiting["status"]),
        (&json!("task"), &json!("input_required"))
    );
    assert_eq!(waiting["statusMessage"], "The operator decides on delete.");
    let id = &waiting["taskId"];
    let task = until(&served, id, "input_required").await;
    assert_eq!(task["inputRequests"], json!({}));
    let operator = tokio::spawn({
        let office = office.clone();
        async move { office.decide(Answer::Approve).await }
    });
    until(&served, id, "working").await;
    let done = until(&served, id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "deleted \"a\"");
    assert_eq!(done["result"]["isError"], false);
    assert_eq!(operator.await.unwrap().unwrap(), "deleted \"a\"");
    assert_eq!(office.runs(), 1);
    served.end().await;
}

#[tokio::test]
async fn denied_and_expired_calls_complete_task_with_error() {
    for (expiry, text) in [
        (
            Duration::from_mins(5),
            "Error: The operator did not approve this call",
        ),
        (
            Duration::from_millis(100),
            "Error: The operator did not decide about this call in time",
        ),
    ] {
        let office = Office {
            expiry,
            ..Office::new()
        };
        let served = office.replica().await;
        let waiting = call(&served).await;

        if expiry > Duration::from_secs(1) {
            office.decide(Answer::Deny { reason: None }).await.unwrap();
        }

        let done = until(&served, &waiting["result"]["taskId"], "completed").await;
        assert_eq!(
            done["result"]["structuredContent"]["code"],
            "approval_denied"
        );
        let shown = done["result"]["content"][0]["text"].as_str().unwrap();
        assert!(shown.starts_with(text), "{shown}");
        assert_eq!(office.runs(), 0);
        served.end().await;
    }
}

#[tokio::test]
async fn client_cannot_approve_but_withdraw() {
    let office = Office::new();
    let served = office.replica().await;
    let waiting = call(&served).await;
    let id = &waiting["result"]["taskId"];

    let consent = json!({"action": "accept", "content": {"approve": true}});
    let responses = json!({"taskId": id, "inputResponses": {"toolwright/approval": consent}});
    send(&served, "t", "tasks/update", responses).await;
    until(&served, id, "input_required").await;
    for token in ["other", "t"] {
        let cancelled = send(&served, token, "tasks/cancel", json!({"taskId": id})).await;
        assert_eq!(cancelled["error"].is_null(), token == "t", "{cancelled}");
        let open = office.requests().await.len();
        assert_eq!(open, usize::from(token == "other"));
    }

    let done = until(&served, id, "completed").await;
    assert_eq!(
        done["result"]["structuredContent"]["code"],
        "approval_denied"
    );
    assert_eq!(office.runs(), 0);
    served.end().await;
}

#[tokio::test]
async fn task_belongs_to_its_client_and_is_not_forged() {
    let office = Office::new();
    let served = office.replica().await;
    let waiting = call(&served).await;
    let id = waiting["result"]["taskId"].as_str().unwrap();

    for (token, id) in [
        ("other", id.to_owned()),
        ("t", format!("{id}0")),
        ("t", String::new()),
    ] {
        let other = send(&served, token, "tasks/get", json!({"taskId": id})).await;
        assert_eq!(other["error"]["code"], -32602, "{other}");
    }
    served.end().await;
}

#[tokio::test]
async fn task_survives_its_server() {
    let office = Office::new();
    let served = office.replica().await;
    let waiting = call(&served).await;
    let id = &waiting["result"]["taskId"];
    served.end().await;

    office.decide(Answer::Approve).await.unwrap();

    let other = office.replica().await;
    let done = until(&other, id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "deleted \"a\"");
    other.end().await;
}

/// Store whose requests are stored after calls have become tasks.
struct Slow(SqliteLedger);

#[async_trait]
impl PendingApprovals for Slow {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        self.0.put(request).await
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        PendingApprovals::list(&self.0).await
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        self.0.take(request_id).await
    }
}

#[tokio::test]
async fn task_whose_call_waits_names_other_task() {
    let office = Office::new();
    let approvals = Approvals::pending(Arc::new(Slow(office.ledger.clone())));
    let mcp = office
        .server(Duration::from_millis(50))
        .approvals(approvals);
    let served = Served::of(mcp, HttpOptions::default()).await;

    let first = call(&served).await["result"].clone();
    let done = until(&served, &first["taskId"], "completed").await;

    assert_eq!(first["status"], "working");
    let shown = done["result"]["content"][0]["text"].as_str().unwrap();
    let id = json!(shown.split('`').nth(1).unwrap());
    until(&served, &id, "input_required").await;
    office.decide(Answer::Approve).await.unwrap();
    until(&served, &id, "completed").await;
    served.end().await;
}

#[tokio::test]
async fn call_without_task_returns_pending_result() {
    let office = Office::new();
    let approvals = Approvals::pending(Arc::new(MemoryPendingApprovals::default()));
    // The ledger does not contain the requests of another store.
    let other_store = office.server(Duration::from_secs(5)).approvals(approvals);
    let served = Served::of(other_store, HttpOptions::default()).await;
    let pending = call(&served).await;
    assert_eq!(
        pending["result"]["structuredContent"]["code"],
        "approval_pending"
    );
    served.end().await;

    let served = office.replica().await;
    let params = json!({"name": "delete", "arguments": {"path": "a"}});
    let request = served.current("tools/call", params).bearer_auth("t");
    let pending: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(
        pending["result"]["structuredContent"]["code"],
        "approval_pending"
    );
    served.end().await;
}
