//! Steps 8 and 9: the run and its output.

use std::sync::Mutex;

use async_trait::async_trait;

use super::*;
use crate::middleware::{Call, Middleware, Next};
use crate::{
    Arguments, CallOptions, CallPlan, CancellationToken, ContentBlock, OutputLimit, PreparedCall,
    SideEffects, Tool, ToolCall, ToolContext, ToolError,
};

#[tokio::test]
async fn endless_tool_times_out_once() {
    let registry = registry_of(
        definition("f", RiskLevel::Dangerous),
        |_, arguments| async move {
            if arguments["hang"] == true {
                forever().await
            } else {
                Ok("fine".into())
            }
        },
    );
    let call = ToolCall::new("f", json!({"hang": true}));

    let hung = registry
        .execute_call(
            &call,
            &CallOptions::default().with_timeout(Duration::from_millis(30)),
        )
        .await;
    let next = registry.execute("f", json!({})).await;

    assert_eq!(code(&hung), &ErrorCode::Timeout);
    assert!(hung.error.as_ref().unwrap().retryable);
    assert_eq!(hung.metadata.side_effects, SideEffects::Possible);
    assert_eq!(next.to_string(), "fine");
}

#[tokio::test]
async fn every_panic_becomes_one_result() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |_, arguments| {
        assert!(arguments["when"] != "at once", "the token is abc");
        async move {
            tokio::task::yield_now().await;
            assert!(arguments["when"] != "later", "the token is abc");
            Ok("fine".into())
        }
    });

    for when in ["at once", "later"] {
        let result = registry.execute("f", json!({"when": when})).await;

        assert_eq!(code(&result), &ErrorCode::Panic, "{when}");
        assert!(
            !serde_json::to_string(&result).unwrap().contains("abc"),
            "{when}"
        );
    }
    assert_eq!(registry.execute("f", json!({})).await.to_string(), "fine");
}

#[tokio::test]
async fn cancelled_call_returns_error() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |_, _| forever());
    let handle = registry.spawn(
        ToolCall::new("f", "{}").with_id("1"),
        CallOptions::default(),
    );
    tokio::task::yield_now().await;

    handle.cancel();

    let result = soon(handle).await;
    assert_eq!(
        (code(&result), result.id.as_str()),
        (&ErrorCode::Cancelled, "1")
    );
}

#[tokio::test]
async fn call_cancelled_in_queue_does_not_run() {
    let (tool, runs) = echo("f", json!({}));
    let token = CancellationToken::new();
    token.cancel();
    let options = CallOptions::default().with_cancellation(token);

    let result = Registry::of(tool)
        .unwrap()
        .execute_call(&ToolCall::new("f", "{}"), &options)
        .await;

    assert_eq!(code(&result), &ErrorCode::Cancelled);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn call_timeout_overrides_tool_and_registry() {
    let slow = |timeout: Option<u64>| {
        let definition = definition("f", RiskLevel::ReadOnly);
        let definition = match timeout {
            Some(ms) => definition.with_timeout(Duration::from_millis(ms)),
            None => definition,
        };
        let tool = DynamicTool::new(definition, |cx, _| async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(ToolOutput::json(json!(cx.deadline().is_some())))
        });
        Registry::builder()
            .timeout(Duration::from_millis(10))
            .tool(tool)
            .unwrap()
            .build()
    };
    let call = ToolCall::new("f", "{}");
    let long = CallOptions::default().with_timeout(Duration::from_mins(1));

    assert!(
        !slow(None)
            .execute_call(&call, &CallOptions::default())
            .await
            .success
    );
    assert!(
        slow(Some(60_000))
            .execute_call(&call, &CallOptions::default())
            .await
            .success
    );
    assert_eq!(
        slow(None).execute_call(&call, &long).await.data,
        Some(json!(true))
    );
}

/// Records its name when it is entered, and retries once.
struct Named(&'static str, Arc<Mutex<Vec<&'static str>>>);

#[async_trait]
impl Middleware for Named {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        self.1.lock().unwrap().push(self.0);
        match next.run(call).await {
            Err(error) if error.retryable() => next.run(call).await,
            outcome => outcome,
        }
    }
}

