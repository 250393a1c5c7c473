//! Server side of the protocol.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock as WireBlock,
    ErrorData, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, Resource, ResourceContents,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, RoleServer, RxJsonRpcMessage, ServiceExt,
    SubscriptionContext, TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::ServerHandler;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{interval, sleep, timeout};
use tool_core::{
    CallOptions, CancellationToken, ContentBlock, Progress, ProgressSink,
    ResourceContents as Contents, ToolCall,
};
use tracing::Instrument;

use crate::server::{McpServer, Reply, ServedTool, ServedTools};

/// Maximum size of a message of the client in bytes.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;

/// Time for running calls to finish after the end of the input.
const END_GRACE: Duration = Duration::from_secs(3);

/// Minimum interval between two progress reports of one call.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

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
    let running = host.serve(UntilEnd { lines, ended: ended.clone() }).await;
    let running = running.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
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
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
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
            list.with_ttl_ms(LIST_TTL).with_cache_scope(CacheScope::Public)
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
            Reply::Result { content, data, is_error } => {
                let mut result = CallToolResult::success(content.into_iter().filter_map(wire_block).collect());
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
        let reports = context.meta.get_progress_token().map(|token| Reports {
            latest: Arc::default(),
            token,
            peer: context.peer.clone(),
            sent: -1.0,
        });
        if let Some(reports) = &reports {
            options = options.with_progress(Arc::clone(&reports.latest) as Arc<dyn ProgressSink>);
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

/// Latest report of a call.
#[derive(Default)]
struct Latest(Mutex<Option<Progress>>);

impl ProgressSink for Latest {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
    }
}

/// Reports of a call to its client.
struct Reports {
    latest: Arc<Latest>,
    token: ProgressToken,
    peer: Peer<RoleServer>,
    /// Last sent number of steps.
    sent: f64,
}

impl Reports {
    /// Sends the latest report, unless it was sent before.
    async fn send(&mut self) {
        let latest = self.latest.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(progress) = latest else {
            return;
        };
        let done = as_float(progress.done);
        // The protocol requires increasing numbers.
        self.sent = if done > self.sent { done } else { self.sent + 1.0 };
        let mut report = ProgressNotificationParam::new(self.token.clone(), self.sent);
        if let Some(total) = progress.total.map(as_float).filter(|total| *total >= self.sent) {
            report = report.with_total(total);
        }
        if !progress.message.is_empty() {
            report = report.with_message(progress.message);
        }
        // An error means that the client is gone.
        let _ = self.peer.notify_progress(report).await;
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of steps are small")]
fn as_float(steps: u64) -> f64 {
    steps as f64
}

/// Runs `call`, and sends its progress.
async fn with_reports<F: Future>(call: F, reports: Option<Reports>) -> F::Output {
    let Some(mut reports) = reports else {
        return call.await;
    };
    let mut call = std::pin::pin!(call);
    let mut pulse = interval(PROGRESS_INTERVAL);
    loop {
        tokio::select! {
            result = &mut call => {
                reports.send().await;
                return result;
            }
            _ = pulse.tick() => reports.send().await,
        }
    }
}

/// Returns `true` if the request is of the current revision, which has times to live.
fn is_current(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

fn wire_tool(tool: &ServedTool) -> Tool {
    let hints = tool.hints;
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    let mut wire = Tool::new(tool.name.clone(), tool.description.clone(), tool.input_schema.clone())
        .with_annotations(annotations)
        .with_meta(MetaObject::from(tool.meta.clone()));
    wire.title.clone_from(&tool.title);
    wire.output_schema = tool.output_schema.clone().map(Arc::new);
    wire
}

fn wire_block(block: ContentBlock) -> Option<WireBlock> {
    Some(match block {
        ContentBlock::Text { text } => WireBlock::text(text),
        ContentBlock::Image { media_type, data } => WireBlock::image(data, media_type),
        ContentBlock::Audio { media_type, data } => WireBlock::audio(data, media_type),
        ContentBlock::ResourceLink { uri, name, media_type } => {
            let mut link = Resource::new(uri, name);
            link.mime_type = media_type;
            WireBlock::resource_link(link)
        }
        ContentBlock::Resource { uri, media_type, contents } => {
            WireBlock::resource(match contents {
                Contents::Text(text) => ResourceContents::TextResourceContents {
                    uri,
                    mime_type: media_type,
                    text,
                    meta: None,
                },
                Contents::Blob(blob) => ResourceContents::BlobResourceContents {
                    uri,
                    mime_type: media_type,
                    blob,
                    meta: None,
                },
            })
        }
        _ => return None,
    })
}
