//! Step 7: concurrency of calls.

use async_trait::async_trait;

use super::*;
use crate::{Arguments, Concurrency, SideEffects, Tool, ToolCall, ToolContext, ToolError};

/// Measures the number of concurrent calls. The key is the argument.
struct Busy {
    definition: ToolDefinition,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Busy {
    fn new(concurrency: Concurrency) -> (Self, Arc<AtomicUsize>) {
        let most = Arc::new(AtomicUsize::new(0));
        let definition = definition("busy", RiskLevel::ReadOnly).with_concurrency(concurrency);
        (
            Self {
                definition,
                now: Arc::default(),
                most: Arc::clone(&most),
            },
            most,
        )
    }
}

#[async_trait]
impl Tool for Busy {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }
    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        arguments
            .get("key")
            .and_then(crate::JsonRef::as_str)
            .map(str::to_owned)
    }
    async fn execute(
        &self,
        _cx: &ToolContext,
        _arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(ToolOutput::text("done"))
    }
}

async fn most_at_once(concurrency: Concurrency, parallel: usize, keys: &[&str]) -> usize {
    let (tool, most) = Busy::new(concurrency);
    let registry = Registry::builder()
        .parallel_calls(parallel)
        .tool(tool)
        .unwrap()
        .build();
    let calls = keys
        .iter()
        .map(|key| ToolCall::new("busy", json!({"key": key})))
        .collect();
    for result in registry.execute_many(calls).await {
        assert!(result.success, "{result}");
    }
    most.load(Ordering::SeqCst)
}

#[tokio::test]
async fn calls_overlap_as_concurrency_allows() {
    for (concurrency, parallel, keys, most) in [
        (Concurrency::Parallel, 16, ["a", "b", "c", "d"], 4),
        (Concurrency::Parallel, 2, ["a", "b", "c", "d"], 2),
        (Concurrency::Exclusive, 16, ["a", "b", "c", "d"], 1),
        (Concurrency::PerKey, 16, ["a", "a", "a", "a"], 1),
        (Concurrency::PerKey, 16, ["a", "b", "a", "b"], 2),
    ] {
        assert_eq!(
            most_at_once(concurrency, parallel, &keys).await,
            most,
            "{concurrency:?} {keys:?}"
        );
    }
}

#[tokio::test]
async fn tool_bound_applies_with_registry_bound() {
    for (concurrency, bound, keys, most) in [
        (Concurrency::Parallel, 2, ["a", "b", "c", "d"], 2),
        (Concurrency::Parallel, 0, ["a", "b", "c", "d"], 1),
        (Concurrency::PerKey, 2, ["a", "b", "c", "d"], 2),
        (Concurrency::PerKey, 3, ["a", "a", "b", "b"], 2),
        (Concurrency::Exclusive, 3, ["a", "b", "c", "d"], 1),
    ] {
        let (mut tool, most_seen) = Busy::new(concurrency);
        tool.definition = tool.definition.with_max_parallel(bound);
        let registry = Registry::of(tool).unwrap();
        let calls = keys.map(|key| ToolCall::new("busy", json!({"key": key})));

        for result in registry.execute_many(calls.into()).await {
            assert!(result.success, "{result}");
        }

        assert_eq!(
            most_seen.load(Ordering::SeqCst),
            most,
            "{concurrency:?} {bound} {keys:?}"
        );
    }
}

#[tokio::test]
async fn tool_at_its_bound_does_not_block_others() {
    let (mut slow, _) = Busy::new(Concurrency::Parallel);
    slow.definition = slow.definition.with_max_parallel(1);
    let (mut other, _) = Busy::new(Concurrency::Parallel);
    other.definition = other.definition.with_name("other");
    let builder = Registry::builder().parallel_calls(2);
    let registry = builder.tool(slow).unwrap().tool(other).unwrap().build();
    let mut calls = vec![ToolCall::new("busy", json!({})); 5];
    calls.push(ToolCall::new("other", json!({})));

    let results = registry.execute_many(calls).await;

    assert_eq!(results[5].metadata.queue_time, Duration::ZERO);
    assert!(results[4].metadata.queue_time >= Duration::from_millis(60));
}

#[tokio::test]
async fn full_queue_rejects_calls() {
    let (tool, _) = Busy::new(Concurrency::Exclusive);
    let builder = Registry::builder().waiting_calls(2);
    let registry = builder.tool(tool).unwrap().build();
    let calls = vec![ToolCall::new("busy", json!({})); 5];

    let results = registry.execute_many(calls).await;

    let texts: Vec<String> = results.iter().map(ToString::to_string).collect();
    let rejection = "Error: The call was not run, because too many calls are already queued. Nothing was \
                   changed. Wait for other calls to finish, and make fewer calls at once.";
    assert_eq!(texts, ["done", "done", "done", rejection, rejection]);
    assert_eq!(code(&results[4]), &ErrorCode::RateLimited);
    assert_eq!(results[4].metadata.side_effects, SideEffects::None);
    assert!(registry.execute("busy", json!({})).await.success);
}

#[tokio::test]
async fn free_key_does_not_queue() {
    let (tool, _) = Busy::new(Concurrency::PerKey);
    let builder = Registry::builder().waiting_calls(0);
    let registry = builder.tool(tool).unwrap().build();
    let calls = ["a", "b", "a"].map(|key| ToolCall::new("busy", json!({"key": key})));

    let results = registry.execute_many(calls.into()).await;

    let went: Vec<bool> = results.iter().map(|result| result.success).collect();
    assert_eq!(went, [true, true, false]);
}

#[tokio::test]
async fn exclusive_call_is_not_starved() {
    let (exclusive, _) = Busy::new(Concurrency::Exclusive);
    let (mut other, _) = Busy::new(Concurrency::Parallel);
    other.definition = other.definition.with_name("other");
    let builder = Registry::builder().parallel_calls(3);
    let registry = builder
        .tool(exclusive)
        .unwrap()
        .tool(other)
        .unwrap()
        .build();
    let crowd = |offset| {
        let registry = registry.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(offset)).await;
            loop {
                registry.execute("other", json!({})).await;
            }
        }
    };
    let _crowd: tokio::task::JoinSet<()> = (0..6).map(|n| crowd(n * 3)).collect();
    tokio::time::sleep(Duration::from_millis(30)).await;

    let result = soon(registry.execute("busy", json!({}))).await;

    assert!(result.success);
}

#[tokio::test]
async fn queue_time_is_separate() {
    let (tool, _) = Busy::new(Concurrency::Exclusive);
    let registry = Registry::of(tool).unwrap();
    let calls = vec![
        ToolCall::new("busy", json!({})),
        ToolCall::new("busy", json!({})),
    ];

    let results = registry.execute_many(calls).await;

    let longest = results
        .iter()
        .map(|result| result.metadata.queue_time)
        .max()
        .unwrap();
    assert!(longest >= Duration::from_millis(15), "{longest:?}");
    for result in &results {
        assert!(result.metadata.execution_time < Duration::from_millis(200));
    }
}
