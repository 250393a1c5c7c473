//! Tests of the steps through the registry. Each test fails without its step.

mod approval;
mod arguments;
#[cfg(feature = "store")]
mod audit;
mod batch;
#[cfg(feature = "store")]
mod budget;
#[cfg(feature = "store")]
mod dropped;
mod gate;
mod handle;
mod host;
mod hostile;
mod mix;
mod retained;
mod run;
mod span;
mod stop;
mod two_ways;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::approval::Policy;
use crate::{DynamicTool, ErrorCode, Registry, RiskLevel, ToolDefinition, ToolOutput, ToolResult};

/// Creates a tool that returns its arguments, and the counter of its runs.
fn echo(name: &str, schema: Value) -> (DynamicTool, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let definition = ToolDefinition::new(name, "Gives its arguments back.", schema)
        .with_risk(RiskLevel::ReadOnly);
    let tool = DynamicTool::new(definition, move |_cx, arguments| {
        counter.fetch_add(1, Ordering::SeqCst);
        async move { Ok(ToolOutput::json(arguments)) }
    });
    (tool, runs)
}

fn limit_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "default": 10},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

fn code(result: &ToolResult) -> &ErrorCode {
    &result.error.as_ref().expect("the call must fail").code
}

/// Creates a registry that allows everything, with one tool that runs `run`.
fn registry_of<F, Fut>(definition: ToolDefinition, run: F) -> Registry
where
    F: Fn(crate::ToolContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, crate::ToolError>> + Send + 'static,
{
    let tool = DynamicTool::new(definition, run);
    Registry::builder()
        .policy(Policy::allow_all())
        .tool(tool)
        .unwrap()
        .build()
}

fn definition(name: &str, risk: RiskLevel) -> ToolDefinition {
    ToolDefinition::new(name, "For a test.", json!({"type": "object"})).with_risk(risk)
}

async fn forever() -> Result<ToolOutput, crate::ToolError> {
    tokio::time::sleep(Duration::from_hours(1)).await;
    Ok(ToolOutput::text("never"))
}

/// Awaits `work`, which must finish before any timeout.
async fn soon<F: Future>(work: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(10), work)
        .await
        .expect("the work must finish before the timeout")
}
