//! Connection to a server.

use std::pin::pin;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, InputResponses, ListToolsRequest, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequest, ReadResourceRequestParams, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    ClientCacheConfig, ClientLifecycleMode, ClientServiceExt, Peer, PeerRequestOptions,
    RequestHandle, RoleClient, RunningService, ServiceError, Subscription,
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
    peer: Peer<RoleClient>,
    pub(crate) signals: Arc<Signals>,
    /// Host and port of a remote server.
    address: Option<(String, u16)>,
    /// Cancelled to close the connection.
    closing: CancellationToken,
}

/// Input that the previous attempt of a call requested.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) responses: Option<InputResponses>,
    /// State of the server, which is returned unchanged.
    pub(crate) state: Option<String>,
}

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
    /// Opens the connection. Waits without a limit for a server that does not respond. `address` is the host and the port
    /// of a remote server.
    pub(super) async fn over<T: Transport<RoleClient> + 'static>(
        self,
        transport: T,
        address: Option<(String, u16)>,
    ) -> Result<Link, Failure> {
        let handler = Handler {
            info: client_info(self.protocol, &self.input),
            input: self.input,
            signals: Arc::clone(&self.signals),
            server: self.server.to_owned(),
        };
        let running = handler
            .serve_with_lifecycle(transport, lifecycle(self.protocol))
            .await?;
        // Cached lists would be stale after an error.
        running
            .set_response_cache_config(ClientCacheConfig::disabled())
            .await;
        let link = Link {
            peer: running.peer().clone(),
            closing: CancellationToken::new(),
            signals: self.signals,
            address,
        };
        link.watch(running);
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
    /// Runs the connection until it is closed.
    fn watch(&self, running: RunningService<RoleClient, Handler>) {
        let (closing, closed) = (self.closing.clone(), self.signals.closed.clone());
        tokio::spawn(async move {
            let cancellation = running.cancellation_token();
            let mut ended = pin!(running.waiting());
            if closing.run_until_cancelled(&mut ended).await.is_none() {
                cancellation.cancel();
                // The session of a remote server is deleted first.
                let _ = ended.await;
            }
            closed.cancel();
        });
    }

    /// Records the connection in the span of a call.
    pub(crate) fn record(&self, cx: &ToolContext) {
        cx.record("mcp.method.name", "tools/call");
        cx.record("mcp.protocol.version", self.protocol_version());
        let Some((host, port)) = &self.address else {
            return cx.record("network.transport", "pipe");
        };
        cx.record("network.transport", "tcp");
        cx.record("server.address", host.clone());
        cx.record("server.port", *port);
    }

    /// Returns the negotiated revision.
    pub(crate) fn protocol_version(&self) -> String {
        let info = self.peer.peer_info();
        info.map_or_else(String::new, |info| {
            info.protocol_version.as_str().to_owned()
        })
    }

    /// Returns the instructions of the server.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.peer.peer_info()?.instructions.clone()
    }

    /// Closes the connection. Requests without a response fail.
    pub(crate) fn close(&self) {
        self.closing.cancel();
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
        let following = self.signals.following.read().await;
        let sent = self.peer.send_cancellable_request(request, options).await;
        let handle = sent.map_err(|_| not_connected())?;
        let mut waiting = Waiting {
            handle: Some(handle),
            signals: &self.signals,
        };
        if let (Some(handle), Some(cx)) = (&waiting.handle, cx) {
            self.signals.follow(&handle.progress_token, cx);
        }
        drop(following);
        waiting.response().await
    }

    /// Requests notifications about changed tools, which the current revision sends only then.
    pub(crate) async fn subscribe(&self) -> Option<ToolChanges> {
        let info = self.peer.peer_info()?;
        let changes = info.capabilities.tools.as_ref()?.list_changed?;
        if !changes || info.protocol_version.has_initialize() {
            return None;
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        self.peer.listen(filter).await.ok()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.close();
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
