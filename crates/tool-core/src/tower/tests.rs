//! `tower` layers around calls and around runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tower::{ServiceBuilder, ServiceExt};

use super::{RegistryService, Run, RunTool, ServiceMiddleware};
use crate::approval::Policy;
use crate::middleware::{CallLimit, Middleware};
use crate::{
    CallOptions, DynamicTool, ErrorCode, Registry, RiskLevel, SideEffects, ToolCall,
    ToolDefinition, ToolError, ToolOutput, ToolResult,
};

/// Creates a tool that runs for one second. Also returns the maximum number of concurrent runs.
fn slow() -> (DynamicTool, Arc<AtomicUsize>) {
    let most = Arc::new(AtomicUsize::new(0));
    let running = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&most);
    let definition = ToolDefinition::new("slow", "For a test.", json!({"type": "object"}))
        .with_risk(RiskLevel::SafeWrite)
        .with_concurrency(crate::Concurrency::Parallel);
    let tool = DynamicTool::new(definition, move |_, arguments| {
        let (running, seen) = (Arc::clone(&running), Arc::clone(&seen));
        async move {
            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
            seen.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(ToolOutput::json(arguments))
        }
    });
    (tool, most)
}

fn registry(middleware: impl Middleware + 'static) -> (Registry, Arc<AtomicUsize>) {
    let (tool, most) = slow();
    let builder = Registry::builder()
        .policy(Policy::allow_all())
        .middleware(middleware)
        .middleware(CallLimit::new().total(3))
        .tool(tool);
    (builder.unwrap().build(), most)
}

fn code(result: &ToolResult) -> ErrorCode {
    result.error.as_ref().unwrap().code.clone()
}

#[tokio::test(start_paused = true)]
async fn stack_around_registry_returns_results() {
    let (registry, _) = registry(ServiceMiddleware::new(RunTool));
    let service = RegistryService::new(registry, CallOptions::default());
    let call = ToolCall::new("slow", r#"{"a": 1}"#).with_id("call_7");

    let in_time = ServiceBuilder::new()
        .timeout(Duration::from_secs(2))
        .service(service.clone());
    let too_late = ServiceBuilder::new()
        .timeout(Duration::from_millis(10))
        .service(service);

    let result = in_time.oneshot(call.clone()).await.unwrap();
    assert_eq!(
        (result.id.as_str(), result.data),
        ("call_7", Some(json!({"a": 1})))
    );
    assert!(too_late.oneshot(call).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn layers_share_limits_between_calls() {
    let stack = ServiceBuilder::new().concurrency_limit(2).service(RunTool);
    let (registry, most) = registry(ServiceMiddleware::new(stack));
    let calls = (0..4).map(|_| ToolCall::new("slow", "{}")).collect();

    let results = registry.execute_many(calls).await;

    assert_eq!(most.load(Ordering::SeqCst), 2);
    let succeeded = results.iter().filter(|result| result.success).count();
    assert_eq!(
        succeeded, 3,
        "the middleware inside of the stack still holds"
    );
    let attempts: Vec<u32> = results
        .iter()
        .map(|result| result.metadata.attempts)
        .collect();
    assert_eq!(attempts, [1, 1, 1, 0]);
}

#[tokio::test(start_paused = true)]
async fn layer_error_becomes_result() {
    let limit = Duration::from_millis(10);
    let plain = ServiceBuilder::new().timeout(limit).service(RunTool);
    let worded = ServiceBuilder::new()
        .map_err(move |_| ToolError::timeout(limit))
        .timeout(limit)
        .service(RunTool);
    let (plain, _) = registry(ServiceMiddleware::new(plain));
    let (worded, _) = registry(ServiceMiddleware::new(worded));

    let plain = plain.execute("slow", json!({})).await;
    let worded = worded.execute("slow", json!({})).await;

    assert_eq!(
        plain.to_string(),
        "Error: A service around the tool failed. Try again later, or continue without it."
    );
    assert_eq!(
        (code(&plain), code(&worded)),
        (ErrorCode::Unavailable, ErrorCode::Timeout)
    );
    // The tool had started, so the result states possible effects.
    assert_eq!(plain.metadata.side_effects, SideEffects::Possible);
}

#[tokio::test(start_paused = true)]
async fn timeout_around_registry_reports_started_tool() {
    let (registry, _) = registry(ServiceMiddleware::new(RunTool));
    let options = CallOptions::default().with_timeout(Duration::from_millis(10));

    let result = registry
        .execute_call(&ToolCall::new("slow", "{}"), &options)
        .await;

    assert_eq!(
        (code(&result), result.metadata.attempts),
        (ErrorCode::Timeout, 1)
    );
    assert_eq!(result.metadata.side_effects, SideEffects::Possible);
}

#[tokio::test(start_paused = true)]
async fn layer_sees_run_and_forwards_tool_error() {
    let stack = ServiceBuilder::new()
        .map_request(|run: Run| {
            run.context().note("seen", run.arguments().to_value());
            run.context().note("tool", run.tool().definition().name());
            run
        })
        .map_result(|_: Result<ToolOutput, ToolError>| Err(ToolError::failed("No").suggest("Do.")))
        .service(RunTool);
    let (registry, _) = registry(ServiceMiddleware::new(stack));

    let result = registry.execute("slow", json!({"a": 1})).await;

    assert_eq!(result.to_string(), "Error: No. Do.");
    assert_eq!(
        result.metadata.extra,
        [
            ("seen".to_owned(), json!({"a": 1})),
            ("tool".to_owned(), json!("slow"))
        ]
        .into()
    );
}
