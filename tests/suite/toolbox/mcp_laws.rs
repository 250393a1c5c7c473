//! Laws of tools that are served and used over MCP.

use std::time::Duration;

use provider_adapters::Provider;
use tool_core::Dialect;
use tool_mcp::config::Trust;
use tool_mcp::{McpManager, McpServerConfig};
use tool_test::{Laws, Scratch};

use super::PROGRAM;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn served_tools_satisfy_laws_with_every_provider() {
    let scratch = Scratch::new()
        .file("a", "one\n")
        .file("src/main.rs", "fn main() {}\n");
    let program = PROGRAM.to_str().unwrap().replace('$', "$$");
    let arguments = ["serve", "--stdio", "--no-sandbox", "--approve", "all"];
    let config = McpServerConfig::stdio(program, arguments)
        .with_cwd(scratch.path())
        .with_startup_timeout(Duration::from_mins(1))
        .with_trust(Trust::Trusted);
    let manager = McpManager::new([("files".to_owned(), config)].into());
    let tools = manager.connect_all().await;
    let dialects: Vec<&dyn Dialect> = Provider::ALL
        .iter()
        .map(|provider| provider as &dyn Dialect)
        .collect();

    assert!(!tools.is_empty(), "{:?}", manager.status());
    for tool in tools {
        let laws = Laws::of(tool.clone())
            .dialects(&dialects)
            .closed()
            .run_dangerous();

        assert_eq!(laws.check().await, [], "{}", tool.definition().name());
    }
    manager.shutdown(Duration::from_secs(1)).await;
}
