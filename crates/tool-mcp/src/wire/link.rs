//! Connection to a server.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitationCapability, FormElicitationCapability, Implementation, InputResponses,
    ListToolsRequest, PaginatedRequestParams, ProtocolVersion, RequestMetaObject,
    RootsCapabilities, SamplingCapability, ServerResult, SubscriptionFilter,
    UrlElicitationCapability,
};
use rmcp::service::{
    ClientCacheConfig, ClientLifecycleMode, ClientServiceExt, PeerRequestOptions, RequestHandle,
    RoleClient, RunningService, ServiceError, Subscription,
};
use rmcp::transport::Transport;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tool_core::ToolContext;

use super::error::{OpenError, RequestError, TOO_LARGE};
#[cfg(feature = "http-client")]
use super::failure::HttpFailure;
use super::signals::{Handler, Signals};
use crate::config::Protocol;
use crate::input::HostInput;

/// Open connection. Dropping it closes the connection.
pub(crate) struct Link {
    running: RunningService<RoleClient, Handler>,
    signals: Arc<Signals>,
}

/// Metadata of an attempt of a call, and input that the previous attempt requested.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) responses: Option<InputResponses>,
    /// State of the server, which is returned unchanged.
    pub(crate) state: Option<String>,
    /// Members of `_meta`.
    pub(crate) meta: Map<String, Value>,
}

/// Id of the call that a request belongs to.
#[derive(Debug, Clone)]
pub(super) struct CallId(
    #[cfg_attr(
        not(feature = "http-client"),
        expect(dead_code, reason = "read for headers")
    )]
    pub(super) String,
);

/// Identity and capabilities of the client, as shown to servers.
fn client_info(protocol: Protocol, input: &HostInput) -> ClientConfig {
    let name = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
    let version = match protocol {
        Protocol::V2026 => ProtocolVersion::V_2026_07_28,
        Protocol::Auto | Protocol::V2025 => ProtocolVersion::LATEST_WITH_INITIALIZE,
    };
    let mut capabilities = ClientCapabilities::default();
    if input.elicit.is_some() {
        let forms = ElicitationCapability::new()
            .with_form(FormElicitationCapability::new())
            .with_url(UrlElicitationCapability::default());
        capabilities.elicitation = Some(forms);
    }
    capabilities.sampling = input.sample.as_ref().map(|_| SamplingCapability::default());
    capabilities.roots = input.roots.as_ref().map(|_| RootsCapabilities::default());
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

impl Link {
    /// Opens a connection. Waits without a limit for a server that does not respond.
    pub(super) async fn open<T: Transport<RoleClient> + 'static>(
        server: &str,
        transport: T,
        signals: Arc<Signals>,
        protocol: Protocol,
        input: HostInput,
    ) -> Result<Self, OpenError> {
        let handler = Handler {
            info: client_info(protocol, &input),
            input,
            signals: Arc::clone(&signals),
            server: server.to_owned(),
        };
        let running = handler
            .serve_with_lifecycle(transport, lifecycle(protocol))
            .await?;
        // Cached lists would be stale after an error.
        running
            .set_response_cache_config(ClientCacheConfig::disabled())
            .await;
        let link = Self { running, signals };
        let version = link.protocol_version();
        // rmcp accepts any version.
        if ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .any(|known| known.as_str() == version)
        {
            Ok(link)
        } else {
            Err(OpenError::Version(version))
        }
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

    pub(crate) fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Returns a page of the list of tools, as sent.
    pub(crate) async fn tools(&self, cursor: Option<&str>) -> Result<Value, RequestError> {
        let cursor = cursor.map(str::to_owned);
        let params =
            cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = ClientRequest::ListToolsRequest(ListToolsRequest {
            params,
            ..ListToolsRequest::default()
        });
        self.request(request, RequestMetaObject::new(), None).await
    }

    /// Calls a tool and returns its result, as sent. Dropping the future cancels the call.
    pub(crate) async fn call(
        &self,
        cx: &ToolContext,
        tool: &str,
        arguments: Map<String, Value>,
        round: Round,
    ) -> Result<Value, RequestError> {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        params.input_responses = round.responses;
        params.request_state = round.state;
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(CallId(cx.call_id().to_owned()));
        let request = ClientRequest::CallToolRequest(request);
        self.request(request, RequestMetaObject::from(round.meta), Some(cx))
            .await
    }

    async fn request(
        &self,
        request: ClientRequest,
        meta: RequestMetaObject,
        cx: Option<&ToolContext>,
    ) -> Result<Value, RequestError> {
        if self.signals.closed.is_cancelled() {
            return Err(RequestError::NotSent);
        }
        let options = PeerRequestOptions::no_options().with_meta(meta);
        let sent = self
            .running
            .send_cancellable_request(request, options)
            .await;
        let handle = sent.map_err(|_| RequestError::NotSent)?;
        let mut waiting = Waiting {
            handle: Some(handle),
            signals: &self.signals,
        };
        if let (Some(handle), Some(cx)) = (&waiting.handle, cx) {
            self.signals.follow(handle.progress_token.clone(), cx);
        }
        waiting.response().await
    }

    /// Requests notifications about changed tools, which the current revision sends only then.
    pub(crate) async fn subscribe(&self) -> Option<ToolChanges> {
        let info = self.running.peer_info()?;
        let changes = info.capabilities.tools.as_ref()?.list_changed?;
        if !changes || info.protocol_version.has_initialize() {
            return None;
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let subscription = self.running.listen(filter).await.ok()?;
        Some(ToolChanges(subscription))
    }
}

/// Subscription to changes of the tools of a server.
pub(crate) struct ToolChanges(Subscription);

impl ToolChanges {
    /// Waits for a change. Returns `None` after the end of the subscription.
    pub(crate) async fn next(&mut self) -> Option<()> {
        self.0.next().await.ok()?.map(drop)
    }
}

/// Request that is cancelled unless a response was received.
struct Waiting<'l> {
    handle: Option<RequestHandle<RoleClient>>,
    signals: &'l Signals,
}

impl Waiting<'_> {
    async fn response(&mut self) -> Result<Value, RequestError> {
        let Some(handle) = &mut self.handle else {
            return Err(RequestError::NotSent);
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

    fn failure(&self, error: ServiceError) -> RequestError {
        match error {
            ServiceError::McpError(error) if error.code.0 == TOO_LARGE => RequestError::TooLarge,
            ServiceError::McpError(error) => RequestError::Server {
                code: error.code.0,
                message: error.message.into_owned(),
            },
            #[cfg(feature = "http-client")]
            ServiceError::TransportSend(error) if HttpFailure::is_http(&*error.error) => {
                self.signals.suspect.notify_one();
                HttpFailure::of(&*error.error).into()
            }
            _ if self.signals.was_oversized.load(Ordering::Relaxed) => RequestError::TooLarge,
            _ => {
                self.signals.suspect.notify_one();
                RequestError::Lost
            }
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else {
            return;
        };
        self.signals.forget(&handle.progress_token);
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
