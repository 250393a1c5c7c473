//! Server side of the protocol.

#![expect(deprecated, reason = "clients may still request log lines")]

mod call;
mod client;
mod contents;
#[cfg(feature = "http-server")]
mod http;
mod incoming;
mod notifications;
mod rounds;
mod tasks;
mod tools;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleServer, ServiceExt, SubscriptionContext,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tool_core::CancellationToken;
use tracing::{Instrument, Span};

#[cfg(feature = "http-server")]
pub(crate) use self::http::Endpoint;

use self::client::{identity_of, is_current};
use self::notifications::{Settings, level_of};
use self::rounds::Seals;
use self::tasks::Tasks;
use self::tools::{names_headers, wire_tool};
use super::lines::{Lines, Output};
use crate::server::LogLevel;
use crate::{McpServer, locked};

/// Request of a client, with its connection.
type Context = RequestContext<RoleServer>;

/// Response to a client, or the error of the protocol.
type Reply<T> = Result<T, ErrorData>;

/// Page of a list, which clients may request.
type Page = Option<PaginatedRequestParams>;

/// Maximum size of a message of the client in bytes.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;

/// Time for running calls to finish after the end of the input.
const END_GRACE: Duration = Duration::from_secs(3);

/// Handler of the requests of one connection or session, which offers a registry. Clones share their state.
#[derive(Clone)]
pub(crate) struct RegistryHandler(Arc<Shared>, Arc<Mutex<Settings>>);

/// Parts that all connections of a server share.
struct Shared {
    server: McpServer,
    seals: Seals,
    tasks: Tasks,
    /// Cancelled when subscriptions must end.
    stopping: CancellationToken,
    /// Cancelled when calls must end.
    ended: CancellationToken,
}

impl RegistryHandler {
    /// Creates a handler. Subscriptions end with `stopping`, and calls with `ended`.
    pub(crate) fn new(
        server: McpServer,
        stopping: &CancellationToken,
        ended: &CancellationToken,
    ) -> Self {
        let shared = Shared {
            seals: Seals::new(server.key.as_ref()),
            tasks: Tasks::default(),
            server,
            stopping: stopping.child(),
            ended: ended.child(),
        };
        Self(Arc::new(shared), Arc::default())
    }

    /// Returns the minimum level of log lines, if the client has requested any.
    fn log_level(&self, context: &Context) -> Option<LogLevel> {
        if is_current(context) {
            return context.meta.log_level().and_then(level_of);
        }
        locked(&self.1).level
    }
}

impl ServerHandler for RegistryHandler {
    fn get_info(&self) -> ServerConfig {
        let server = &self.0.server;
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            // Older clients request log lines only if the server declares them.
            .enable_logging()
            .build();
        contents::declare(server, &mut capabilities);
        if server.tasks_after.is_some() {
            tasks::declare(&mut capabilities);
        }
        let name = Implementation::new(server.name.clone(), server.version.clone());
        let config = ServerConfig::new(capabilities).with_server_info(name);
        match &server.instructions {
            Some(instructions) => config.with_instructions(instructions.clone()),
            None => config,
        }
    }

    async fn list_tools(&self, request: Page, context: Context) -> Reply<ListToolsResult> {
        let cursor = request.and_then(|request| request.cursor);
        let span = request_span("tools/list", "tools/list", &context);
        span.in_scope(|| self.tools(cursor.as_deref(), &context))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.0.server.registry.get(name)?;
        // Asked for each call, and only for the headers that the schema names.
        names_headers(tool.definition().input_schema()).then(|| wire_tool(tool.definition()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Reply<CallToolResponse> {
        let name = format!("tools/call {}", request.name);
        let span = request_span("tools/call", &name, &context);
        self.call(request, context).instrument(span).await
    }

    async fn list_prompts(&self, _: Page, context: Context) -> Reply<ListPromptsResult> {
        traced("prompts/list", &context, self.prompts(&context)).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Reply<GetPromptResponse> {
        traced("prompts/get", &context, self.prompt(request, &context)).await
    }

    async fn list_resources(&self, _: Page, context: Context) -> Reply<ListResourcesResult> {
        traced("resources/list", &context, self.resources(&context)).await
    }

    async fn list_resource_templates(
        &self,
        _: Page,
        context: Context,
    ) -> Reply<ListResourceTemplatesResult> {
        traced(
            "resources/templates/list",
            &context,
            self.templates(&context),
        )
        .await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Reply<ReadResourceResponse> {
        traced("resources/read", &context, self.resource(request, &context)).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Reply<CompleteResult> {
        traced("completion/complete", &context, self.completion(request)).await
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: Context) -> Reply<()> {
        locked(&self.1).level = level_of(request.level);
        Ok(())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: Context) -> Reply<()> {
        locked(&self.1).subscribe(request.uri)
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: Context) -> Reply<()> {
        locked(&self.1).subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Reply<GetTaskResult> {
        let task = self.task(&request.task_id, &identity_of(&context)).await?;
        Ok(GetTaskResult::new(task))
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Reply<()> {
        self.cancel(&request.task_id, &identity_of(&context)).await
    }

    async fn on_custom_request(&self, request: CustomRequest, _: Context) -> Reply<CustomResult> {
        Err(incoming::unknown(request))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.announce_to_session(context.peer);
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Reply<()> {
        self.announce_to_subscription(&context).await;
        Ok(())
    }
}

/// Runs a request in its span.
async fn traced<F: Future>(method: &'static str, context: &Context, request: F) -> F::Output {
    request
        .instrument(request_span(method, method, context))
        .await
}

/// Creates the span of a request.
fn request_span(method: &'static str, name: &str, context: &Context) -> Span {
    let version = context.protocol_version();
    tracing::info_span!(
        "request",
        otel.name = name,
        otel.kind = "server",
        mcp.method.name = method,
        mcp.protocol.version = version.as_ref().map(ProtocolVersion::as_str),
        jsonrpc.request.id = %context.id,
    )
}

/// Serves one client until the end of its input.
pub(crate) async fn serve<R, W>(server: McpServer, input: R, output: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let ended = CancellationToken::new();
    let input = Output::Stream(Box::new(input));
    let lines = Lines::start(input, output, MAX_MESSAGE, ended.clone(), incoming::decode);
    let handler = RegistryHandler::new(server, &ended, &ended);
    let running = handler.serve(lines).await;
    let running =
        running.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    // The end of the input cancels the running calls. Give them time to return their results.
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
