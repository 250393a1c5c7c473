//! Step 7: concurrency of calls.

use super::*;
use crate::{CallOptions, SideEffects, ToolCall, Toolset, tool_fn};

/// What calls of a tool touch.
#[derive(Debug, Clone, Copy)]
enum Touching {
    Nothing,
    /// The file that the argument names.
    File,
    /// Everything.
    Exclusive,
}

/// Measures the number of concurrent calls.
struct Busy {
    definition: ToolDefinition,
    touching: Touching,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Busy {
    fn new(touching: Touching) -> (Self, Arc<AtomicUsize>) {
        let most = Arc::new(AtomicUsize::new(0));
        (
            Self {
                definition: definition("busy", RiskLevel::ReadOnly),
                touching,
                now: Arc::default(),
                most: Arc::clone(&most),
            },
            most,
        )
    }

    async fn work(&self) -> Result<ToolOutput, ToolError> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(ToolOutput::text("done"))
    }
}

impl Tool for Busy {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition.risk());
        let file = arguments.get("file").and_then(crate::JsonRef::as_str);
        let plan = match self.touching {
            Touching::Nothing => plan,
            Touching::File => plan.writes(file.unwrap_or_default()),
            Touching::Exclusive => plan.exclusive(),
        };
        Ok(PreparedCall::new(plan, self.work()))
    }
}

async fn most_at_once(touching: Touching, parallel: usize, files: &[&str]) -> usize {
    let (tool, most) = Busy::new(touching);
    let registry = Registry::builder()
        .parallel_calls(parallel)
        .tool(tool)
        .unwrap()
        .build();
    let calls = files
        .iter()
        .map(|file| ToolCall::new("busy", json!({"file": file})))
        .collect();
    for result in registry.execute_many(calls).await {
        assert!(result.success, "{result}");
    }
    most.load(Ordering::SeqCst)
}

#[tokio::test]
async fn calls_overlap_unless_they_touch_the_same() {
    for (touching, parallel, files, most) in [
        (Touching::Nothing, 16, ["a", "b", "c", "d"], 4),
        (Touching::Nothing, 2, ["a", "b", "c", "d"], 2),
        (Touching::Exclusive, 16, ["a", "b", "c", "d"], 1),
        (Touching::File, 16, ["a", "a", "a", "a"], 1),
        (Touching::File, 16, ["a", "b", "a", "b"], 2),
    ] {
        assert_eq!(
            most_at_once(touching, parallel, &files).await,
            most,
            "{touching:?} {files:?}"
        );
    }
}

#[tokio::test]
async fn tool_bound_applies_with_registry_bound() {
    for (touching, bound, files, most) in [
        (Touching::Nothing, 2, ["a", "b", "c", "d"], 2),
        (Touching::Nothing, 0, ["a", "b", "c", "d"], 1),
        (Touching::File, 2, ["a", "b", "c", "d"], 2),
        (Touching::File, 3, ["a", "a", "b", "b"], 2),
        (Touching::Exclusive, 3, ["a", "b", "c", "d"], 1),
    ] {
        let (mut tool, most_seen) = Busy::new(touching);
        tool.definition = tool.definition.with_max_parallel(bound);
        let registry = Registry::of(tool).unwrap();
        let calls = files.map(|file| ToolCall::new("busy", json!({"file": file})));

        for result in registry.execute_many(calls.into()).await {
            assert!(result.success, "{result}");
        }

        assert_eq!(
            most_seen.load(Ordering::SeqCst),
            most,
            "{touching:?} {bound} {files:?}"
        );
    }
}

