//! Server over streamable HTTP on loopback.

#![cfg(feature = "http-server")]
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

mod approvals;
mod authentication;
mod contents;
mod limits;
mod replicas;
mod requests;
mod stop;
mod tasks;
mod waiting;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tool_core::{CancellationToken, DynamicTool, Progress, Registry, RiskLevel, ToolDefinition};
use tool_mcp::McpServer;
use tool_mcp::server::{ClientIdentity, HttpOptions, ServeError};

/// Current protocol revision.
const CURRENT: &str = "2026-07-28";

/// Returns a registry with test tools. `running` counts the running calls of `waits`.
fn registry(running: &Arc<AtomicU32>) -> Registry {
    let registry = Registry::new();
    let text =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let none = json!({"type": "object", "properties": {}});
    let read = |name: &str, schema: &Value| {
        ToolDefinition::new(name, format!("Test tool {name}."), schema.clone())
            .with_risk(RiskLevel::ReadOnly)
    };
    let echo = DynamicTool::new(read("echo", &text), |_, arguments| async move {
        Ok(arguments["text"].as_str().unwrap().into())
    });
    let who = DynamicTool::new(read("who", &none), |cx, _| async move {
        let identity = cx.extension::<ClientIdentity>().unwrap();
        Ok(identity.subject.as_str().into())
    });
    let progress = DynamicTool::new(read("progress", &none), |cx, _| async move {
        for step in 1..=2 {
            cx.progress(&Progress::new("step").with_position(step, Some(2)));
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        Ok("done".into())
    });
    let running = Arc::clone(running);
    let waits = DynamicTool::new(read("waits", &none), move |_, _| {
        let running = Counted::new(&running);
        async move {
            let _running = running;
            std::future::pending().await
        }
    });
    for tool in [echo, who, progress, waits] {
        registry.register(tool).unwrap();
    }
    registry
}

/// Counter that is decremented on drop.
struct Counted(Arc<AtomicU32>);

impl Counted {
    fn new(counter: &Arc<AtomicU32>) -> Self {
        counter.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(counter))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Running server.
struct Served {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<Result<(), ServeError>>,
    client: reqwest::Client,
    running: Arc<AtomicU32>,
    registry: Registry,
}

impl Served {
    async fn start(options: HttpOptions) -> Self {
        let running = Arc::default();
        let registry = registry(&running);
        let server = McpServer::new(registry.clone())
            .name("own")
            .version("1.2.3");
        let mut this = Self::of(server, options).await;
        (this.running, this.registry) = (running, registry);
        this
    }

    async fn of(server: McpServer, options: HttpOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let options = options.stop(stop.clone());
        Self {
            address,
            stop,
            task: tokio::spawn(server.serve_http(listener, options)),
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            running: Arc::default(),
            registry: Registry::new(),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns a request without protocol headers.
    fn post(&self, body: &Value) -> RequestBuilder {
        self.client
            .post(self.url("/mcp"))
            .header("accept", "application/json, text/event-stream")
            .json(body)
    }

    /// Returns a request of the current revision.
    fn current(&self, method: &str, params: Value) -> RequestBuilder {
        let mut params = params;
        let meta = params
            .as_object_mut()
            .unwrap()
            .entry("_meta")
            .or_insert(json!({}));
        meta["io.modelcontextprotocol/protocolVersion"] = CURRENT.into();
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        let capabilities = &mut meta["io.modelcontextprotocol/clientCapabilities"];
        if capabilities.is_null() {
            *capabilities = json!({});
        }
        let name = params["name"]
            .as_str()
            .or(params["uri"].as_str())
            .or(params["taskId"].as_str())
            .map(str::to_owned);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = self
            .post(&body)
            .header("mcp-protocol-version", CURRENT)
            .header("mcp-method", method);
        match name {
            Some(name) => request.header("mcp-name", name),
            None => request,
        }
    }

    /// Returns a request of an older revision.
    fn old(&self, method: &str, params: &Value) -> RequestBuilder {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&body)
            .header("mcp-protocol-version", "2025-06-18")
    }

    /// Opens a session of a client with these capabilities, and returns its id.
    async fn open_session(&self, capabilities: Value) -> String {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client});
        let initialized = self.old("initialize", &params).send().await.unwrap();
        let session = initialized.headers()["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        drop(initialized);
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let request = self.post(&notification).header("mcp-session-id", &session);
        assert_eq!(request.send().await.unwrap().status(), 202);
        session
    }

    /// Calls a tool with the current revision, and returns the response.
    async fn call(&self, name: &str, arguments: Value) -> Value {
        let request = self.current("tools/call", json!({"name": name, "arguments": arguments}));
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Waits until `count` calls of `waits` are running.
    async fn until_running(&self, count: u32) {
        for _ in 0..500 {
            if self.running.load(Ordering::SeqCst) == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} calls are running", self.running.load(Ordering::SeqCst));
    }

    async fn end(self) {
        self.stop.cancel();
        drop(self.client);
        self.task.await.unwrap().unwrap();
    }
}

/// Returns the messages of an event stream.
async fn events(response: Response) -> Vec<Value> {
    let text = response.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok())
        .collect()
}

/// Returns the next message of an event stream.
async fn next_event(response: &mut Response) -> Value {
    loop {
        let chunk = response.chunk().await.unwrap().unwrap();
        let text = String::from_utf8(chunk.to_vec()).unwrap();
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data:"));
        if let Some(message) = data.find_map(|data| serde_json::from_str(data.trim()).ok()) {
            return message;
        }
    }
}
