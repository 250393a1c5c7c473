//! Load of a server over HTTP.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition};
use tool_mcp::McpServer;
use tool_mcp::server::HttpOptions;

/// Number of concurrent connections.
const CALLERS: usize = 32;

/// Serves a registry with the tool `echo`.
pub(crate) async fn serve_registry() -> SocketAddr {
    let schema =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let definition =
        ToolDefinition::new("echo", "Returns the text.", schema).with_risk(RiskLevel::ReadOnly);
    let echo = DynamicTool::new(definition, |_, arguments| async move {
        let text = arguments.get("text").and_then(Value::as_str);
        Ok(text.unwrap_or_default().into())
    });
    let registry = Registry::of(echo).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(McpServer::new(registry).serve_http(listener, HttpOptions::default()));
    address
}

fn request() -> Vec<u8> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "echo", "arguments": {"text": "hello"}, "_meta": meta});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Sends requests on one connection until `end`, and returns their number.
async fn call(address: SocketAddr, end: Instant) -> u32 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let request = request();
    let mut buffer = vec![0; 16 * 1024];
    let mut calls = 0;
    while Instant::now() < end {
        stream.write_all(&request).await.unwrap();
        let mut filled = 0;
        loop {
            let count = stream
                .read(buffer.get_mut(filled..).unwrap())
                .await
                .unwrap();
            assert!(count > 0, "the connection is closed");
            filled += count;
            if is_complete(buffer.get(..filled).unwrap()) {
                break;
            }
        }
        calls += 1;
    }
    calls
}

/// Returns `true` if the response is complete. Every response must be a result.
fn is_complete(response: &[u8]) -> bool {
    let text = std::str::from_utf8(response).unwrap();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (_, length) = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .unwrap();
    let is_complete = body.len() == length.parse::<usize>().unwrap();
    assert!(!is_complete || body.contains("\"hello\""), "{body}");
    is_complete
}

/// Sends requests on all connections for `round`, and returns the calls per second.
pub(crate) async fn load(address: SocketAddr, round: Duration) -> f64 {
    let started = Instant::now();
    let end = started + round;
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| tokio::spawn(call(address, end)))
        .collect();
    let mut calls = 0.0;
    for caller in callers {
        calls += f64::from(caller.await.unwrap());
    }
    calls / started.elapsed().as_secs_f64()
}