#[tokio::test]
async fn tool_at_its_bound_does_not_block_others() {
    let (mut slow, _) = Busy::new(Touching::Nothing);
    slow.definition = slow.definition.with_max_parallel(1);
    let (mut other, _) = Busy::new(Touching::Nothing);
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
    let (tool, _) = Busy::new(Touching::Exclusive);
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
async fn free_file_does_not_queue() {
    let (tool, _) = Busy::new(Touching::File);
    let builder = Registry::builder().waiting_calls(0);
    let registry = builder.tool(tool).unwrap().build();
    let calls = ["a", "b", "a"].map(|file| ToolCall::new("busy", json!({"file": file})));

    let results = registry.execute_many(calls.into()).await;

    let went: Vec<bool> = results.iter().map(|result| result.success).collect();
    assert_eq!(went, [true, true, false]);
}

#[tokio::test]
async fn exclusive_call_is_not_starved() {
    let (exclusive, _) = Busy::new(Touching::Exclusive);
    let (mut other, _) = Busy::new(Touching::Nothing);
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
    let (tool, _) = Busy::new(Touching::Exclusive);
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

const TWO_SECONDS: Duration = Duration::from_secs(2);

fn edit(path: &str) -> ToolCall {
    ToolCall::new("edit", json!({"path": path}))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NoInput {}

#[tokio::test(start_paused = true)]
async fn slow_own_tool_does_not_block_another() {
    let slow = tool_fn("slow", "Waits.", |_, _: NoInput| async {
        tokio::time::sleep(TWO_SECONDS).await;
        Ok("done")
    });
    let quick = tool_fn("quick", "Returns.", |_, _: NoInput| async { Ok("done") });
    let registry = Registry::builder().tool(slow).unwrap().tool(quick).unwrap();
    let registry = registry.build();
    let since = tokio::time::Instant::now();
    let first = registry.spawn(ToolCall::new("slow", "{}"), CallOptions::default());
    tokio::task::yield_now().await;

    let second = registry.execute("quick", json!({})).await;

    assert!(second.success, "{second}");
    assert_eq!(since.elapsed(), Duration::ZERO);
    assert!(first.await.success);
    assert!(since.elapsed() >= TWO_SECONDS);
}

#[tokio::test(start_paused = true)]
async fn edits_of_one_file_wait_and_edits_of_two_do_not() {
    for (second, seconds) in [("a.txt", 4), ("./sub/../a.txt", 4), ("b.txt", 2)] {
        let registry = Registry::of(Planned::edit().taking(TWO_SECONDS)).unwrap();
        let since = tokio::time::Instant::now();

        let results = registry
            .execute_many(vec![edit("a.txt"), edit(second)])
            .await;

        assert!(results.iter().all(|result| result.success));
        assert_eq!(since.elapsed().as_secs(), seconds, "{second}");
    }
}

#[tokio::test(start_paused = true)]
async fn writes_of_two_turns_wait_for_each_other() {
    let registry = Registry::of(Planned::edit().taking(TWO_SECONDS)).unwrap();
    let since = tokio::time::Instant::now();

    let (first, second) = tokio::join!(
        registry.execute_many(vec![edit("a"), edit("b")]),
        registry.execute_many(vec![edit("a"), edit("c")]),
    );

    let waited = |results: &[ToolResult]| -> Vec<Duration> {
        let times = results.iter().map(|result| result.metadata.queue_time);
        times
            .map(|time| Duration::from_secs(time.as_secs()))
            .collect()
    };
    assert_eq!(waited(&first), [Duration::ZERO, Duration::ZERO]);
    assert_eq!(waited(&second), [TWO_SECONDS, Duration::ZERO]);
    assert_eq!(since.elapsed().as_secs(), 4);
}

#[test]
fn conflicting_calls_of_a_turn_run_in_model_order() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(4).enable_time().build().unwrap();
    for _ in 0..50 {
        let tool = Planned::edit();
        let runs = Arc::clone(&tool.runs);
        let registry = Registry::of(tool).unwrap();
        let call = |n: u32| ToolCall::new("edit", json!({"path": "a", "n": n}));
        let turn = async move { registry.execute_many((0..8).map(call).collect()).await };

        // In a task, because the last spawned task of a worker runs first.
        let results = runtime.block_on(async { soon(tokio::spawn(turn)).await.unwrap() });

        assert!(results.iter().all(|result| result.success));
        let order: Vec<u64> = runs
            .lock()
            .unwrap()
            .iter()
            .map(|run| run["n"].as_u64().unwrap())
            .collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}

#[tokio::test]
async fn thousands_of_calls_of_one_file_all_run() {
    let tool = Planned::edit();
    let runs = Arc::clone(&tool.runs);
    let registry = Registry::of(tool).unwrap();

    let results = soon(registry.execute_many(vec![edit("a"); 2000])).await;

    assert!(results.iter().all(|result| result.success));
    assert_eq!(runs.lock().unwrap().len(), 2000);
}

/// Returns how many of three calls of the tool run at once.
async fn at_once(tool: impl Tool + 'static) -> u64 {
    let name = tool.definition().name().to_owned();
    let registry = Registry::builder().policy(Policy::allow_all()).tool(tool);
    let since = tokio::time::Instant::now();

    let calls = vec![ToolCall::new(&*name, "{}"); 3];
    for result in registry.unwrap().build().execute_many(calls).await {
        assert!(result.success, "{result}");
    }

    6 / since.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn undeclared_tools_that_may_do_anything_run_one_at_a_time() {
    let foreign = |risk| definition("f", risk).with_source("the MCP server `files`");
    let own = |risk| definition("f", risk);
    for (definition, most) in [
        (own(RiskLevel::ReadOnly), 3),
        (own(RiskLevel::SafeWrite), 3),
        (own(RiskLevel::Dangerous), 1),
        (own(RiskLevel::Dangerous).with_max_parallel(3), 3),
        (foreign(RiskLevel::ReadOnly), 3),
        (foreign(RiskLevel::SafeWrite), 1),
        (foreign(RiskLevel::SafeWrite).with_max_parallel(3), 3),
        (foreign(RiskLevel::Dangerous), 1),
    ] {
        let tool = DynamicTool::new(definition.clone(), |_, _| async {
            tokio::time::sleep(TWO_SECONDS).await;
            Ok("done".into())
        });

        assert_eq!(at_once(tool).await, most, "{definition:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn declared_dangerous_calls_overlap_if_they_touch_different_things() {
    let number = AtomicUsize::new(0);
    let tool = Planned::new("f", move |_| {
        let number = number.fetch_add(1, Ordering::SeqCst);
        Ok(CallPlan::of(RiskLevel::Dangerous).uses(format!("mailbox {number}")))
    });

    assert_eq!(at_once(tool.taking(TWO_SECONDS)).await, 3);
}

#[tokio::test(start_paused = true)]
async fn tool_of_a_toolset_is_the_application_s_own() {
    let slow = tool_fn("slow", "Waits.", |_, _: NoInput| async {
        tokio::time::sleep(TWO_SECONDS).await;
        Ok("done")
    });
    let toolset = Toolset::named("own").with_tool(slow).unwrap();

    assert_eq!(at_once(Arc::clone(&toolset.tools()[0])).await, 3);
}
