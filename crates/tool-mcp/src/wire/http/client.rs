//! HTTP client of one server.

use std::collections::HashMap;
use std::sync::Arc;
#[cfg(feature = "http-client")]
use std::sync::PoisonError;

use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};

use crate::config::is_reserved_header;
use crate::headers::{CallInfo, HeaderSource};
use crate::wire::events::{BoundedEvents, Events};
use crate::wire::link::CallId;
#[cfg(feature = "http-client")]
use crate::wire::login::Challenge;

/// HTTP client of one server, which adds the headers of the host.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) inner: reqwest::Client,
    pub(super) server: Arc<str>,
    pub(super) call_headers: Option<HeaderSource>,
    #[cfg(feature = "http-client")]
    pub(super) challenge: Option<Challenge>,
}

type Headers = HashMap<HeaderName, HeaderValue>;
type Error = StreamableHttpError<reqwest::Error>;

impl Client {
    /// Adds the headers of the host for a call, or for another request.
    fn add_headers(&self, headers: &mut Headers, message: Option<&ClientJsonRpcMessage>) {
        let Some(source) = &self.call_headers else {
            return;
        };
        let mut info = CallInfo::new(&self.server);
        if let Some(ClientJsonRpcMessage::Request(request)) = message
            && let ClientRequest::CallToolRequest(call) = &request.request
        {
            info.tool = Some(&call.params.name);
            let id = call.extensions.get::<CallId>();
            info.call_id = id.map(|id| id.0.as_str());
        }
        for (name, value) in source(&info) {
            // Values after the first of a name have no name.
            if let Some(name) = name.filter(|name| !is_reserved_header(name.as_str())) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(feature = "http-client")]
impl Client {
    /// Keeps the challenge of a rejected request for the next login.
    fn keep_challenge(&self, error: Option<&Error>) {
        let (Some(kept), Some(challenge)) =
            (&self.challenge, error.and_then(Error::auth_challenge))
        else {
            return;
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(challenge.to_owned());
    }
}

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        mut headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Error> {
        self.add_headers(&mut headers, Some(&message));
        let id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let response = self
            .inner
            .post_message_with_response_limits(
                uri,
                message,
                session_id,
                auth_header,
                headers,
                limits,
            )
            .await;
        #[cfg(feature = "http-client")]
        self.keep_challenge(response.as_ref().err());
        Ok(match (response?, id) {
            (StreamableHttpPostResponse::Sse(events, session), Some(id)) => {
                StreamableHttpPostResponse::Sse(Box::pin(BoundedEvents { events, id }), session)
            }
            (response, _) => response,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        mut headers: Headers,
    ) -> Result<(), Error> {
        self.add_headers(&mut headers, None);
        self.inner
            .delete_session(uri, session_id, auth_header, headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        mut headers: Headers,
    ) -> Result<Events, Error> {
        self.add_headers(&mut headers, None);
        self.inner
            .get_stream(uri, session_id, last_event_id, auth_header, headers)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        mut headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<Events, Error> {
        self.add_headers(&mut headers, None);
        self.inner
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                headers,
                max_sse_event_size,
            )
            .await
    }
}
