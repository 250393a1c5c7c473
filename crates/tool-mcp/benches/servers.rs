//! How long do starts with broken servers, long lists, and the end of servers that ignore everything take?
//!
//! cargo bench -p tool-mcp --features http-client,http-server --bench servers

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod shared;

use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::transport::StreamableHttpClientTransport;
use tool_core::Registry;
use tool_mcp::client::ServerState;
use tool_mcp::config::Protocol;
use tool_mcp::{McpManager, McpServerConfig};

use self::shared::{Bare, good, is_server, median, program};

/// Number of repetitions.
const ROUNDS: usize = 9;

/// Number of tools of a long list.
const TOOLS: usize = 500;

/// Start limit of a mute server.
const LIMIT: Duration = Duration::from_secs(1);

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn script(script: &str) -> McpServerConfig {
    McpServerConfig::stdio("sh", ["-c", script]).with_startup_timeout(LIMIT)
}

/// Returns nine servers that cannot be used.
fn broken() -> Vec<(String, McpServerConfig)> {
    let refused = McpServerConfig::http("http://127.0.0.1:9/mcp");
    let missing = McpServerConfig::stdio("no-such-program", ["x"]);
    let scripts = [
        "exit 0",
        "exit 3",
        "sleep 600",
        "exec >&-; sleep 600",
        "yes noise",
        "while read -r line; do echo '{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}'; done",
        "while read -r line; do echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":1,\"message\":\"no\"}}'; done",
    ];
    let servers = scripts.map(script).into_iter().chain([refused, missing]);
    servers
        .enumerate()
        .map(|(number, config)| (format!("broken{number}"), config))
        .collect()
}

/// Starts four good servers and nine broken ones.
async fn starts() {
    let (mut ready, mut settled) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let registry = Registry::new();
        let servers = broken()
            .into_iter()
            .chain((0..4).map(|number| (format!("good{number}"), good())));
        let manager = McpManager::builder()
            .servers(servers)
            .registry(&registry)
            .build();
        let started = Instant::now();
        let report = manager.connect().await;
        settled.push(milliseconds(started.elapsed()));
        let good = report
            .servers
            .iter()
            .filter(|server| server.state == ServerState::Ready);
        let times: Vec<Duration> = good.filter_map(|server| server.start_time).collect();
        assert_eq!((times.len(), registry.list().len()), (4, 4));
        ready.push(milliseconds(times.into_iter().max().unwrap()));
        manager.shutdown(Duration::ZERO).await;
    }
    println!(
        "13 servers, 9 of them broken: 4 ready after {:.1} ms, all settled after {:.0} ms with a limit of {:.0} ms",
        median(&mut ready),
        median(&mut settled),
        milliseconds(LIMIT)
    );
}

/// Lists many tools with bare rmcp and with a manager.
async fn lists() {
    let url = format!("http://{}/mcp", Bare::new(TOOLS).serve_http().await);
    let (mut bare, mut own, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let client = ().serve(StreamableHttpClientTransport::from_uri(url.as_str()));
        let client = client.await.unwrap();
        assert_eq!(client.list_all_tools().await.unwrap().len(), TOOLS);
        bare.push(milliseconds(started.elapsed()));

        let registry = Registry::new();
        let config = McpServerConfig::http(&url).with_protocol(Protocol::V2025);
        let manager = McpManager::builder()
            .server("s", config)
            .registry(&registry)
            .build();
        let started = Instant::now();
        manager.connect().await;
        own.push(milliseconds(started.elapsed()));
        assert_eq!(registry.list().len(), TOOLS);
        let started = Instant::now();
        let report = manager.reconnect("s").await;
        again.push(milliseconds(started.elapsed()));
        assert!(report.is_some_and(|report| report.state == ServerState::Ready));
        assert_eq!(registry.list().len(), TOOLS);
        manager.shutdown(Duration::ZERO).await;
    }
    println!(
        "{TOOLS} tools: rmcp connects and lists in {:.1} ms; the manager connects, lists, checks, pins and registers \
         in {:.1} ms, and again with an unchanged list in {:.1} ms",
        median(&mut bare),
        median(&mut own),
        median(&mut again)
    );
}

/// Stops 20 servers that ignore the end of their input and signals.
async fn shutdown() {
    let stubborn = format!("trap '' TERM HUP INT; '{}' serve; sleep 600", program());
    let mut times = Vec::new();
    for _ in 0..3 {
        let servers = (0..20).map(|number| {
            let config = script(&stubborn.replace('$', "$$"));
            (
                format!("s{number}"),
                config.with_startup_timeout(Duration::from_secs(30)),
            )
        });
        let manager = McpManager::builder().servers(servers).build();
        let report = manager.connect().await;
        let processes: Vec<u32> = report
            .servers
            .iter()
            .filter_map(|server| server.process_id)
            .collect();
        assert_eq!(processes.len(), 20);
        let started = Instant::now();
        manager.shutdown(Duration::ZERO).await;
        times.push(started.elapsed().as_secs_f64());
        #[cfg(target_os = "linux")]
        for process in processes {
            assert!(!std::path::Path::new(&format!("/proc/{process}")).exists());
        }
    }
    println!(
        "shutdown of 20 servers that ignore everything: {:.2} s",
        median(&mut times)
    );
}

fn main() {
    if is_server() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        lists().await;
        starts().await;
        shutdown().await;
    });
}
