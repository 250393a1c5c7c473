//! Calls dropped at any await: no state remains that affects later calls.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;

use async_trait::async_trait;
use tokio::task::yield_now;

use super::*;
use crate::approval::{Answer, ApprovalRequest, Approver, Decision, Rule, Verdict};
use crate::audit::{AuditEvent, AuditLog, AuditWrite};
use crate::middleware::Retry;
use crate::output_store::{MemoryStore, OutputHandle, OutputStore, StoreError, StoredPage};
use crate::{
    Arguments, CallOptions, CallPlan, PreparedCall, Tool, ToolCall, ToolContext, ToolError,
};

#[derive(Default)]
struct SlowLog(Mutex<Vec<AuditEvent>>);

impl AuditLog for SlowLog {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        self.0.lock().unwrap().push(event);
        Box::pin(async {
            yield_now().await;
            Ok(())
        })
    }
}

#[derive(Debug, Default)]
struct SlowStore(MemoryStore);

#[async_trait]
impl OutputStore for SlowStore {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        yield_now().await;
        self.0.put(text).await
    }
    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        self.0.read(handle, offset, limit).await
    }
}

struct SlowApprover;

#[async_trait]
impl Approver for SlowApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        yield_now().await;
        Decision::new(request, Answer::Approve)
    }
}

/// Holds a file and the tool's only place while it runs, or everything; returns output over the limit.
struct Slow {
    definition: ToolDefinition,
    is_exclusive: bool,
}

impl Slow {
    fn new(name: &str) -> Self {
        Self {
            definition: definition(name, RiskLevel::ReadOnly).with_max_parallel(1),
            is_exclusive: false,
        }
    }

    fn exclusive(name: &str) -> Self {
        Self {
            definition: definition(name, RiskLevel::SafeWrite),
            is_exclusive: true,
        }
    }
}

impl Tool for Slow {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition.risk());
        let plan = if self.is_exclusive {
            plan.exclusive()
        } else {
            plan.writes("file")
        };
        let run = async {
            for _ in 0..3 {
                cx.partial("a piece");
                yield_now().await;
            }
            let padding = "x".repeat(50_000);
            Ok(ToolOutput::text(format!(
                "{:?} {padding}",
                arguments.to_value()
            )))
        };
        Ok(PreparedCall::new(plan, run).inspect(async {
            yield_now().await;
            Ok(None)
        }))
    }
}

fn busy_registry() -> (Registry, Arc<SlowLog>) {
    let log = Arc::new(SlowLog::default());
    let registry = Registry::builder()
        .policy(Policy::allow_all().with_rule(Rule::new("ask", "asks", Verdict::Ask)))
        .approver(SlowApprover)
        .audit(log.clone())
        .output_store(Arc::new(SlowStore::default()))
        .output_limit(crate::OutputLimit::bytes(1000))
        .middleware(Retry::when_safe(2))
        .tool(Slow::new("slow"))
        .and_then(|builder| builder.tool(Slow::new("asks")))
        .and_then(|builder| builder.tool(Slow::exclusive("alone")))
        .unwrap()
        .build();
    (registry, log)
}

/// Polls a call a number of times and drops it. Returns whether it was ready.
async fn drop_after(polls: usize, registry: &Registry, call: &ToolCall) -> bool {
    let options = CallOptions::default();
    let mut work = pin!(registry.execute_call(call, &options));
    for _ in 0..polls {
        let ready = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx).is_ready())).await;
        if ready {
            return true;
        }
        yield_now().await;
    }
    false
}

#[tokio::test]
async fn call_may_be_dropped_at_any_await() {
    for name in ["slow", "asks", "alone", "nobody"] {
        let (registry, log) = busy_registry();
        let mut polls = 0;
        loop {
            let call = ToolCall::new(name, json!({"n": polls}));
            // Another call holds the file and the place in half of the rounds.
            let other = (polls % 2 == 0).then(|| {
                let call = ToolCall::new("slow", json!({"other": polls}));
                registry.spawn(call, CallOptions::default())
            });
            yield_now().await;

            let done = drop_after(polls, &registry, &call).await;

            if let Some(other) = other {
                assert!(soon(other).await.success, "{name} {polls}");
            }
            let again = ToolCall::new(name, json!({"n": polls}));
            let result = soon(registry.execute_call(&again, &CallOptions::default())).await;
            assert_eq!(result.success, name != "nobody", "{name} {polls}: {result}");
            polls += 1;
            if done && polls > 2 {
                break;
            }
        }
        assert!(polls < 200, "{polls}");
        let alone = soon(registry.execute("alone", json!({}))).await;
        assert!(alone.success);
        every_call_has_both_events(&log.0.lock().unwrap());
    }
}

fn every_call_has_both_events(events: &[AuditEvent]) {
    let mut open = BTreeMap::<&str, u32>::new();
    for event in events {
        let count = open.entry(event.call_id.as_str()).or_default();
        match &event.result {
            None => assert_eq!(*count, 0, "{events:?}"),
            Some(_) => assert_eq!(*count, 1, "an end without a beginning, or a second one"),
        }
        *count += 1;
    }
    assert!(open.values().all(|count| *count == 2), "{open:?}");
}
