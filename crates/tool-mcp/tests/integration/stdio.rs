//! Client and server over standard input and output.

#![cfg(target_os = "linux")]
#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

mod calls;
mod ends;
mod faults;
mod hosts;
mod served;
mod starts;

use std::time::Duration;

use serde_json::Value;
use tool_core::approval::Policy;
use tool_core::{Registry, ToolResult};
use tool_mcp::{McpManager, McpServerConfig};

/// Returns a registry that requires no approval.
fn open_registry() -> Registry {
    let builder = Registry::builder().policy(Policy::allow_all());
    builder.parallel_calls(64).build()
}

/// Manager with one server `s`, and its registry.
struct One {
    registry: Registry,
    manager: McpManager,
}

impl One {
    async fn start(config: McpServerConfig) -> Self {
        let registry = open_registry();
        let manager = McpManager::builder()
            .server("s", config)
            .registry(&registry)
            .build();
        let report = manager.connect().await;
        assert_eq!(report[0].error, None);
        Self { registry, manager }
    }

    async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.registry
            .execute(&format!("s__{tool}"), arguments)
            .await
    }

    async fn end(self) {
        self.manager.shutdown(Duration::ZERO).await;
    }
}

fn code(result: &ToolResult) -> &str {
    result
        .error
        .as_ref()
        .map_or("", |error| error.code.as_str())
}
