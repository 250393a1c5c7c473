//! Client and server in one process, connected by a stream in memory.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

mod calls;
mod ends;
mod round_trips;

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{DuplexStream, duplex};
use tokio::task::JoinHandle;
use tool_core::approval::Policy;
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolResult};
use tool_mcp::client::{ServerReport, ServerState};
use tool_mcp::config::Trust;
use tool_mcp::{McpManager, McpServer, McpServerConfig};

/// Size of the buffers between client and server, which is smaller than most messages.
const BUFFER: usize = 64;

/// Returns a registry with the tools `echo` and `waits`.
fn served() -> Registry {
    let text =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let none = json!({"type": "object", "properties": {}});
    let read = |name: &str, schema: Value| {
        ToolDefinition::new(name, format!("Test tool {name}."), schema)
            .with_risk(RiskLevel::ReadOnly)
    };
    let echo = DynamicTool::new(read("echo", text), |_, arguments| async move {
        Ok(arguments["text"].as_str().unwrap_or_default().into())
    });
    let waits = DynamicTool::new(read("waits", none), |_, _| async {
        std::future::pending().await
    });
    let registry = Registry::new();
    for tool in [echo, waits] {
        registry.register(tool).unwrap();
    }
    registry
}

/// Manager with one server `s`, its registry, and the task of the server.
struct One {
    registry: Registry,
    manager: McpManager,
    task: JoinHandle<io::Result<()>>,
}

impl One {
    async fn start(server: McpServer, config: McpServerConfig) -> Self {
        let (near, far) = duplex(BUFFER);
        let task = tokio::spawn(server.serve_stream(far));
        let (registry, manager) = manager(near, config);
        let report = manager.connect().await;
        assert!(report.iter().all(|it| it.error.is_none()));
        Self {
            registry,
            manager,
            task,
        }
    }

    async fn echo(&self, text: &str) -> ToolResult {
        let arguments = json!({"text": text});
        self.registry.execute("s__echo", arguments).await
    }

    /// Stops the manager, which ends the server.
    async fn end(self) {
        self.manager.shutdown(Duration::ZERO).await;
        self.task.await.unwrap().unwrap();
    }
}

/// Returns a manager with the server `s`, and its registry.
fn manager(stream: DuplexStream, config: McpServerConfig) -> (Registry, McpManager) {
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    let manager = McpManager::builder()
        .connection("s", config, stream)
        .registry(&registry)
        .build();
    (registry, manager)
}

fn trusted() -> McpServerConfig {
    McpServerConfig::default().with_trust(Trust::Trusted)
}

/// Waits until the server `s` has failed.
async fn failed(manager: &McpManager) -> ServerReport {
    let failed = async {
        loop {
            let report = manager.status().remove(0);
            if report.state == ServerState::Failed {
                return report;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let limit = Duration::from_secs(10);
    tokio::time::timeout(limit, failed).await.unwrap()
}

fn code(result: &ToolResult) -> &str {
    let error = result.error.as_ref();
    error.map_or("", |error| error.code.as_str())
}
