//! Step 8: stopped calls, and their errors.

use std::sync::Mutex;

use super::*;
use crate::{
    CallOptions, CancellationToken, ContentBlock, Hints, Progress, ProgressSink, SideEffects,
    ToolCall, ToolContext, ToolError,
};

const SECOND: Duration = Duration::from_secs(1);

fn idle(timeout: Duration) -> CallOptions {
    CallOptions::default().with_idle_timeout(timeout)
}

/// Creates a tool that reports once per second, `words` times, and then hangs.
fn speaker(words: usize, speak: fn(&ToolContext)) -> DynamicTool {
    DynamicTool::new(
        definition("f", RiskLevel::ReadOnly),
        move |cx, _| async move {
            for _ in 0..words {
                tokio::time::sleep(SECOND).await;
                speak(&cx);
            }
            forever().await
        },
    )
}

async fn time_of(tool: DynamicTool, options: &CallOptions) -> (ToolResult, u64) {
    let registry = Registry::of(tool).unwrap();
    let since = tokio::time::Instant::now();
    let result = registry
        .execute_call(&ToolCall::new("f", "{}"), options)
        .await;
    (result, since.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn reports_restart_idle_timeout() {
    let report = |cx: &ToolContext| cx.progress(&Progress::new("on it"));
    let piece = |cx: &ToolContext| cx.partial("a line");
    for (words, speak, seconds) in [
        (0, report as fn(&ToolContext), 2),
        (1, report, 3),
        (7, report, 9),
        (7, piece, 9),
    ] {
        let (result, ended) = time_of(speaker(words, speak), &idle(2 * SECOND)).await;

        assert_eq!(code(&result), &ErrorCode::Timeout);
        assert_eq!(
            result.error.unwrap().message,
            "The call was stopped because it was silent for 2 seconds."
        );
        assert_eq!(ended, seconds, "{words} words");
    }
}

#[tokio::test(start_paused = true)]
async fn timeout_applies_despite_reports() {
    let speak = |cx: &ToolContext| cx.progress(&Progress::new("on it"));
    let options = idle(2 * SECOND).with_timeout(5 * SECOND);

    let (result, ended) = time_of(speaker(1000, speak), &options).await;

    assert_eq!(
        result.error.unwrap().message,
        "The call timed out after 5 seconds."
    );
    assert_eq!(ended, 5);
}

#[tokio::test(start_paused = true)]
async fn call_idle_timeout_overrides_tool_and_registry() {
    let tool = |of_tool: Option<Duration>| {
        let definition = definition("f", RiskLevel::ReadOnly);
        let definition = of_tool.into_iter().fold(definition, |definition, timeout| {
            definition.with_idle_timeout(timeout)
        });
        DynamicTool::new(definition, |_, _| forever())
    };
    for (of_call, of_tool, seconds) in [
        (None, None, 9),
        (None, Some(3 * SECOND), 3),
        (Some(SECOND), Some(3 * SECOND), 1),
        (Some(Duration::MAX), Some(3 * SECOND), 60),
        (None, Some(Duration::MAX), 60),
    ] {
        let builder = Registry::builder().idle_timeout(9 * SECOND);
        let registry = builder.tool(tool(of_tool)).unwrap().build();
        let options = of_call.map_or_else(CallOptions::default, idle);
        let since = tokio::time::Instant::now();

        let result = registry
            .execute_call(&ToolCall::new("f", "{}"), &options)
            .await;

        assert_eq!(code(&result), &ErrorCode::Timeout);
        assert_eq!(
            since.elapsed().as_secs(),
            seconds,
            "{of_call:?} {of_tool:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn report_from_another_thread_is_received() {
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        let speaking = cx.clone();
        tokio::spawn(async move {
            for _ in 0..5 {
                tokio::time::sleep(SECOND).await;
                speaking.progress(&Progress::new("on it"));
            }
        });
        forever().await
    });

    let (_, ended) = time_of(tool, &idle(2 * SECOND)).await;

    assert_eq!(ended, 7);
}

/// Creates a tool that reports two text blocks and an image, and then ends as requested.
fn in_pieces(risk: RiskLevel) -> Registry {
    registry_of(definition("f", risk), |cx, arguments| async move {
        cx.partial("one");
        cx.partial(String::from("two"));
        tokio::time::sleep(SECOND).await;
        cx.partial("three");
        match arguments["end"].as_str() {
            Some("panic") => panic!("requested panic"),
            Some("fail") => Err(ToolError::failed("As asked")),
            Some("own") => {
                Err(ToolError::failed("As asked").with_output(ToolOutput::text("its own")))
            }
            Some("well") => Ok("whole".into()),
            _ => forever().await,
        }
    })
}

#[tokio::test(start_paused = true)]
async fn partial_output_follows_any_error() {
    let follows = "The output up to then follows.\none\ntwo\nthree";
    let quiet = "Nothing was changed; request less, or try again later.";
    for (end, text) in [
        (
            "hang",
            format!("Error: The call timed out after 60 seconds. {quiet} {follows}"),
        ),
        (
            "panic",
            format!(
                "Error: The tool failed with an internal error. The same call will fail again; try another \
                 way. {follows}"
            ),
        ),
        ("fail", format!("Error: As asked. {follows}")),
        ("own", "Error: As asked.\nits own".to_owned()),
        ("well", "whole".to_owned()),
    ] {
        let result = in_pieces(RiskLevel::ReadOnly)
            .execute("f", json!({"end": end}))
            .await;

        assert_eq!(result.to_string(), text, "{end}");
    }
}

#[tokio::test(start_paused = true)]
async fn cancelled_call_keeps_partial_output() {
    let token = CancellationToken::new();
    let options = CallOptions::default().with_cancellation(token.clone());
    let handle = in_pieces(RiskLevel::ReadOnly).spawn(ToolCall::new("f", "{}"), options);
    tokio::time::sleep(SECOND / 2).await;

    token.cancel();

    assert_eq!(
        handle.await.to_string(),
        "Error: The call was cancelled before it ended. The output up to then follows.\none\ntwo"
    );
}

#[tokio::test(start_paused = true)]
async fn omitted_partial_output_is_counted() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        cx.partial("first");
        cx.partial("x".repeat(300_000));
        forever().await
    });

    let result = registry.execute("f", json!({})).await;

    assert_eq!(result.metadata.bytes_dropped, 300_000);
    assert_eq!(
        result.warnings,
        ["1 more blocks (300000 bytes) of the partial output were omitted."]
    );
}

