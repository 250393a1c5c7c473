//! Cached results.

use super::*;
use crate::middleware::ResultCache;
use crate::{CallOptions, CancellationToken, Extensions, ToolCall};

fn cached(cache: ResultCache) -> Registry {
    let tools = [
        counter("read", RiskLevel::ReadOnly),
        counter("look", RiskLevel::ReadOnly),
        counter("write", RiskLevel::SafeWrite),
        counter("destroy", RiskLevel::Dangerous),
    ];
    registry(cache, tools)
}

async fn call(registry: &Registry, name: &str, arguments: &str) -> String {
    registry.execute_text(name, arguments).await.to_string()
}

#[tokio::test(start_paused = true)]
async fn equal_call_returns_cached_result() {
    let registry = cached(ResultCache::new());
    for (arguments, expected) in [
        (r#"{"a": 1, "b": [1.5, "x"]}"#, "1"),
        (r#"{"b":[1.5,"x"],"a":1}"#, "1"),
        (r#"{"a": 2, "b": [1.5, "x"]}"#, "2"),
        (r#"{"a": "1", "b": [1.5, "x"]}"#, "3"),
    ] {
        assert_eq!(
            call(&registry, "read", arguments).await,
            expected,
            "{arguments}"
        );
    }
    assert_eq!(call(&registry, "look", "{}").await, "1", "another tool");
}

#[tokio::test(start_paused = true)]
async fn call_with_effects_clears_cache() {
    for effect in ["write", "destroy"] {
        let registry = cached(ResultCache::new());
        assert_eq!(call(&registry, "read", "{}").await, "1");

        assert_eq!(call(&registry, effect, "{}").await, "1");
        assert_eq!(call(&registry, effect, "{}").await, "2");

        assert_eq!(call(&registry, "read", "{}").await, "2", "{effect}");
    }
}

#[tokio::test(start_paused = true)]
async fn result_read_during_write_is_not_cached() {
    let slow = DynamicTool::new(
        definition("slow", RiskLevel::SafeWrite).with_concurrency(crate::Concurrency::Parallel),
        |_, _| async {
            tokio::time::sleep(seconds(2)).await;
            Err(ToolError::failed("Half done"))
        },
    );
    let registry = registry(
        ResultCache::new(),
        [slow, counter("read", RiskLevel::ReadOnly)],
    );
    let read_meanwhile = async {
        tokio::time::sleep(seconds(1)).await;
        [
            call(&registry, "read", "{}").await,
            call(&registry, "read", "{}").await,
        ]
    };

    let (_, meanwhile) = tokio::join!(registry.execute("slow", json!({})), read_meanwhile);

    assert_eq!(meanwhile, ["1", "1"]);
    assert_eq!(call(&registry, "read", "{}").await, "2");
}

#[tokio::test(start_paused = true)]
async fn result_started_before_write_is_not_cached() {
    let slow = counting(
        definition("slow", RiskLevel::ReadOnly),
        |run, _| async move {
            tokio::time::sleep(seconds(2)).await;
            Ok(json!(run).into())
        },
    );
    let quick =
        definition("write", RiskLevel::SafeWrite).with_concurrency(crate::Concurrency::Parallel);
    let write = counting(quick, |_, _| async { Ok("done".into()) });
    let registry = registry(ResultCache::new(), [slow, write]);
    let write_meanwhile = async {
        tokio::time::sleep(seconds(1)).await;
        call(&registry, "write", "{}").await
    };

    let (first, _) = tokio::join!(call(&registry, "slow", "{}"), write_meanwhile);

    assert_eq!(first, "1");
    assert_eq!(call(&registry, "slow", "{}").await, "2");
}

#[tokio::test(start_paused = true)]
async fn cached_result_expires_or_is_cleared() {
    let cache = ResultCache::new().age(seconds(10));
    let registry = cached(cache.clone());
    let mut answers = Vec::new();
    for pause in [0, 9, 1] {
        tokio::time::advance(seconds(pause)).await;
        answers.push(call(&registry, "read", "{}").await);
    }
    cache.clear();
    answers.push(call(&registry, "read", "{}").await);

    assert_eq!(answers, ["1", "1", "2", "3"]);
}

#[tokio::test(start_paused = true)]
async fn evicts_least_recently_used_result() {
    let registry = cached(ResultCache::new().entries(2));
    let mut answers = Vec::new();
    for arguments in [
        r#"{"a":1}"#,
        r#"{"a":2}"#,
        r#"{"a":1}"#,
        r#"{"a":3}"#,
        r#"{"a":1}"#,
        r#"{"a":2}"#,
    ] {
        answers.push(call(&registry, "read", arguments).await);
    }

    assert_eq!(answers, ["1", "2", "1", "3", "1", "4"]);
}

#[tokio::test(start_paused = true)]
async fn too_large_result_is_not_cached() {
    let large = counting(
        definition("large", RiskLevel::ReadOnly),
        |run, _| async move { Ok(format!("{run}{}", "x".repeat(5000)).into()) },
    );
    let tools = [large, counter("read", RiskLevel::ReadOnly)];
    let registry = registry(ResultCache::new().bytes(4000), tools);
    let long = json!({"text": "y".repeat(5000)});
    assert_eq!(call(&registry, "read", "{}").await, "1");

    let answers = [
        call(&registry, "large", "{}").await,
        call(&registry, "large", "{}").await,
        registry.execute("read", long.clone()).await.to_string(),
        registry.execute("read", long).await.to_string(),
        call(&registry, "read", "{}").await,
    ];

    let begin: Vec<&str> = answers.iter().map(|answer| &answer[..1]).collect();
    assert_eq!(begin, ["1", "2", "2", "3", "1"]);
}

#[tokio::test(start_paused = true)]
async fn concurrent_equal_calls_run_once() {
    let slow = counting(
        definition("slow", RiskLevel::ReadOnly),
        |run, cx| async move {
            cx.warn("an old index");
            tokio::time::sleep(seconds(1)).await;
            Ok(json!(run).into())
        },
    );
    let registry = registry(ResultCache::new(), [slow]);
    let calls = (0..3).map(|_| ToolCall::new("slow", "{}")).collect();

    let results = registry.execute_many(calls).await;

    let reported: Vec<_> = results
        .iter()
        .map(|result| {
            (
                result.text(),
                result.warnings.clone(),
                result.metadata.attempts,
            )
        })
        .collect();
    let answer = |attempts| ("1".to_owned(), vec!["an old index".to_owned()], attempts);
    assert_eq!(reported, [answer(1), answer(0), answer(0)]);
}

#[tokio::test(start_paused = true)]
async fn waiting_call_runs_after_first_is_stopped() {
    let slow = counting(
        definition("slow", RiskLevel::ReadOnly),
        |run, _| async move {
            tokio::time::sleep(seconds(2)).await;
            Ok(json!(run).into())
        },
    );
    let registry = registry(ResultCache::new(), [slow]);
    let stop = CancellationToken::new();
    let stopped = registry.execute_async(
        ToolCall::new("slow", "{}"),
        CallOptions::default().with_cancellation(stop.clone()),
    );
    let waiting = registry.execute_async(ToolCall::new("slow", "{}"), CallOptions::default());
    tokio::time::sleep(seconds(1)).await;

    stop.cancel();

    assert_eq!(code(&stopped.await), ErrorCode::Cancelled);
    assert_eq!(waiting.await.to_string(), "2");
}

#[tokio::test(start_paused = true)]
async fn failure_is_not_cached() {
    let tool = counting(
        definition("read", RiskLevel::ReadOnly),
        |run, _| async move {
            if run == 1 {
                Err(busy())
            } else {
                Ok(json!(run).into())
            }
        },
    );
    let registry = registry(ResultCache::new(), [tool]);

    let answers = [
        call(&registry, "read", "{}").await,
        call(&registry, "read", "{}").await,
        call(&registry, "read", "{}").await,
    ];

    assert_eq!(answers, ["Error: The service is busy.", "2", "2"]);
}

#[tokio::test(start_paused = true)]
async fn cached_result_is_complete_and_marked() {
    let tool = counting(
        definition("read", RiskLevel::ReadOnly),
        |_, cx| async move {
            cx.warn("cut");
            cx.affected("index.db");
            cx.note("lines", 3);
            cx.attach(crate::ContentBlock::text("more"));
            Ok(ToolOutput::text("text").with_data(json!([1])))
        },
    );
    let registry = registry(ResultCache::new(), [tool]);
    let first = registry.execute("read", json!({})).await;

    let again = registry.execute("read", json!({})).await;

    assert_eq!(
        (
            &again.content,
            &again.data,
            &again.warnings,
            &again.files_affected
        ),
        (
            &first.content,
            &first.data,
            &first.warnings,
            &first.files_affected
        )
    );
    assert_eq!(
        first.metadata.extra,
        [("lines".to_owned(), json!(3))].into()
    );
    assert_eq!(
        again.metadata.extra,
        [
            ("cached".to_owned(), json!(true)),
            ("lines".to_owned(), json!(3))
        ]
        .into()
    );
    assert_eq!((first.metadata.attempts, again.metadata.attempts), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn results_are_not_shared_between_users() {
    let of = |user: &str| {
        CallOptions::default().with_extensions(Extensions::default().with(user.to_owned()))
    };
    let (anna, ben) = (of("anna"), of("ben"));
    let by_name = |cx: &ToolContext| cx.extension::<String>().cloned().unwrap_or_default();
    for (cache, expected) in [
        (ResultCache::new(), ["1", "2", "1", "3"]),
        (ResultCache::new().scoped(by_name), ["1", "2", "1", "1"]),
    ] {
        let registry = cached(cache);
        let mut answers = Vec::new();
        for options in [&anna, &ben, &anna, &of("anna")] {
            let call = ToolCall::new("read", "{}");
            answers.push(registry.execute_call(&call, options).await.to_string());
        }

        assert_eq!(answers, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn replaced_and_excepted_tools_run_again() {
    let registry = cached(ResultCache::new().except("look"));
    for name in ["read", "look"] {
        assert_eq!(call(&registry, name, "{}").await, "1");
    }

    let other = DynamicTool::new(definition("read", RiskLevel::ReadOnly), |_, _| async {
        Ok("another".into())
    });
    registry.replace(other).unwrap();

    assert_eq!(call(&registry, "read", "{}").await, "another");
    assert_eq!(call(&registry, "look", "{}").await, "2");
}
