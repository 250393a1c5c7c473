//! Connection to a server.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, InputResponses, ListToolsRequest, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequest, ReadResourceRequestParams, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    ClientCacheConfig, ClientLifecycleMode, ClientServiceExt, PeerRequestOptions, RequestHandle,
    RoleClient, RunningService, RxJsonRpcMessage, ServiceError, ServiceRole, Subscription,
    TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use tool_core::{CancellationToken, ToolContext};

use super::failure::Failure;
use super::signals::{Handler, Signals};
use crate::client::HostInput;
use crate::config::Protocol;

/// Connection that is being opened.
pub(crate) struct Opening<'s> {
    /// Name of the server.
    pub(crate) server: &'s str,
    pub(crate) protocol: Protocol,
    pub(crate) input: HostInput,
    /// Maximum size of a message in bytes.
    pub(crate) max_message: usize,
    pub(crate) signals: Arc<Signals>,
}

/// Open connection. Dropping it closes the connection.
pub(crate) struct Link {
    running: RunningService<RoleClient, Handler>,
    pub(crate) signals: Arc<Signals>,
    /// Host and port of a remote server.
    peer: Option<(String, u16)>,
}

/// Input that the previous attempt of a call requested.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) responses: Option<InputResponses>,
    /// State of the server, which is returned unchanged.
    pub(crate) state: Option<String>,
}

/// Warning about a response whose numbers may not be those of the server.
pub(crate) const ROUNDED: &str =
    "Integers of more than 64 bits may be rounded, because the server sent plain JSON over HTTP.";

/// Identity and capabilities of the client, as shown to servers.
fn client_info(protocol: Protocol, input: &HostInput) -> ClientConfig {
    let name = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
    let version = match protocol {
        Protocol::V2026 => ProtocolVersion::V_2026_07_28,
        Protocol::Auto | Protocol::V2025 => ProtocolVersion::LATEST_WITH_INITIALIZE,
    };
    let elicitation = input.elicit.as_ref();
    let capabilities = json!({
        "elicitation": elicitation.map(|_| json!({"form": {}, "url": {}})),
        "roots": input.roots.as_ref().map(|_| json!({})),
    });
    let capabilities = serde_json::from_value::<ClientCapabilities>(capabilities);
    // These are valid.
    let capabilities = capabilities.unwrap_or_default();
    ClientConfig::new(capabilities, name).with_protocol_version(version)
}

fn lifecycle(protocol: Protocol) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match protocol {
        Protocol::Auto => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
        Protocol::V2026 => ClientLifecycleMode::Discover { preferred_versions },
        Protocol::V2025 => ClientLifecycleMode::Initialize,
    }
}

impl Opening<'_> {
    /// Opens the connection. Waits without a limit for a server that does not respond. `peer` is the host and the port of
    /// a remote server.
    pub(super) async fn over<T: Transport<RoleClient> + 'static>(
        self,
        transport: T,
        peer: Option<(String, u16)>,
    ) -> Result<Link, Failure> {
        let handler = Handler {
            info: client_info(self.protocol, &self.input),
            input: self.input,
            signals: Arc::clone(&self.signals),
            server: self.server.to_owned(),
        };
        let transport = Watched {
            inner: transport,
            ended: self.signals.closed.clone(),
        };
        let running = handler
            .serve_with_lifecycle(transport, lifecycle(self.protocol))
            .await?;
        // Cached lists would be stale after an error.
        running
            .set_response_cache_config(ClientCacheConfig::disabled())
            .await;
        let link = Link {
            running,
            signals: self.signals,
            peer,
        };
        let version = link.protocol_version();
        // rmcp accepts any version.
        let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
        if known.any(|known| known.as_str() == version) {
            Ok(link)
        } else {
            Err(Failure::Version(version))
        }
    }
}

impl Link {
    /// Records the connection in the span of a call.
    pub(crate) fn record(&self, cx: &ToolContext) {
        cx.record("mcp.method.name", "tools/call");
        cx.record("mcp.protocol.version", self.protocol_version());
        let Some((host, port)) = &self.peer else {
            return cx.record("network.transport", "pipe");
        };
        cx.record("network.transport", "tcp");
        cx.record("server.address", host.clone());
        cx.record("server.port", *port);
    }

    /// Returns the negotiated revision.
    pub(crate) fn protocol_version(&self) -> String {
        let info = self.running.peer_info();
        info.map_or_else(String::new, |info| {
            info.protocol_version.as_str().to_owned()
        })
    }

