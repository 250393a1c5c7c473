//! Calls with the same key.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use tool_core::approval::Policy;
use tool_core::ledger::{CallKey, Verified};
use tool_core::{
    Arguments, CallOptions, CallPlan, PreparedCall, Registry, RiskLevel, Tool, ToolCall,
    ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use tool_remote::RemoteTools;

use crate::server::Server;
use crate::site::{Site, ledgers};
use crate::tools::{Runs, builder, code, count, definition, permissive, until, worker};

async fn scoped(site: &Site, scope: &str) -> (Registry, RemoteTools) {
    let caller = permissive();
    let remote = RemoteTools::builder(site.server.options()).scope(scope);
    let remote = remote.connect(&caller).await.unwrap();
    (caller, remote)
}

fn call(id: &str, text: &str) -> ToolCall {
    ToolCall::new("pay", json!({"text": text, "milliseconds": 300})).with_id(id)
}

async fn repeated_call_returns_stored_result(site: Site) {
    let (caller, _remote) = scoped(&site, "run-7").await;
    for _ in 0..2 {
        let result = caller
            .execute_call(&call("1", "a"), &CallOptions::default())
            .await;
        assert_eq!(result.to_string(), "a", "{result:?}");
    }
    assert_eq!(count(&site.runs), 1);

    let other = caller
        .execute_call(&call("1", "b"), &CallOptions::default())
        .await;
    assert!(!other.success || other.to_string() == "a");
    assert_eq!(count(&site.runs), 1);
    let second = caller
        .execute_call(&call("2", "b"), &CallOptions::default())
        .await;
    assert_eq!(second.to_string(), "b");
}

async fn concurrent_callers_share_one_run(site: Site) {
    let (first, _one) = scoped(&site, "run-7").await;
    let (second, _two) = scoped(&site, "run-7").await;
    let (call, options) = (call("1", "a"), CallOptions::default());

    let (one, two) = tokio::join!(
        first.execute_call(&call, &options),
        second.execute_call(&call, &options)
    );

    assert_eq!((one.to_string(), two.to_string()), ("a".into(), "a".into()));
    assert_eq!(count(&site.runs), 1);
}

async fn unscoped_calls_are_independent(site: Site) {
    for _ in 0..2 {
        let result = site
            .caller
            .execute_call(&call("1", "a"), &CallOptions::default())
            .await;
        assert_eq!(result.to_string(), "a");
    }
    assert_eq!(count(&site.runs), 2);
}

/// Pays an invoice at most once.
struct Invoice {
    definition: ToolDefinition,
    runs: Runs,
}

impl Tool for Invoice {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let number = arguments.to_value()["text"].as_str().unwrap().to_owned();
        let plan = CallPlan::of(self.definition().risk()).once(number);
        Ok(PreparedCall::new(plan, async {
            self.runs.fetch_add(1, Ordering::SeqCst);
            Ok(ToolOutput::text(cx.call_key().unwrap().key.clone()))
        }))
    }
}

async fn key_of_tool_applies_across_callers(site: Site) {
    let invoice = Invoice {
        definition: definition("invoice", RiskLevel::SafeWrite),
        runs: Runs::default(),
    };
    let runs = Arc::clone(&invoice.runs);
    let ledger = Arc::clone(&site.ledger);
    let registry = builder(&site.runs)
        .tool(invoice)
        .unwrap()
        .ledger(ledger)
        .build();
    let started = worker(&site.server, registry).group("bills").start().await;
    let _worker = started.unwrap();
    let (caller, _remote) = scoped(&site, "accounting").await;
    until("the tool arrives", async || caller.get("invoice").is_some()).await;

    for id in ["1", "2"] {
        let call = ToolCall::new("invoice", json!({"text": "2024-17"})).with_id(id);
        let result = caller.execute_call(&call, &CallOptions::default()).await;
        assert_eq!(result.to_string(), "invoice:2024-17", "{result:?}");
    }
    assert_eq!(count(&runs), 1);
}

async fn key_of_callers_ledger_reaches_worker(site: Site) {
    // Both sides share a ledger.
    let ledger = Arc::clone(&site.ledger);
    let caller = Registry::builder()
        .policy(Policy::allow_all())
        .ledger(ledger)
        .build();
    let _remote = RemoteTools::connect(site.server.options(), &caller)
        .await
        .unwrap();
    let options = CallOptions::default()
        .with_scope("run-7")
        .with_call_key("k");

    for _ in 0..2 {
        let result = caller.execute_call(&call("any", "a"), &options).await;
        assert_eq!(result.to_string(), "a", "{result:?}");
    }

    assert_eq!(count(&site.runs), 1);
    for scope in ["run-7", "remote/default/run-7"] {
        let entry = site.ledger.find(&CallKey::new(scope, "k")).await.unwrap();
        assert_eq!(entry.unwrap().state.as_str(), "done", "{scope}");
    }
}

async fn proxies_verify_calls_with_workers_ledger(site: Site) {
    let (caller, _remote) = scoped(&site, "run-7").await;
    let done = caller
        .execute_call(&call("1", "a"), &CallOptions::default())
        .await;
    assert!(done.success);
    let failing = ToolCall::new("fail_pay", json!({"text": "nothing"})).with_id("2");
    let failed = caller.execute_call(&failing, &CallOptions::default()).await;
    assert_eq!(code(&failed), "failed");

    let verify = async |tool: &str, key: &str| {
        let tool = caller.get(tool).unwrap();
        let cx = ToolContext::test().with_call_key(CallKey::new("run-7", key));
        tool.verify(&cx, &Arguments::from_value(json!({"text": "a"})))
            .await
    };
    let Verified::Happened(output) = verify("pay", "1").await else {
        panic!("the call happened");
    };
    assert_eq!(output.content[0].as_text(), Some("a"));
    assert_eq!(verify("fail_pay", "2").await, Verified::DidNotHappen);
    assert_eq!(verify("pay", "3").await, Verified::Unknown);
}

#[tokio::test]
async fn worker_without_ledger_accepts_only_read_only_tools() {
    use tool_remote::{RemoteError, Worker};

    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let effects = Worker::new(builder(&runs).build(), server.options());
    assert!(matches!(effects.start().await, Err(RemoteError::NoLedger)));

    let look = crate::tools::echo(definition("look", RiskLevel::ReadOnly), &runs);
    let reading = Worker::new(Registry::of(look).unwrap(), server.options());
    reading
        .start()
        .await
        .unwrap()
        .stop(std::time::Duration::ZERO)
        .await;
}

ledgers! {
    repeated_call_returns_stored_result
    concurrent_callers_share_one_run
    unscoped_calls_are_independent
    key_of_tool_applies_across_callers
    key_of_callers_ledger_reaches_worker
    proxies_verify_calls_with_workers_ledger
}
