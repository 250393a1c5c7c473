//! Step 7: who may run beside whom.

use async_trait::async_trait;

use super::*;
use crate::{Arguments, Concurrency, Tool, ToolCall, ToolContext, ToolError};

/// Counts how many calls run at once; the key is the argument `key`.
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
            .and_then(crate::Node::as_str)
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
async fn calls_run_beside_each_other_as_their_tool_allows() {
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
async fn the_time_in_the_queue_is_measured_apart_from_the_run() {
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
