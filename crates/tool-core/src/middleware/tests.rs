//! Tests of middleware through the registry, on a paused clock.

mod retry;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;

use super::Middleware;
use crate::approval::Policy;
use crate::{
    DynamicTool, ErrorCode, Hints, Registry, RiskLevel, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolResult,
};

fn definition(name: &str, risk: RiskLevel) -> ToolDefinition {
    ToolDefinition::new(name, "For a test.", json!({"type": "object"})).with_risk(risk)
}

/// Creates a tool whose function receives the number of the run, counted from 1.
fn counting<F, Fut>(definition: ToolDefinition, run: F) -> DynamicTool
where
    F: Fn(u32, ToolContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    let runs = Arc::new(AtomicU32::new(0));
    DynamicTool::new(definition, move |cx, _| {
        run(runs.fetch_add(1, Ordering::SeqCst) + 1, cx)
    })
}

fn registry<const N: usize>(
    middleware: impl Middleware + 'static,
    tools: [DynamicTool; N],
) -> Registry {
    let builder = Registry::builder()
        .policy(Policy::allow_all())
        .middleware(middleware);
    tools
        .into_iter()
        .try_fold(builder, crate::RegistryBuilder::tool)
        .unwrap()
        .build()
}

fn code(result: &ToolResult) -> ErrorCode {
    let error = result.error.as_ref();
    error.expect("the call must fail").code.clone()
}

fn busy() -> ToolError {
    ToolError::new(ErrorCode::Unavailable, "The service is busy")
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
