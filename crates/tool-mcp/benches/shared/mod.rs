//! Servers without a registry, and figures of the benches.

#![allow(dead_code, reason = "each bench uses a part")]

pub(crate) mod load;

use std::env;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tool_mcp::McpServerConfig;

/// Server of bare rmcp, whose tools return their argument `text`.
#[derive(Clone)]
pub(crate) struct Bare {
    tools: Arc<[Tool]>,
    announces: bool,
}

impl Bare {
    /// Creates a server with the tool `echo` and further ones.
    pub(crate) fn new(tools: usize) -> Self {
        let names =
            std::iter::once("echo".to_owned()).chain((1..tools).map(|n| format!("tool{n}")));
        Self {
            tools: names.map(tool).collect(),
            announces: false,
        }
    }

    /// Declares notifications about changed tools.
    pub(crate) fn announcing(mut self) -> Self {
        self.announces = true;
        self
    }

    /// Serves over standard input and output until the end of the input.
    pub(crate) async fn serve_stdio(self) {
        let running = self.serve((tokio::io::stdin(), tokio::io::stdout()));
        running.await.unwrap().waiting().await.unwrap();
    }

    /// Serves over a stream until its end.
    pub(crate) async fn serve_stream(self, stream: DuplexStream) {
        let running = self.serve(tokio::io::split(stream)).await.unwrap();
        running.waiting().await.unwrap();
    }

    /// Serves over HTTP without sessions.
    pub(crate) async fn serve_http(self) -> SocketAddr {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true);
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(self.clone()), sessions, config);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let service = TowerToHyperService::new(service.clone());
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
        });
        address
    }
}

fn tool(name: String) -> Tool {
    let text = json!({"type": "string", "description": "Text that is returned."});
    let schema = json!({"type": "object", "properties": {"text": text}, "required": ["text"]});
    let schema: JsonObject = serde_json::from_value(schema).unwrap();
    Tool::new(name, "Returns the text.", schema)
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        ServerConfig::new(if self.announces {
            capabilities.enable_tool_list_changed().build()
        } else {
            capabilities.build()
        })
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = arguments.get("text").and_then(Value::as_str);
        let block = ContentBlock::text(text.unwrap_or_default());
        Ok(CallToolResult::success(vec![block]).into())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.announces.then(|| requested.clone())
    }
}

/// Runs the server over standard input and output if the first argument requests it.
pub(crate) fn is_server() -> bool {
    if env::args().nth(1).as_deref() != Some("serve") {
        return false;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(Bare::new(1).serve_stdio());
    true
}

/// Returns the path of this program, which is also the server.
pub(crate) fn program() -> String {
    env::current_exe().unwrap().to_str().unwrap().to_owned()
}

/// Returns the configuration of a server that works.
pub(crate) fn good() -> McpServerConfig {
    McpServerConfig::stdio(program().replace('$', "$$"), ["serve"])
}

/// Returns the median.
pub(crate) fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
