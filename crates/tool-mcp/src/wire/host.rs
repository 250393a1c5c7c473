//! Server side of the protocol.

mod convert;
mod reports;

use std::future::Future;
use std::io;
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    SubscriptionFilter,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleServer, RxJsonRpcMessage, ServiceExt,
    SubscriptionContext, TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{sleep, timeout};
use tool_core::{CallOptions, CancellationToken, ToolCall};
use tracing::Instrument;

use self::convert::{wire_block, wire_tool};
use self::reports::{Reports, with_reports};
use crate::server::{McpServer, Reply, ServedTools};

/// Maximum size of a message of the client in bytes.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;

/// Time for running calls to finish after the end of the input.
const END_GRACE: Duration = Duration::from_secs(3);

/// Time in which further changes of the registry are awaited.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Time for which clients may keep a list, in milliseconds.
const LIST_TTL: u64 = 30_000;

/// Serves one client until the end of its input.
pub(crate) async fn serve<R, W>(server: McpServer, input: R, output: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let ended = CancellationToken::new();
    let lines = AsyncRwTransport::new(input, output).with_max_line_length(MAX_MESSAGE);
    let host = Host {
        tools: ServedTools::new(server.registry.clone()),
        server,
        ended: ended.child(),
    };
    let running = host
        .serve(UntilEnd {
            lines,
            ended: ended.clone(),
        })
        .await;
    let running =
        running.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    let mut finished = std::pin::pin!(running.waiting());
    tokio::select! {
        _ = &mut finished => {}
        () = ended.cancelled() => {
            // An error means that calls are still running; they are dropped.
            let _ = timeout(END_GRACE, finished).await;
        }
    }
    Ok(())
}

/// Transport that cancels running calls at the end of the input.
struct UntilEnd<T> {
    lines: T,
    ended: CancellationToken,
}

impl<T: Transport<RoleServer, Error = io::Error>> Transport<RoleServer> for UntilEnd<T> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.lines.receive().await;
        if message.is_none() {
            self.ended.cancel();
        }
        message
    }

    fn close(&mut self) -> impl Future<Output = Result<(), io::Error>> + Send {
        self.lines.close()
    }
}

struct Host {
    server: McpServer,
    tools: ServedTools,
    /// Cancelled at the end of the input.
    ended: CancellationToken,
}

impl ServerHandler for Host {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let name = Implementation::new(self.server.name.clone(), self.server.version.clone());
        let config = ServerConfig::new(capabilities).with_server_info(name);
        match &self.server.instructions {
            Some(instructions) => config.with_instructions(instructions.clone()),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = self.tools.page(cursor.as_deref());
        let page = page.ok_or_else(|| {
            ErrorData::invalid_params("the cursor is invalid; list again without a cursor", None)
        })?;
        let tools = page.tools.get(page.first..page.end).unwrap_or_default();
        let mut list = ListToolsResult::with_all_items(tools.iter().map(wire_tool).collect());
        list.next_cursor = page.next_cursor;
        Ok(if is_current(&context) {
            list.with_ttl_ms(LIST_TTL)
                .with_cache_scope(CacheScope::Public)
        } else {
            list
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = ToolCall::new(&*request.name, arguments);
        let span = tracing::info_span!(
            "tools/call",
            otel.name = format!("tools/call {}", request.name),
            otel.kind = "server",
            mcp.method.name = "tools/call",
            jsonrpc.request.id = %context.id,
        );
        match self.run(call, context).instrument(span).await {
            Reply::UnknownTool(message) => Err(ErrorData::invalid_params(message, None)),
            Reply::Result {
                content,
                data,
                is_error,
            } => {
                let mut result =
                    CallToolResult::success(content.into_iter().filter_map(wire_block).collect());
                result.structured_content = data;
                result.is_error = Some(is_error);
                Ok(CallToolResponse::Complete(result))
            }
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let registry = self.server.registry.clone();
        let ended = self.ended.clone();
        tokio::spawn(async move {
            let peer = context.peer;
            let announce = async {
                let mut seen = registry.generation();
                loop {
                    seen = registry.changed_since(seen).await;
                    sleep(DEBOUNCE).await;
                    seen = seen.max(registry.generation());
                    if peer.notify_tool_list_changed().await.is_err() {
                        return;
                    }
                }
            };
            ended.run_until_cancelled(announce).await;
        });
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let registry = &self.server.registry;
        let announce = async {
            let mut seen = registry.generation();
            loop {
                seen = registry.changed_since(seen).await;
                sleep(DEBOUNCE).await;
                seen = seen.max(registry.generation());
                if context.sink().notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = announce => {}
            () = context.cancelled() => {}
            () = self.ended.cancelled() => {}
        }
        Ok(())
    }
}

impl Host {
    /// Runs a call until it is finished, or cancelled by the client or the end of the input.
    async fn run(&self, call: ToolCall, context: RequestContext<RoleServer>) -> Reply {
        let stop = self.ended.child();
        let mut options = CallOptions::default().with_cancellation(stop.child());
        let reports = context
            .meta
            .get_progress_token()
            .map(|token| Reports::new(token, context.peer.clone()));
        if let Some(reports) = &reports {
            options = options.with_progress(reports.sink());
        }
        let run = self.server.registry.execute_call(&call, &options);
        let mut run = std::pin::pin!(with_reports(run, reports));
        let result = tokio::select! {
            result = &mut run => result,
            () = context.ct.cancelled() => {
                stop.cancel();
                run.await
            }
        };
        Reply::of(result, self.tools.has_output_schema(&call.name))
    }
}

/// Returns `true` if the request is of the current revision, which has times to live.
fn is_current(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}
