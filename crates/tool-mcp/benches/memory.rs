//! How much memory does an idle HTTP connection need, at the client and at the server?
//!
//! cargo bench -p tool-mcp --features http-client,http-server --bench memory -- [--quick]
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

use tokio::net::TcpListener;
use tokio::time::sleep;
use tool_core::{DynamicTool, Registry, ToolDefinition};
use tool_mcp::server::HttpOptions;
use tool_mcp::{McpManager, McpServer, McpServerConfig};

use self::shared::{is_quick, serve_bare};

/// Number of connections.
const CONNECTIONS: u16 = 200;

/// Server in another process, which is killed on drop.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(kind: &str) -> Self {
        let mut child = this_program()
            .args(["http", kind])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
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

fn this_program() -> Command {
    Command::new(env::current_exe().unwrap())
}

/// Serves until the process is killed: `rmcp` without a subscription, `own` with one.
async fn serve(kind: &str) {
    let address = match kind {
        "rmcp" => serve_bare().await,
        _ => serve_own().await,
    };
    println!("{address}");
    std::future::pending::<()>().await;
}

async fn serve_own() -> SocketAddr {
    let schema = serde_json::json!({"type": "object"});
    let definition = ToolDefinition::new("echo", "Returns the text.", schema);
    let echo = DynamicTool::new(definition, |_, _| async { Ok("".into()) });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = McpServer::new(Registry::of(echo).unwrap());
    tokio::spawn(server.serve_http(listener, HttpOptions::default()));
    address
}

/// Prints the growth of one process per connection of a manager.
async fn measure(case: &str, is_quick: bool) {
    let (connections, rest) = if is_quick {
        (5, Duration::from_millis(50))
    } else {
        (CONNECTIONS, Duration::from_secs(2))
    };
    let is_client = case == "client";
    let server = Server::start(if is_client { "rmcp" } else { "own" });
    let now = || {
        if is_client {
            memory("self")
        } else {
            server.memory()
        }
    };
    let manager = McpManager::builder().build();
    let mut servers = vec![("first".to_owned(), McpServerConfig::http(&server.url))];
    manager.reload(servers.clone()).await;
    sleep(rest).await;
    let before = now();
    for number in 0..connections {
        servers.push((format!("s{number}"), McpServerConfig::http(&server.url)));
    }
    for report in manager.reload(servers).await {
        assert_eq!(report.error, None);
    }
    // The connections become idle.
    sleep(rest).await;
    let growth = (now() - before) / f64::from(connections);
    manager.shutdown(Duration::ZERO).await;
    println!("{case}: {growth:.0} KiB per connection, at most 100");
}

/// Runs each case in its own process, because freed memory stays resident.
fn measure_all() {
    for case in ["client", "server"] {
        let mut command = this_program();
        command.args(["case", case]);
        if is_quick() {
            command.arg("--quick");
        }
        assert!(command.status().unwrap().success());
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["http", kind] => runtime.block_on(serve(kind)),
        ["case", case, ..] => runtime.block_on(measure(case, is_quick())),
        _ => measure_all(),
    }
}
