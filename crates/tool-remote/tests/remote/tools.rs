//! Registries of workers and callers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use tool_core::approval::Policy;
use tool_core::ledger::Ledger;
use tool_core::{
    DynamicTool, Hints, Progress, Registry, RegistryBuilder, RiskLevel, SideEffects,
    ToolDefinition, ToolError, ToolOutput, ToolResult,
};
use tool_ledger::SqliteLedger;
use tool_remote::{RemoteTools, Worker};

use crate::server::Server;

/// Counter of the runs of a tool.
pub(crate) type Runs = Arc<AtomicUsize>;

pub(crate) fn count(runs: &Runs) -> usize {
    runs.load(Ordering::SeqCst)
}

/// Waits until a condition holds. Fails after a minute.
pub(crate) async fn until(what: &str, condition: impl AsyncFn() -> bool) {
    let holds = async {
        while !condition().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_mins(1), holds)
        .await
        .unwrap_or_else(|_| panic!("{what}"));
}

pub(crate) fn definition(name: &str, risk: RiskLevel) -> ToolDefinition {
    let properties = json!({
        "text": {"type": "string"},
        "milliseconds": {"type": "integer", "default": 0},
        "size": {"type": "integer", "default": 0},
    });
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    ToolDefinition::new(name, "A tool of a test.", schema)
        .with_risk(risk)
        .with_max_parallel(64)
}

/// Returns its arguments after a delay, padded to a size, and counts its runs.
pub(crate) fn echo(definition: ToolDefinition, runs: &Runs) -> DynamicTool {
    let runs = Arc::clone(runs);
    DynamicTool::new(definition, move |_cx, arguments: Value| {
        let runs = Arc::clone(&runs);
        async move {
            runs.fetch_add(1, Ordering::SeqCst);
            sleep(Duration::from_millis(
                arguments["milliseconds"].as_u64().unwrap(),
            ))
            .await;
            let size = usize::try_from(arguments["size"].as_u64().unwrap()).unwrap();
            let text = arguments["text"].as_str().unwrap_or_default();
            Ok(ToolOutput::text(text).with_data(json!({"padding": "x".repeat(size)})))
        }
    })
}

/// Fails in the way that the argument names.
pub(crate) fn fail(definition: ToolDefinition) -> DynamicTool {
    DynamicTool::new(definition, |cx, arguments: Value| async move {
        cx.warn("a warning");
        Err(match arguments["text"].as_str().unwrap_or_default() {
            "nothing" => {
                ToolError::failed("The printer is off").with_side_effects(SideEffects::None)
            }
            "parameter" => ToolError::file_not_found("text", "does not exist").suggest("Use `a`."),
            "partial" => ToolError::failed("It broke").with_output("half".into()),
            _ => panic!("a fault"),
        })
    })
}

/// Reports progress and partial output.
pub(crate) fn talk(definition: ToolDefinition) -> DynamicTool {
    DynamicTool::new(definition, |cx, _| async move {
        cx.progress(&Progress::new("printing").with_position(1, Some(2)));
        cx.partial("page 1");
        Ok("printed".into())
    })
}

/// Builds the registry of a worker: tools that only read, and tools with effects.
pub(crate) fn builder(runs: &Runs) -> RegistryBuilder {
    let idempotent = Hints {
        idempotent: true,
        ..Hints::of(RiskLevel::SafeWrite)
    };
    Registry::builder()
        .policy(Policy::allow_all())
        .ledger_lease(Duration::from_secs(1))
        .tool(echo(definition("look", RiskLevel::ReadOnly), runs))
        .unwrap()
        .tool(echo(definition("pay", RiskLevel::SafeWrite), runs))
        .unwrap()
        .tool(echo(
            definition("store", RiskLevel::SafeWrite).with_hints(idempotent),
            runs,
        ))
        .unwrap()
        .tool(fail(definition("fail_look", RiskLevel::ReadOnly)))
        .unwrap()
        .tool(fail(definition("fail_pay", RiskLevel::SafeWrite)))
        .unwrap()
        .tool(talk(definition("talk_look", RiskLevel::ReadOnly)))
        .unwrap()
        .tool(talk(definition("talk_pay", RiskLevel::SafeWrite)))
        .unwrap()
}

pub(crate) fn memory() -> Arc<dyn Ledger> {
    Arc::new(SqliteLedger::in_memory().unwrap())
}

/// Registry of a worker.
pub(crate) fn registry(runs: &Runs, ledger: &Arc<dyn Ledger>) -> Registry {
    builder(runs).ledger(Arc::clone(ledger)).build()
}

pub(crate) fn worker(server: &Server, registry: Registry) -> Worker {
    Worker::new(registry, server.options()).heartbeat(Duration::from_millis(200))
}

/// Registry of a caller that permits everything, with the tools of the workers.
pub(crate) async fn caller(server: &Server) -> (Registry, RemoteTools) {
    let registry = permissive();
    let remote = RemoteTools::connect(server.options(), &registry).await;
    (registry, remote.unwrap())
}

pub(crate) fn permissive() -> Registry {
    Registry::builder().policy(Policy::allow_all()).build()
}

pub(crate) fn code(result: &ToolResult) -> &str {
    result
        .error
        .as_ref()
        .map_or("none", |error| error.code.as_str())
}
