//! One exchange: the request and its complete response.

use provider_adapters::{DecodeError, Decoded, decode_bytes};
use reqwest::header::ACCEPT;
use reqwest::{Response, StatusCode};
use tokio::time::timeout;

use super::request::Draft;
use super::{HttpModel, failure, stream};
use crate::{ModelError, ModelReply, ModelRequest};

pub(super) async fn exchange(
    model: &HttpModel,
    draft: &Draft,
    request: &ModelRequest<'_>,
) -> Result<ModelReply, ModelError> {
    let response = send(model, draft).await?;
    if !response.status().is_success() {
        return refused(model, draft, response).await;
    }
    if model.streams() {
        return stream::read(model, draft, request, response).await;
    }
    complete(model, draft, response, Vec::new()).await
}

async fn send(model: &HttpModel, draft: &Draft) -> Result<Response, ModelError> {
    let streams = model.streams();
    let mut request = model
        .client
        .post(model.address.url(streams))
        .headers(model.headers.clone())
        .json(&draft.body);
    if streams {
        request = request.header(
            ACCEPT,
            "text/event-stream, application/x-ndjson, application/json",
        );
    }
    let sent = async {
        let response = request.send().await;
        response.map_err(|error| failed(model, &error))
    };
    // A complete response arrives only after the model has finished.
    if !streams {
        return sent.await;
    }
    let after = model.idle_timeout;
    let response = tokio::time::timeout(after, sent).await;
    response.map_err(|_| ModelError::Stalled { after })?
}

/// Returns the error for a status, or the reply if the provider rejected a call written by the
/// model.
async fn refused(
    model: &HttpModel,
    draft: &Draft,
    response: Response,
) -> Result<ModelReply, ModelError> {
    let endpoint = model.dialect.provider().endpoint();
    let (status, headers) = (response.status(), response.headers().clone());
    // A body that cannot be read counts as empty.
    let body = body(model, response, Vec::new()).await.unwrap_or_default();
    // Groq rejects a call that doesn't fit its schema with 400, and sends the call in the body. As a reply, it
    // reaches the registry, which tells the model what to correct.
    if status == StatusCode::BAD_REQUEST
        && let Ok(reply) = decoded(model, draft, &body)
        && !reply.calls.is_empty()
    {
        return Ok(reply);
    }
    let key = endpoint.key_header.0;
    match failure::of_status(endpoint, status, &headers, &body) {
        // A key that was never set is another mistake than a wrong one, and another setting to check.
        ModelError::Unauthorized if !model.headers.contains_key(key) => Err(ModelError::MissingKey),
        other => Err(other),
    }
}

/// Reads a complete response whose first bytes are `begun`.
pub(super) async fn complete(
    model: &HttpModel,
    draft: &Draft,
    response: Response,
    begun: Vec<u8>,
) -> Result<ModelReply, ModelError> {
    let body = body(model, response, begun).await?;
    decoded(model, draft, &body)
}

pub(super) fn decoded(
    model: &HttpModel,
    draft: &Draft,
    body: &[u8],
) -> Result<ModelReply, ModelError> {
    let provider = model.dialect.provider();
    let decoded = decode_bytes(provider, body, Some(&draft.tools));
    reply(decoded.map_err(|error| match error {
        DecodeError::NotJson(reason) => ModelError::InvalidResponse {
            reason: format!("not JSON ({reason})"),
        },
        other => ModelError::InvalidResponse {
            reason: other.to_string(),
        },
    })?)
}

/// Returns the reply, or the provider's error that replaces it.
pub(super) fn reply(decoded: Decoded) -> Result<ModelReply, ModelError> {
    for note in &decoded.notes {
        tracing::warn!(note, "the response was repaired");
    }
    match &decoded.stream_error {
        None => Ok(decoded.into()),
        Some(error) => Err(failure::of_error(error)),
    }
}

/// Reads the body up to the size limit.
pub(super) async fn body(
    model: &HttpModel,
    mut response: Response,
    begun: Vec<u8>,
) -> Result<Vec<u8>, ModelError> {
    let limit = model.response_limit;
    let mut bytes = begun;
    loop {
        if bytes.len() > limit {
            return Err(ModelError::ResponseTooLarge { limit });
        }
        let after = model.idle_timeout;
        let chunk = timeout(after, response.chunk()).await;
        let chunk = chunk.map_err(|_| ModelError::Stalled { after })?;
        match chunk.map_err(|error| failed(model, &error))? {
            Some(chunk) => bytes.extend_from_slice(&chunk),
            None => return Ok(bytes),
        }
    }
}

/// Returns an error without the client's message, which may contain the complete URL.
pub(super) fn failed(model: &HttpModel, error: &reqwest::Error) -> ModelError {
    tracing::debug!(kind = failure::kind(error), "request failed");
    if error.is_timeout() && !error.is_connect() {
        return ModelError::Timeout {
            after: model.total_timeout().unwrap_or(model.idle_timeout),
        };
    }
    if error.is_body() || error.is_decode() {
        return ModelError::ResponseCut;
    }
    let origin = model.address.origin();
    if error.is_connect() {
        let reason = failure::connect_reason(error);
        ModelError::Unreachable { origin, reason }
    } else {
        ModelError::Closed { origin }
    }
}
