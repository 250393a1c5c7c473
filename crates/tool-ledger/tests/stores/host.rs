//! Hosts: registries with a ledger, and a tool with effects that counts its runs.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tool_core::approval::Policy;
use tool_core::ledger::{Ledger, Verified};
use tool_core::{
    Arguments, CallHandle, CallOptions, CallPlan, PreparedCall, Registry, RegistryBuilder,
    RiskLevel, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult,
};

/// Observations of the tool.
struct Seen {
    runs: AtomicU32,
    verified: Mutex<Vec<Value>>,
    /// Permits of calls that wait.
    permits: Semaphore,
}

struct Pay {
    definition: ToolDefinition,
    seen: Arc<Seen>,
}

#[async_trait]
impl Tool for Pay {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn verify(&self, _cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        let mut verified = self.seen.verified.lock().unwrap();
        verified.push(arguments.to_value());
        Verified::Happened("It was paid.".into())
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition().risk());
        Ok(PreparedCall::new(plan, self.execute(cx, arguments)))
    }
}

impl Pay {
    async fn execute(
        &self,
        _cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        self.seen.runs.fetch_add(1, Ordering::SeqCst);
        let arguments = arguments.to_value();
        match arguments["how"].as_str() {
            Some("waits") => self.seen.permits.acquire().await.unwrap().forget(),
            Some("loses its response") => {
                return Err(ToolError::outcome_unknown("The response was lost"));
            }
            _ => {}
        }
        Ok(ToolOutput::text(
            arguments["text"].as_str().unwrap_or("paid"),
        ))
    }
}

/// A host under test.
pub(crate) struct Host {
    pub(crate) registry: Registry,
    seen: Arc<Seen>,
}

impl Host {
    pub(crate) fn new(ledger: Arc<dyn Ledger>) -> Self {
        Self::configured(ledger, |builder| builder)
    }

    /// Creates a host with further settings.
    pub(crate) fn configured(
        ledger: Arc<dyn Ledger>,
        configure: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
    ) -> Self {
        let seen = Arc::new(Seen {
            runs: AtomicU32::new(0),
            verified: Mutex::default(),
            permits: Semaphore::new(0),
        });
        let schema = json!({"type": "object"});
        let definition = ToolDefinition::new("pay", "Pays.", schema);
        let tool = Pay {
            definition: definition
                .with_risk(RiskLevel::SafeWrite)
                .with_max_parallel(64),
            seen: Arc::clone(&seen),
        };
        let builder = Registry::builder()
            .policy(Policy::allow_all())
            .ledger(ledger);
        let registry = configure(builder).tool(tool).unwrap().build();
        Self { registry, seen }
    }

    /// Starts the call `key` in the scope `run-7`.
    pub(crate) fn start(&self, key: &str, arguments: Value) -> CallHandle {
        let options = CallOptions::default()
            .with_scope("run-7")
            .with_call_key(key);
        let call = ToolCall::new("pay", arguments);
        self.registry.spawn(call, options)
    }

    pub(crate) async fn call(&self, key: &str) -> ToolResult {
        self.start(key, json!({})).await
    }

    /// Repeats the call `key` until it succeeds.
    pub(crate) async fn until_success(&self, key: &str) -> ToolResult {
        let succeeds = async {
            loop {
                let result = self.call(key).await;
                if result.success {
                    return result;
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(Duration::from_mins(1), succeeds).await.unwrap()
    }

    /// Waits until the tool has started `runs` times.
    pub(crate) async fn until_runs(&self, runs: u32) {
        let runs = async {
            while self.runs() < runs {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_mins(1), runs).await.unwrap();
    }

    /// Lets a waiting call continue.
    pub(crate) fn permit(&self) {
        self.seen.permits.add_permits(1);
    }

    pub(crate) fn runs(&self) -> u32 {
        self.seen.runs.load(Ordering::SeqCst)
    }

    /// Returns the arguments that the tool verified.
    pub(crate) fn verified(&self) -> Vec<Value> {
        self.seen.verified.lock().unwrap().clone()
    }
}

pub(crate) fn code(result: &ToolResult) -> &str {
    let error = result.error.as_ref();
    error.map_or("none", |error| error.code.as_str())
}

/// Returns an error with its sources.
pub(crate) fn shown(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    let sources: Vec<String> = sources.map(ToString::to_string).collect();
    sources.join("; ")
}