    /// Returns the instructions of the server.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.running.peer_info()?.instructions.clone()
    }

    /// Closes the connection. Requests without a response fail.
    pub(crate) fn close(&self) {
        self.running.cancellation_token().cancel();
    }

    /// Returns a page of the list of tools, as sent.
    pub(crate) async fn tools(&self, cursor: Option<String>) -> Result<Value, Failure> {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ListToolsRequest::with_param(params);
        self.request(request.into(), Map::new(), None).await
    }

    /// Calls a tool with the members of `_meta`, and returns its result, as sent. Dropping the future cancels the call.
    pub(crate) async fn call(
        &self,
        cx: &ToolContext,
        tool: &str,
        arguments: Map<String, Value>,
        round: Round,
        meta: Map<String, Value>,
    ) -> Result<Value, Failure> {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        params.input_responses = round.responses;
        params.request_state = round.state;
        let request = CallToolRequest::new(params);
        self.request(request.into(), meta, Some(cx)).await
    }

    /// Returns the contents of a resource, as sent.
    pub(crate) async fn read(
        &self,
        cx: &ToolContext,
        uri: &str,
        meta: Map<String, Value>,
    ) -> Result<Value, Failure> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        self.request(request.into(), meta, Some(cx)).await
    }

    async fn request(
        &self,
        request: ClientRequest,
        meta: Map<String, Value>,
        cx: Option<&ToolContext>,
    ) -> Result<Value, Failure> {
        if self.signals.closed.is_cancelled() {
            return Err(not_connected());
        }
        // Not rmcp's own methods for lists and calls: one tool without a schema, or one unknown block, would make the
        // complete response an error.
        let options = PeerRequestOptions::no_options().with_meta(meta.into());
        let sent = self
            .running
            .send_cancellable_request(request, options)
            .await;
        let handle = sent.map_err(|_| not_connected())?;
        let mut waiting = Waiting {
            handle: Some(handle),
            signals: &self.signals,
        };
        if let (Some(handle), Some(cx)) = (&waiting.handle, cx) {
            self.signals.follow(&handle.progress_token, cx);
        }
        let response = waiting.response().await?;
        if let Some(cx) = cx
            && self.may_round(&response)
        {
            cx.warn(ROUNDED);
        }
        Ok(response)
    }

    /// Returns whether a response has numbers that may be rounded. rmcp parses a body of plain JSON itself, and its integers
    /// have 64 bits. In lines and events, we pass on wider ones as text.
    pub(crate) fn may_round(&self, response: &Value) -> bool {
        self.peer.is_some() && has_wide_number(response)
    }

    /// Requests notifications about changed tools, which the current revision sends only then.
    pub(crate) async fn subscribe(&self) -> Option<ToolChanges> {
        let info = self.running.peer_info()?;
        let changes = info.capabilities.tools.as_ref()?.list_changed?;
        if !changes || info.protocol_version.has_initialize() {
            return None;
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        self.running.listen(filter).await.ok()
    }
}

fn has_wide_number(value: &Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            // From -2^63 to 2^64.
            let range = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;
            number
                .as_f64()
                .is_some_and(|number| !range.contains(&number))
        }
        Value::Array(items) => items.iter().any(has_wide_number),
        Value::Object(members) => members.values().any(has_wide_number),
        _ => false,
    }
}

fn not_connected() -> Failure {
    Failure::Unreachable("the connection is closed".to_owned())
}

/// Subscription to changes of the tools of a server.
pub(crate) type ToolChanges = Subscription;

/// Request that is cancelled unless a response was received.
struct Waiting<'l> {
    handle: Option<RequestHandle<RoleClient>>,
    signals: &'l Signals,
}

impl Waiting<'_> {
    async fn response(&mut self) -> Result<Value, Failure> {
        let Some(handle) = &mut self.handle else {
            return Err(not_connected());
        };
        let received = (&mut handle.rx).await;
        self.signals.forget(&handle.progress_token);
        self.handle = None;
        match received {
            Ok(Ok(result)) => Ok(as_sent(result)),
            Ok(Err(error)) => Err(self.failure(error)),
            Err(_) => Err(self.failure(ServiceError::TransportClosed)),
        }
    }

    fn failure(&self, error: ServiceError) -> Failure {
        if let ServiceError::McpError(error) = error {
            return error.into();
        }
        // The connection may be dead without a sign. The task of the server lists the tools to find out.
        self.signals.suspect.notify_one();
        match error {
            ServiceError::TransportSend(error) => Failure::of_transport(&*error.error),
            _ => Failure::Lost,
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else {
            return;
        };
        self.signals.forget(&handle.progress_token);
        // Dropping the handle sends nothing, so the server would go on. Without a runtime, nobody can send anything any
        // more.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(handle.cancel(Some("cancelled by the caller".to_owned())));
        }
    }
}

/// Returns a result as sent. Results of known types differ from it only in unknown members.
fn as_sent(result: ServerResult) -> Value {
    match result {
        ServerResult::CustomResult(result) => result.0,
        // Serialization of these types cannot fail.
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

/// Transport that says when it has ended: at the end of its input, or when it was closed and its session deleted.
pub(super) struct Watched<T> {
    pub(super) inner: T,
    pub(super) ended: CancellationToken,
}

impl<R: ServiceRole, T: Transport<R>> Transport<R> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<R>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<R>> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.ended.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

impl<T> Drop for Watched<T> {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}
