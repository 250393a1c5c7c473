//! The steps of a call: their order, and the documents that list them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use tool_core::approval::{Answer, Policy, Rule, Verdict, approver_fn};
use tool_core::audit::{AuditEvent, AuditLog, AuditWrite};
use tool_core::ledger::{CallKey, Ledger, LedgerEntry};
use tool_core::middleware::{Call, Middleware, Next};
use tool_core::output_store::{MemoryStore, OutputHandle, OutputStore, StoreError, StoredPage};
use tool_core::{
    Arguments, CallOptions, CallPlan, OutputLimit, PreparedCall, Redactor, Registry, RiskLevel,
    STEPS, Secret, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use tool_ledger::SqliteLedger;

const SECRET: &str = "sk-very-secret-value";

/// What happened, in order.
#[derive(Debug, Clone, Default)]
struct Events(Arc<Mutex<Vec<String>>>);

impl Events {
    fn add(&self, event: impl Into<String>) {
        self.0.lock().unwrap().push(event.into());
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Is tool, middleware, audit log and output store at once.
#[derive(Debug, Clone)]
struct Spy {
    events: Events,
    definition: ToolDefinition,
    ledger: Arc<SqliteLedger>,
    store: Arc<MemoryStore>,
}

impl Spy {
    fn new() -> Self {
        let schema = json!({
            "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"],
        });
        Self {
            events: Events::default(),
            definition: ToolDefinition::new("send", "Sends a file.", schema)
                .with_risk(RiskLevel::Dangerous),
            ledger: Arc::new(SqliteLedger::in_memory().unwrap()),
            store: Arc::default(),
        }
    }

    async fn state(&self) -> String {
        let found = self.ledger.find(&key()).await.unwrap();
        found.map_or("unclaimed".to_owned(), |LedgerEntry { state, .. }| {
            state.to_string()
        })
    }
}

fn key() -> CallKey {
    CallKey::new("test", "1")
}

impl Tool for Spy {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        self.events.add(format!("prepare {}", arguments.to_value()));
        let path = arguments.to_value()["path"].clone();
        if path == "bad" {
            return Err(ToolError::invalid_arguments("path", "is bad"));
        }
        let plan = CallPlan::of(RiskLevel::Dangerous).matching("path", path);
        let run = async {
            self.events.add(format!("run {}", self.state().await));
            Ok(ToolOutput::text(format!("{SECRET}\n").repeat(100)))
        };
        Ok(PreparedCall::new(plan, run))
    }
}

#[async_trait]
impl Middleware for Spy {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        self.events.add("middleware");
        next.run(call).await
    }
}

impl AuditLog for Spy {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        let phase = if event.result.is_none() {
            "before"
        } else {
            "after"
        };
        let spy = self.clone();
        Box::pin(async move {
            let state = spy.state().await;
            spy.events.add(format!("audit {phase} {state}"));
            Ok(())
        })
    }
}

#[async_trait]
impl OutputStore for Spy {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        let is_redacted = !text.contains(SECRET);
        self.events.add(format!("store, redacted: {is_redacted}"));
        self.store.put(text).await
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        self.store.read(handle, offset, limit).await
    }
}

fn registry(spy: &Spy, policy: Policy) -> Registry {
    let asking = spy.clone();
    let approver = approver_fn(move |_| {
        // The first decision edits the arguments, which start again at `validate`.
        let is_first = asking.events.0.lock().unwrap().len() == 1;
        asking.events.add("approval");
        if is_first {
            return Answer::Edit {
                arguments: json!({"path": "b"}),
            };
        }
        Answer::Approve
    });
    let secret = Secret::new(SECRET.to_owned());
    Registry::builder()
        .policy(policy)
        .approver(approver)
        .ledger(Arc::clone(&spy.ledger) as Arc<dyn Ledger>)
        .redactor(Redactor::new().with_value(&secret).unwrap())
        .output_limit(OutputLimit::bytes(500))
        .output_store(Arc::new(spy.clone()))
        .audit(spy.clone())
        .middleware(spy.clone())
        .tool(spy.clone())
        .unwrap()
        .build()
}

#[tokio::test]
async fn steps_run_in_documented_order() {
    let spy = Spy::new();
    let registry = registry(&spy, Policy::default());

    let call = ToolCall::new("send", json!({"path": "a"})).with_id("1");
    let options = CallOptions::default().with_scope("test").with_call_key("1");
    let result = registry.execute_call(&call, &options).await;

    assert!(result.success, "{result}");
    assert_eq!(
        spy.events.taken(),
        [
            r#"prepare {"path":"a"}"#,
            "approval",
            r#"prepare {"path":"b"}"#,
            "audit before running",
            "middleware",
            "run running",
            "store, redacted: true",
            "audit after done",
        ]
    );
}

/// Each call violates two steps: the earlier one decides.
#[tokio::test]
async fn earlier_steps_decide_first() {
    for (tool, arguments, code) in [
        ("sned", r#"{"path""#, "tool_not_found"),
        ("send", r#"{"path""#, "truncated_arguments"),
        ("send", r#"{"pth": "bad"}"#, "invalid_arguments"),
        ("send", r#"{"path": "bad"}"#, "invalid_arguments"),
        ("send", r#"{"path": "a"}"#, "approval_denied"),
    ] {
        let spy = Spy::new();
        let policy = Policy::default().with_rule(Rule::new("no-send", "send", Verdict::Deny));

        let result = registry(&spy, policy).execute(tool, arguments).await;

        let error = result.error.unwrap();
        assert_eq!(error.code.as_str(), code, "{arguments}");
        assert!(!spy.events.taken().contains(&"approval".to_owned()));
    }
}

/// Set `UPDATE_GOLDEN` to write the table into the documents.
#[test]
fn documents_list_the_steps() {
    let mut table = "| step | what happens |\n|---|---|\n".to_owned();
    for (index, step) in STEPS.iter().enumerate() {
        writeln!(table, "| {}. {} | {} |", index + 1, step.name, step.action).unwrap();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in [
        "ARCHITECTURE.md",
        "docs/src/introduction.md",
        "crates/tool-core/README.md",
    ] {
        let path = root.join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once("| step | what happens |\n").unwrap();
        let after = rest
            .split_inclusive('\n')
            .skip_while(|line| line.starts_with('|'));
        let expected = [before, &table, &after.collect::<String>()].concat();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &expected).unwrap();
        } else {
            assert_eq!(text, expected, "{name}");
        }
    }
}
