//! Tests of the steps through the registry. Each test fails without its step.

mod approval;
mod arguments;
mod audit;
mod batch;
mod budget;
mod dropped;
mod gate;
mod handle;
mod host;
mod hostile;
mod mix;
mod prepare;
mod references;
mod retained;
mod run;
mod span;
mod stop;
mod two_ways;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::approval::Policy;
use crate::{
    Arguments, CallPlan, DynamicTool, ErrorCode, PreparedCall, Registry, RiskLevel, Tool,
    ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult,
};

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

type MakePlan = dyn Fn(&Arguments<'_>) -> Result<CallPlan, ToolError> + Send + Sync;

/// A tool whose plan is made by a closure. A run waits, and then records its arguments.
struct Planned {
    definition: ToolDefinition,
    plan: Box<MakePlan>,
    takes: Duration,
    runs: Runs,
}

type Runs = Arc<Mutex<Vec<Value>>>;

impl Planned {
    fn new(
        name: &str,
        plan: impl Fn(&Arguments<'_>) -> Result<CallPlan, ToolError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            definition: definition(name, RiskLevel::SafeWrite),
            plan: Box::new(plan),
            takes: Duration::ZERO,
            runs: Runs::default(),
        }
    }

    /// Creates a tool that writes the file in the argument `path`.
    fn edit() -> Self {
        Self::new("edit", |arguments| {
            let path = arguments.get("path").and_then(crate::JsonRef::as_str);
            Ok(CallPlan::of(RiskLevel::SafeWrite).writes(path.unwrap()))
        })
    }

    fn taking(mut self, takes: Duration) -> Self {
        self.takes = takes;
        self
    }
}

impl Tool for Planned {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        Ok(PreparedCall::new((self.plan)(arguments)?, async {
            if !self.takes.is_zero() {
                tokio::time::sleep(self.takes).await;
            }
            self.runs.lock().unwrap().push(arguments.to_value());
            Ok(ToolOutput::json(arguments.to_value()))
        }))
    }
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
