//! How many calls per second does a proxied tool accept, compared with a client of bare rmcp and the same server?
//!
//! cargo bench -p tool-mcp --features http-client,http-server --bench calls

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod shared;

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ServiceExt, transport};
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::process::{Child, Command};
use tool_core::Registry;
use tool_core::approval::Policy;
use tool_mcp::config::Protocol;
use tool_mcp::{McpManager, McpServerConfig};

use self::shared::{Bare, good, is_server, median, program};

/// Number of rounds, in which the clients alternate.
const ROUNDS: usize = 7;

/// Duration of one client in a round.
const ROUND: Duration = Duration::from_millis(800);

/// Client of one of the kinds.
#[derive(Clone)]
enum Client {
    Bare(Arc<RunningService<RoleClient, ()>>),
    Proxy(Registry),
}

impl Client {
    async fn call(&self) {
        let arguments = json!({"text": "hello"});
        let text = match self {
            Self::Bare(client) => {
                let Value::Object(arguments) = arguments else {
                    return;
                };
                let call = CallToolRequestParams::new("echo").with_arguments(arguments);
                let result = client.call_tool(call).await.unwrap();
                let block = result.content.first().unwrap();
                block.as_text().unwrap().text.clone()
            }
            Self::Proxy(registry) => {
                let result = registry.execute("s__echo", arguments).await;
                result.text()
            }
        };
        assert_eq!(text, "hello");
    }

    /// Returns the calls per second of all callers, and the median duration of a call in microseconds.
    #[expect(clippy::cast_precision_loss, reason = "numbers of calls are small")]
    async fn measure(&self, callers: usize) -> (f64, f64) {
        let started = Instant::now();
        let running: Vec<_> = (0..callers)
            .map(|_| {
                let client = self.clone();
                tokio::spawn(async move {
                    let mut times = Vec::new();
                    while started.elapsed() < ROUND {
                        let called = Instant::now();
                        client.call().await;
                        times.push(called.elapsed().as_secs_f64() * 1e6);
                    }
                    times
                })
            })
            .collect();
        let mut times = Vec::new();
        for caller in running {
            times.extend(caller.await.unwrap());
        }
        let rate = times.len() as f64 / started.elapsed().as_secs_f64();
        (rate, median(&mut times))
    }
}

/// Starts the server and a client of bare rmcp.
async fn bare() -> (Client, Child) {
    let mut command = Command::new(program());
    command
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let (output, input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let transport = transport::async_rw::AsyncRwTransport::new_client(output, input);
    let client = ().serve(transport).await.unwrap();
    (Client::Bare(Arc::new(client)), child)
}

async fn bare_http(url: &str) -> Client {
    let transport = StreamableHttpClientTransport::from_uri(url);
    Client::Bare(Arc::new(().serve(transport).await.unwrap()))
}

/// Serves in this process, and returns the stream to the server.
fn in_memory() -> DuplexStream {
    let (near, far) = tokio::io::duplex(64 * 1024);
    tokio::spawn(Bare::new(1).serve_stream(far));
    near
}

async fn bare_in_memory() -> Client {
    let client = ().serve(tokio::io::split(in_memory())).await.unwrap();
    Client::Bare(Arc::new(client))
}

/// Starts a manager with one server, in this process if it has no configuration.
async fn proxy(config: Option<McpServerConfig>) -> (Client, McpManager) {
    let stream = config.is_none().then(in_memory);
    let mut config = config.unwrap_or_default().with_protocol(Protocol::V2025);
    config.max_parallel = 64;
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    let builder = McpManager::builder().registry(&registry);
    let builder = match stream {
        Some(stream) => builder.connection("s", config, stream),
        None => builder.server("s", config),
    };
    let manager = builder.build();
    let report = manager.connect().await;
    assert_eq!(report.servers.first().unwrap().error, None);
    (Client::Proxy(registry), manager)
}

async fn compare(transport: &str, bare: &Client, proxy: &Client) {
    for callers in [1, 32] {
        let mut figures: [Vec<f64>; 4] = Default::default();
        for _ in 0..ROUNDS {
            let (bare_rate, bare_time) = bare.measure(callers).await;
            let (rate, time) = proxy.measure(callers).await;
            for (figures, figure) in figures.iter_mut().zip([bare_rate, rate, bare_time, time]) {
                figures.push(figure);
            }
        }
        let [bare_rate, rate, bare_time, time] = figures.map(|mut figures| median(&mut figures));
        println!(
            "{transport}, {callers} callers: rmcp {bare_rate:.0} calls/s, {bare_time:.1} µs; \
             registry {rate:.0} calls/s, {time:.1} µs; ratio {:.2}, {:+.1} µs",
            rate / bare_rate,
            time - bare_time
        );
    }
}

fn main() {
    if is_server() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let bare_client = bare_in_memory().await;
        let (proxied, manager) = proxy(None).await;
        compare("in memory", &bare_client, &proxied).await;
        manager.shutdown(Duration::from_secs(1)).await;

        let (bare, _child) = bare().await;
        let (proxied, manager) = proxy(Some(good())).await;
        compare("stdio", &bare, &proxied).await;
        manager.shutdown(Duration::from_secs(1)).await;

        let url = format!("http://{}/mcp", Bare::new(1).serve_http().await);
        let bare = bare_http(&url).await;
        let (proxied, manager) = proxy(Some(McpServerConfig::http(url))).await;
        compare("HTTP", &bare, &proxied).await;
        manager.shutdown(Duration::from_secs(1)).await;
    });
}
