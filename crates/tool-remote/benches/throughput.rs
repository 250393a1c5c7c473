//! How many calls per second does one worker run for 32 callers, compared with MCP over HTTP and with the ledger alone?
//!
//! `NATS_SERVER=nats-server cargo bench -p tool-remote --bench throughput`

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tool_core::approval::Policy;
use tool_core::ledger::{CallKey, Claim, Intent, Ledger, Settled};
use tool_core::{
    Concurrency, DynamicTool, Registry, RiskLevel, ToolDefinition, ToolOutput, ToolResult,
};
use tool_ledger::SqliteLedger;
use tool_mcp::server::HttpOptions;
use tool_mcp::{McpConfig, McpManager, McpServer};
use tool_remote::{NatsOptions, RemoteTools, Worker};

/// Number of concurrent callers.
const CALLERS: usize = 32;
/// Number of rounds, in which the ways alternate.
const ROUNDS: usize = 7;
/// Duration of one way in a round.
const ROUND: Duration = Duration::from_secs(1);

/// A NATS server on loopback.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() {
    let Some(program) = std::env::var_os("NATS_SERVER") else {
        println!("set NATS_SERVER to nats-server 2.11 or later");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let server = Command::new(program)
        .args(["--addr", "127.0.0.1", "--port", "-1", "--jetstream"])
        .arg("--store_dir")
        .arg(directory.path().join("store"))
        .arg("--ports_file_dir")
        .arg(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _server = Server(server.unwrap());
    let url = url(directory.path());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(compare(&url, directory.path()));
}

/// Reads the URL from the file that the server writes.
fn url(directory: &Path) -> String {
    loop {
        let mut files = std::fs::read_dir(directory).unwrap();
        let ports = files.find_map(|file| {
            let path = file.unwrap().path();
            path.extension()
                .is_some_and(|end| end == "ports")
                .then_some(path)
        });
        let text = ports.and_then(|path| std::fs::read_to_string(path).ok());
        let ports: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        if let Some(url) = ports.as_ref().and_then(|ports| ports["nats"][0].as_str()) {
            return url.to_owned();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn echo(name: &str, risk: RiskLevel) -> DynamicTool {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let definition = ToolDefinition::new(name, "Returns its text.", schema)
        .with_risk(risk)
        .with_concurrency(Concurrency::Parallel);
    DynamicTool::new(definition, |_, arguments: Value| async move {
        Ok(ToolOutput::text(
            arguments["text"].as_str().unwrap_or_default(),
        ))
    })
}

fn registry() -> tool_core::RegistryBuilder {
    Registry::builder()
        .policy(Policy::allow_all())
        .parallel_calls(CALLERS)
}

async fn compare(url: &str, directory: &Path) {
    let ledger = SqliteLedger::open(directory.join("worker.db"))
        .await
        .unwrap();
    let tools = registry()
        .tool(echo("look", RiskLevel::ReadOnly))
        .unwrap()
        .tool(echo("pay", RiskLevel::SafeWrite))
        .unwrap();
    let offered = tools.ledger(Arc::new(ledger)).build();
    let options = NatsOptions::new(url);
    let _worker = Worker::new(offered.clone(), options.clone())
        .start()
        .await
        .unwrap();
    let remote_tools = registry().build();
    let _remote = RemoteTools::connect(options, &remote_tools).await.unwrap();
    let (mcp_tools, _manager) = over_http(offered.clone()).await;
    let alone = SqliteLedger::open(directory.join("alone.db"))
        .await
        .unwrap();
    let alone: Arc<dyn Ledger> = Arc::new(alone);

    let settled = Settled::of(offered_result(&offered).await);
    let mut rows = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        rows[0].push(calls_per_second(|| call(&remote_tools, "look")).await);
        rows[1].push(calls_per_second(|| call(&mcp_tools, "s__look")).await);
        rows[2].push(calls_per_second(|| call(&remote_tools, "pay")).await);
        rows[3].push(calls_per_second(|| settle(&alone, &settled)).await);
    }
    let [look, http, pay, alone] = rows.map(median);
    println!(
        "read-only calls through one worker: {look:.0}/s, over HTTP (MCP): {http:.0}/s, ratio {:.2}",
        look / http
    );
    println!(
        "queued calls through one worker: {pay:.0}/s, claim and settle: {alone:.0}/s, ratio {:.2}",
        pay / alone
    );
}

/// Serves a registry over HTTP, and returns a registry of its tools.
async fn over_http(offered: Registry) -> (Registry, McpManager) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(McpServer::new(offered).serve_http(listener, HttpOptions::default()));
    let url = format!("http://{address}/mcp");
    let server = json!({"url": url, "trust": "trusted", "max_parallel": CALLERS});
    let config = json!({"mcpServers": {"s": server}});
    let registry = registry().build();
    let manager = McpManager::builder()
        .servers(McpConfig::parse(&config.to_string()).unwrap())
        .registry(&registry)
        .build();
    manager.connect().await;
    (registry, manager)
}

/// Returns a result to store.
async fn offered_result(offered: &Registry) -> ToolResult {
    offered.execute("look", json!({"text": "a"})).await
}

async fn call(registry: &Registry, tool: &str) {
    let text = "a text of about a hundred bytes, as long as the text of other benchmarks of this workspace, more or less";
    let result = registry.execute(tool, json!({"text": text})).await;
    assert!(result.success, "{result}");
}

/// Claims and settles a new key.
async fn settle(ledger: &Arc<dyn Ledger>, settled: &Settled) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let key = CallKey::new("bench", number.to_string());
    let intent = Intent::new("pay", &json!({"text": "a"}), RiskLevel::SafeWrite).unwrap();
    let claim = ledger
        .claim(&key, &intent, Duration::from_secs(30))
        .await
        .unwrap();
    let Claim::New(token) = claim else {
        unreachable!("the key is new");
    };
    ledger.settle(&key, token, settled).await.unwrap();
}

/// Runs the call in all callers for one round.
async fn calls_per_second<'c, F: Future<Output = ()> + 'c>(call: impl Fn() -> F) -> f64 {
    let begun = Instant::now();
    let callers = (0..CALLERS).map(|_| async {
        let mut count = 0_u32;
        while begun.elapsed() < ROUND {
            call().await;
            count += 1;
        }
        count
    });
    let counts = futures_util::future::join_all(callers).await;
    f64::from(counts.into_iter().sum::<u32>()) / begun.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