#[tokio::test]
async fn middleware_runs_outermost_first() {
    let entered = Arc::new(Mutex::new(Vec::new()));
    let runs = Arc::new(AtomicUsize::new(0));
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), move |_, _| {
        let first = runs.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            if first {
                Err(ToolError::failed("busy").with_retryable(true))
            } else {
                Ok("ran".into())
            }
        }
    });
    let registry = Registry::builder()
        .middleware(Named("outer", Arc::clone(&entered)))
        .middleware(Named("inner", Arc::clone(&entered)))
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(*entered.lock().unwrap(), ["outer", "inner"]);
    assert_eq!(
        (result.to_string().as_str(), result.metadata.attempts),
        ("ran", 2)
    );
}

#[tokio::test]
async fn huge_output_is_truncated_and_counted() {
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        cx.attach(ContentBlock::Image {
            media_type: "image/png".into(),
            data: "x".repeat(400),
        });
        Ok(ToolOutput::text("a line\n".repeat(100_000)))
    });
    let registry = Registry::builder()
        .output_limit(OutputLimit::bytes(100))
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({})).await;

    assert!(result.text().len() < 250, "{}", result.text().len());
    assert!(
        result.text().contains(" omitted of 700,000 bytes in total"),
        "{result}"
    );
    assert_eq!(result.metadata.bytes_dropped, 699_902);
    assert_eq!(result.content.len(), 2);
}

#[tokio::test]
async fn failure_keeps_output_after_error() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        cx.warn("slow disk");
        cx.note("lines", 2);
        cx.note("attempts", "not mine to say");
        Err(ToolError::failed("The disk went away").with_output(ToolOutput::text("one\ntwo")))
    });

    let result = registry.execute("f", json!({})).await;

    assert_eq!(
        result.to_string(),
        "Error: The disk went away.\none\ntwo\nWarning: slow disk"
    );
    assert_eq!(result.warnings, ["slow disk"]);
    assert_eq!(result.metadata.extra.get("lines"), Some(&json!(2)));
    assert_eq!(result.metadata.attempts, 1);
    assert!(!result.metadata.extra.contains_key("attempts"));
}

/// A tool whose preparation is slow, and finds every call dangerous.
struct SlowPreparation(ToolDefinition);

impl Tool for SlowPreparation {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        std::thread::sleep(Duration::from_millis(2));
        let plan = CallPlan::of(RiskLevel::Dangerous);
        Ok(PreparedCall::new(plan, async { Ok("ran".into()) }))
    }
}

#[tokio::test]
async fn risk_of_plan_replaces_risk_of_definition() {
    let definition = definition("f", RiskLevel::ReadOnly);
    let registry = Registry::of(Arc::new(SlowPreparation(definition))).unwrap();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
}

#[tokio::test]
async fn execution_time_excludes_preparation() {
    let definition = definition("f", RiskLevel::Dangerous);
    let registry = Registry::builder()
        .tool(SlowPreparation(definition))
        .unwrap()
        .policy(Policy::allow_all())
        .build();

    let times = registry.execute("f", json!({})).await.metadata;

    assert!(
        times.total_time >= times.execution_time + Duration::from_millis(2),
        "{times:?}"
    );
}

#[tokio::test]
async fn error_states_side_effects() {
    let nothing = || {
        ToolError::new(ErrorCode::Unavailable, "Not connected").with_side_effects(SideEffects::None)
    };
    let unknown = || ToolError::outcome_unknown("The connection was lost");
    let failed = || ToolError::failed("No");
    for (risk, error, retryable, side_effects) in [
        (
            RiskLevel::Dangerous,
            nothing as fn() -> ToolError,
            true,
            SideEffects::None,
        ),
        (RiskLevel::Dangerous, unknown, false, SideEffects::Possible),
        (RiskLevel::ReadOnly, unknown, false, SideEffects::Possible),
        (RiskLevel::Dangerous, failed, false, SideEffects::Possible),
        (RiskLevel::ReadOnly, failed, false, SideEffects::None),
    ] {
        let registry = registry_of(
            definition("f", risk),
            move |_, _| async move { Err(error()) },
        );

        let result = registry.execute("f", json!({})).await;

        assert_eq!(result.metadata.side_effects, side_effects, "{result}");
        assert_eq!(result.metadata.attempts, 1);
        assert_eq!(result.error.unwrap().retryable, retryable);
    }
}