#[tokio::test(start_paused = true)]
async fn host_receives_partial_output_during_call() {
    #[derive(Default)]
    struct RecordedOutput(Mutex<Vec<(String, ContentBlock)>>);
    impl ProgressSink for RecordedOutput {
        fn progress(&self, _call_id: &str, _tool_name: &str, _progress: &Progress) {}
        fn partial(&self, call_id: &str, _tool_name: &str, piece: &ContentBlock) {
            self.0
                .lock()
                .unwrap()
                .push((call_id.to_owned(), piece.clone()));
        }
    }
    let seen = Arc::new(RecordedOutput::default());
    let options = CallOptions::default().with_progress(seen.clone());
    let call = ToolCall::new("f", "{}").with_id("1");

    let handle = in_pieces(RiskLevel::ReadOnly).spawn(call, options);
    tokio::time::sleep(SECOND / 2).await;

    assert_eq!(
        *seen.0.lock().unwrap(),
        [
            ("1".to_owned(), "one".into()),
            ("1".to_owned(), "two".into())
        ]
    );
    drop(handle);
}

#[tokio::test(start_paused = true)]
async fn stopped_call_reports_possible_effects() {
    let again = "It may already have made changes. Check before calling it again.";
    let harmless = "It may already have made changes. Calling it again does no further damage.";
    let idempotent = Hints {
        idempotent: true,
        ..Hints::of(RiskLevel::SafeWrite)
    };
    for (hints, suggestion) in [
        (
            Hints::of(RiskLevel::ReadOnly),
            "Nothing was changed; request less, or try again later.",
        ),
        (Hints::of(RiskLevel::SafeWrite), again),
        (Hints::of(RiskLevel::Dangerous), again),
        (idempotent, harmless),
    ] {
        let definition = definition("f", RiskLevel::ReadOnly).with_hints(hints);
        let registry = registry_of(definition, |_, _| forever());

        let result = registry.execute("f", json!({})).await;

        assert_eq!(
            result.error.unwrap().suggestion.as_deref(),
            Some(suggestion),
            "{hints:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn panic_with_effects_suggests_check() {
    let registry = registry_of(definition("f", RiskLevel::Dangerous), |_, _| async {
        panic!("requested panic")
    });

    let result = registry.execute("f", json!({})).await;

    assert_eq!(
        result.to_string(),
        "Error: The tool failed with an internal error. The same call will fail again. It may already have made \
         changes. Check before trying another way."
    );
    assert_eq!(result.metadata.side_effects, SideEffects::Possible);
}

#[tokio::test(start_paused = true)]
async fn call_cancelled_in_queue_has_no_effects() {
    // Calls of a dangerous tool that declares nothing run one at a time.
    let registry = registry_of(definition("f", RiskLevel::Dangerous), |_, _| forever());
    let _first = registry.spawn(ToolCall::new("f", "{}"), CallOptions::default());
    let second = registry.spawn(ToolCall::new("f", "{}"), CallOptions::default());
    tokio::time::sleep(SECOND).await;

    second.cancel();

    let result = second.await;
    assert_eq!(
        result.to_string(),
        "Error: The call was cancelled before it started, so nothing was done."
    );
    assert_eq!(result.metadata.side_effects, SideEffects::None);
}

/// Returns the token passed to a tool, and the handle of its call.
async fn token_of(options: CallOptions) -> (CancellationToken, crate::CallHandle) {
    let given = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&given);
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), move |cx, _| {
        *kept.lock().unwrap() = Some(cx.cancellation().clone());
        forever()
    });
    let handle = registry.spawn(ToolCall::new("f", "{}"), options);
    tokio::task::yield_now().await;
    let token = given.lock().unwrap().clone();
    (token.unwrap(), handle)
}

#[tokio::test(start_paused = true)]
async fn dropped_call_cancels_its_token() {
    let host = CancellationToken::new();
    let options = || CallOptions::default().with_cancellation(host.clone());
    let (timed_out, first) = token_of(options()).await;
    let (dropped, second) = token_of(options()).await;
    assert!(!timed_out.is_cancelled() && !dropped.is_cancelled());

    drop(second);
    first.await;
    tokio::task::yield_now().await;

    assert!(timed_out.is_cancelled() && dropped.is_cancelled());
    assert!(!host.is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn dropped_future_cancels_only_its_call() {
    let given = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&given);
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), move |cx, _| {
        *kept.lock().unwrap() = Some(cx.cancellation().clone());
        forever()
    });
    let options = CallOptions::default();
    let call = ToolCall::new("f", "{}");

    let outcome = tokio::time::timeout(SECOND, registry.execute_call(&call, &options)).await;

    assert!(outcome.is_err());
    assert!(given.lock().unwrap().as_ref().unwrap().is_cancelled());
    assert!(!options.cancellation.is_cancelled());
}
