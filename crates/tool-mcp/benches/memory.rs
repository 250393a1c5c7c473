//! How much memory does an idle HTTP connection need, at the client and at the server?
//!
//! cargo bench -p tool-mcp --features http-client,http-server --bench memory
//!
//! Linux only: the resident memory of both processes is read from `/proc`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod shared;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use rmcp::model::SubscriptionFilter;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tool_core::{DynamicTool, Registry, ToolDefinition};
use tool_mcp::server::HttpOptions;
use tool_mcp::{McpManager, McpServer, McpServerConfig};

use self::shared::{Bare, program};

/// Number of connections.
const CONNECTIONS: u16 = 200;

/// Time after which connections are idle.
const REST: Duration = Duration::from_secs(2);

/// Server in another process, which is killed on drop.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(kind: &str) -> Self {
        let mut command = Command::new(program());
        command.args(["http", kind]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut address = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut address).unwrap();
        let url = format!("http://{}/mcp", address.trim());
        Self { child, url }
    }

    /// Returns the resident memory in KiB.
    fn memory(&self) -> f64 {
        memory(&self.child.id().to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the resident memory of a process in KiB.
fn memory(process: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse().unwrap()
}

/// Runs a server of a kind until the process is killed.
async fn serve(kind: &str) {
    let address: SocketAddr = match kind {
        "plain" => Bare::new(1).serve_http().await,
        "announcing" => Bare::new(1).announcing().serve_http().await,
        _ => {
            let definition = ToolDefinition::new(
                "echo",
                "Returns the text.",
                serde_json::json!({"type": "object"}),
            );
            let echo = DynamicTool::new(definition, |_, _| async { Ok("".into()) });
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let server = McpServer::new(Registry::of(echo).unwrap());
            tokio::spawn(server.serve_http(listener, HttpOptions::default()));
            address
        }
    };
    println!("{address}");
    std::future::pending::<()>().await;
}

/// Returns the growth of client and server per connection of bare rmcp in KiB.
async fn bare(server: &Server, subscribes: bool) -> (f64, f64) {
    let pool = reqwest::Client::new();
    let connect = async || {
        let config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str());
        let transport = StreamableHttpClientTransport::with_client(pool.clone(), config);
        let lifecycle = ClientLifecycleMode::Discover {
            preferred_versions: vec![rmcp::model::ProtocolVersion::V_2026_07_28],
        };
        let client = ().serve_with_lifecycle(transport, lifecycle).await.unwrap();
        client.list_all_tools().await.unwrap();
        let subscription = if subscribes {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            Some(client.listen(filter).await.unwrap())
        } else {
            None
        };
        (client, subscription)
    };
    let mut clients = vec![connect().await];
    sleep(REST).await;
    let before = (memory("self"), server.memory());
    for _ in 0..CONNECTIONS {
        clients.push(connect().await);
    }
    sleep(REST).await;
    growth(before, server)
}

/// Returns the growth of client and server per connection of a manager in KiB.
async fn own(server: &Server) -> (f64, f64) {
    let manager = McpManager::builder().build();
    let config = || McpServerConfig::http(&server.url);
    manager.add("first", config()).await;
    sleep(REST).await;
    let before = (memory("self"), server.memory());
    for number in 0..CONNECTIONS {
        let report = manager.add(format!("s{number}"), config()).await;
        assert_eq!(report.error, None);
    }
    sleep(REST).await;
    let growth = growth(before, server);
    manager.shutdown(Duration::ZERO).await;
    growth
}

fn growth((client, at_server): (f64, f64), server: &Server) -> (f64, f64) {
    let count = f64::from(CONNECTIONS);
    (
        (memory("self") - client) / count,
        (server.memory() - at_server) / count,
    )
}

/// Runs a case in its own process, because freed memory stays resident.
fn measure(case: &str) {
    let status = Command::new(program()).args(["case", case]).status();
    assert!(status.unwrap().success());
}

async fn case(case: &str) {
    let (kind, is_bare) = match case {
        "rmcp" => ("plain", true),
        "rmcp with subscription" => ("announcing", true),
        "manager" => ("plain", false),
        "manager with subscription" => ("announcing", false),
        _ => ("own", false),
    };
    let server = Server::start(kind);
    let (client, at_server) = if is_bare {
        bare(&server, kind == "announcing").await
    } else {
        own(&server).await
    };
    println!("{case}: client {client:.0} KiB, server {at_server:.0} KiB per connection");
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["http", kind] => runtime.block_on(serve(kind)),
        ["case", name] => runtime.block_on(case(name)),
        _ => [
            "rmcp",
            "rmcp with subscription",
            "manager",
            "manager with subscription",
            "manager with subscription, McpServer",
        ]
        .into_iter()
        .for_each(measure),
    }
}
