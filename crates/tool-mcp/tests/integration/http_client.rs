//! Client of remote servers over streamable HTTP.

#![cfg(feature = "http-client")]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

mod calls;
mod changes;
mod exchange;
mod faults;
mod logins;
mod reviews;
mod rounds;
mod starts;

use std::time::Duration;

use serde_json::Value;
use tool_core::approval::Policy;
use tool_core::{Registry, ToolResult};
use tool_mcp::client::ServerState;
use tool_mcp::{McpManager, McpServerConfig};

use self::faults::Faults;

/// Manager with one server `s`, its registry and the server.
struct One {
    registry: Registry,
    manager: McpManager,
    server: Faults,
}

impl One {
    async fn start(mode: &str) -> Self {
        Self::start_with(mode, |config| config).await
    }

    async fn start_with(
        mode: &str,
        change: impl FnOnce(McpServerConfig) -> McpServerConfig,
    ) -> Self {
        let server = Faults::start(mode).await;
        let registry = Registry::builder().policy(Policy::allow_all()).build();
        let manager = McpManager::builder()
            .server("s", change(server.config()))
            .registry(&registry)
            .build();
        let report = manager.connect().await;
        assert_eq!(report[0].error, None, "{mode}");
        Self {
            registry,
            manager,
            server,
        }
    }

    /// Stops the server. Another one runs at a port that the manager does not know.
    async fn stop_server(&mut self) {
        let other = Faults::start("modern").await;
        std::mem::replace(&mut self.server, other).stop().await;
    }

    async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.registry
            .execute(&format!("s__{tool}"), arguments)
            .await
    }

    /// Waits until the server has a state.
    async fn reaches(&self, state: ServerState) {
        let reached = async {
            while self.manager.status()[0].state != state {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), reached)
            .await
            .unwrap();
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
