//! Concurrent calls: one result per call, in order.

use proptest::prelude::*;

use super::*;
use crate::{CallOptions, CancellationToken, ToolCall, ToolError};

fn moody() -> Registry {
    let tool = DynamicTool::new(
        definition("moody", RiskLevel::ReadOnly),
        |_, arguments| async move {
            match arguments["mood"].as_str() {
                Some("panic") => panic!("requested panic"),
                Some("hang") => forever().await,
                Some("fail") => Err(ToolError::failed("As asked")),
                _ => Ok(ToolOutput::json(arguments)),
            }
        },
    );
    let dangerous = DynamicTool::new(definition("risky", RiskLevel::Dangerous), |_, _| async {
        Ok("ran".into())
    });
    let builder = Registry::builder().timeout(Duration::from_millis(40));
    builder.tool(tool).unwrap().tool(dangerous).unwrap().build()
}

fn call(kind: usize, id: usize) -> ToolCall {
    let call = match kind {
        0 => ToolCall::new("moody", json!({"n": id})),
        1 => ToolCall::new("moody", json!({"mood": "panic"})),
        2 => ToolCall::new("moody", json!({"mood": "hang"})),
        3 => ToolCall::new("moody", json!({"mood": "fail"})),
        4 => ToolCall::new("risky", "{}"),
        5 => ToolCall::new("nobody", "{}"),
        _ => ToolCall::new("moody", "{\"cut"),
    };
    call.with_id(id.to_string())
}

const CODES: [&str; 7] = [
    "",
    "panic",
    "timeout",
    "failed",
    "approval_denied",
    "tool_not_found",
    "truncated_arguments",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn batch_returns_results_in_order(kinds in prop::collection::vec(0_usize..7, 0..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let calls = kinds.iter().enumerate().map(|(id, kind)| call(*kind, id)).collect();

        let results = runtime.block_on(moody().execute_many(calls));

        let codes: Vec<&str> =
            results.iter().map(|result| result.error.as_ref().map_or("", |error| error.code.as_str())).collect();
        let expected: Vec<&str> = kinds.iter().map(|kind| CODES[*kind]).collect();
        prop_assert_eq!(codes, expected);
        for (place, result) in results.iter().enumerate() {
            prop_assert_eq!(&result.id, &place.to_string());
        }
    }
}

#[tokio::test]
async fn cancelled_batch_returns_every_result() {
    let token = CancellationToken::new();
    let options = CallOptions::default()
        .with_cancellation(token.clone())
        .with_timeout(Duration::from_mins(1));
    let turn = moody().snapshot();
    let calls = vec![call(0, 0), call(2, 1), call(2, 2)];

    let (results, ()) = tokio::join!(soon(turn.execute_many_with(calls, &options)), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    });

    assert!(results[0].success);
    assert_eq!(
        (code(&results[1]), code(&results[2])),
        (&ErrorCode::Cancelled, &ErrorCode::Cancelled)
    );
}

#[tokio::test]
async fn dropped_batch_drops_its_calls() {
    struct Held(Arc<AtomicUsize>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let alive = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&alive);
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        let held = Held(Arc::clone(&counter));
        async move {
            let _held = held;
            forever().await
        }
    });
    let calls = vec![ToolCall::new("f", "{}"), ToolCall::new("f", "{}")];

    let _ = tokio::time::timeout(Duration::from_millis(30), registry.execute_many(calls)).await;
    tokio::time::sleep(Duration::from_millis(30)).await;

    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn repeated_ids_have_separate_results() {
    let calls = vec![call(0, 7), call(3, 7), call(0, 7)];

    let results = moody().execute_many(calls).await;

    let reported: Vec<_> = results
        .iter()
        .map(|result| (result.id.as_str(), result.success))
        .collect();
    assert_eq!(reported, [("7", true), ("7", false), ("7", true)]);
}

#[tokio::test(start_paused = true)]
async fn large_batch_runs_bounded_tasks() {
    let most = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&most);
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), move |_, arguments| {
        let alive = tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks();
        seen.fetch_max(alive, Ordering::SeqCst);
        async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(ToolOutput::json(arguments))
        }
    });
    let calls = (0..10_000)
        .map(|n| ToolCall::new("f", json!({"n": n})))
        .collect();

    let results = registry.execute_many(calls).await;

    let in_order = results
        .iter()
        .enumerate()
        .all(|(n, result)| result.data == Some(json!({"n": n})));
    assert!(in_order && results.len() == 10_000);
    assert_eq!(most.load(Ordering::SeqCst), 256);
}

#[tokio::test(start_paused = true)]
async fn hanging_call_does_not_block_later_calls() {
    let registry = registry_of(
        definition("f", RiskLevel::ReadOnly),
        |_, arguments| async move {
            if arguments["hang"] == true {
                return forever().await;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok("fine".into())
        },
    );
    let mut calls = vec![ToolCall::new("f", json!({"hang": true}))];
    calls.resize(2000, ToolCall::new("f", "{}"));

    let results = registry.execute_many(calls).await;

    let spent = |result: &ToolResult| result.metadata.end_time;
    assert_eq!(code(&results[0]), &ErrorCode::Timeout);
    assert!(results[1..].iter().all(|result| result.success));
    assert!(spent(&results[1999]) < spent(&results[0]));
}

#[tokio::test(start_paused = true)]
async fn token_stops_batch_and_queued_calls() {
    let token = CancellationToken::new();
    let options = CallOptions::default().with_cancellation(token.clone());
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |_, _| forever());
    let calls = vec![ToolCall::new("f", "{}"); 1000];

    let (results, ()) = tokio::join!(registry.execute_many_with(calls, &options), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    });

    assert!(
        results
            .iter()
            .all(|result| code(result) == &ErrorCode::Cancelled)
    );
    let begun = results
        .iter()
        .filter(|result| result.metadata.attempts > 0)
        .count();
    assert_eq!((results.len(), begun), (1000, 16));
}

#[tokio::test]
async fn many_calls_that_fail_at_once_have_results() {
    let calls = (0..1000).map(|id| call(5, id)).collect();

    let results = soon(moody().execute_many(calls)).await;

    assert_eq!(results.len(), 1000);
    for (place, result) in results.iter().enumerate() {
        assert_eq!(code(result), &ErrorCode::ToolNotFound);
        assert_eq!(result.id, place.to_string());
    }
}
