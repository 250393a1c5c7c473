//! Server under test for the MCP conformance suite (`tests/mcp_conformance.sh`): a registry, prompts and resources with
//! the names that the suite requires.
//!
//! Prints the port to standard output, and stops at the end of standard input.

#![expect(clippy::print_stdout, reason = "the script reads the port")]

mod contents;
mod inputs;
mod tools;

use std::error::Error;

use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tool_core::approval::Policy;
use tool_core::{CancellationToken, Registry};
use tool_mcp::McpServer;
use tool_mcp::server::HttpOptions;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    let server = McpServer::new(registry.clone())
        .name("conformance-server")
        .instructions("Server for the conformance suite.")
        .prompts(contents::TestPrompts)
        .resources(contents::TestResources)
        .interactive(inputs::NAMES);
    tools::register(&registry, &server.notifier())?;
    inputs::register(&registry)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    let stop = CancellationToken::new();
    let options = HttpOptions::default().sessions(true).stop(stop.clone());
    tokio::spawn(async move {
        let mut rest = Vec::new();
        // An error ends the input, too.
        let _ = tokio::io::stdin().read_to_end(&mut rest).await;
        stop.cancel();
    });
    server.serve_http(listener, options).await?;
    Ok(())
}
