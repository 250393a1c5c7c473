//! Sending a request and reading its response.

use provider_adapters::{Decoded, decode};
use reqwest::header::ACCEPT;
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::request::Draft;
use super::{HttpModel, failure, stream};
use crate::{ModelError, ModelReply, ModelRequest};

/// Sends a request and reads the reply.
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
    whole(model, draft, response, Vec::new()).await
}

/// Reads the reply of a response that comes whole, of which these bytes have come.
pub(super) async fn whole(
    model: &HttpModel,
    draft: &Draft,
    response: Response,
    begun: Vec<u8>,
) -> Result<ModelReply, ModelError> {
    let body = body(model, response, begun).await?;
    let value = serde_json::from_slice::<Value>(&body).map_err(|error| not_json(&error))?;
    read(model, draft, &value)
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
    request.send().await.map_err(|error| failed(model, &error))
}

/// The error of a status; or the reply, where the provider refused a call that the model wrote.
async fn refused(
    model: &HttpModel,
    draft: &Draft,
    response: Response,
) -> Result<ModelReply, ModelError> {
    let (status, headers) = (response.status(), response.headers().clone());
    // What cannot be read is as good as empty.
    let body = body(model, response, Vec::new()).await.unwrap_or_default();
    if status == StatusCode::BAD_REQUEST
        && let Ok(value) = serde_json::from_slice::<Value>(&body)
        && let Ok(reply) = read(model, draft, &value)
        && !reply.calls.is_empty()
    {
        return Ok(reply);
    }
    Err(failure::of_status(status, &headers, &body))
}

fn read(model: &HttpModel, draft: &Draft, value: &Value) -> Result<ModelReply, ModelError> {
    let provider = model.dialect.provider();
    let decoded = decode(provider, value, Some(&draft.tools)).map_err(|error| {
        ModelError::InvalidResponse {
            reason: error.to_string(),
        }
    })?;
    reply(decoded)
}

/// The reply, or the error that stands in its place.
pub(super) fn reply(decoded: Decoded) -> Result<ModelReply, ModelError> {
    match &decoded.stream_error {
        None => Ok(decoded.into()),
        Some(error) => Err(failure::of_error(error)),
    }
}

/// The body, as long as it stays within the limit.
async fn body(
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
        let chunk = response.chunk().await;
        match chunk.map_err(|error| failed(model, &error))? {
            Some(chunk) => bytes.extend_from_slice(&chunk),
            None => return Ok(bytes),
        }
    }
}

/// The words of the HTTP client may hold the whole address, so only its kind goes on.
pub(super) fn failed(model: &HttpModel, error: &reqwest::Error) -> ModelError {
    tracing::debug!(kind = failure::kind(error), "the request failed");
    if error.is_timeout() && !error.is_connect() {
        return ModelError::Timeout {
            after: model.timeout,
        };
    }
    if error.is_body() || error.is_decode() {
        return ModelError::ResponseCut;
    }
    ModelError::Unreachable {
        origin: model.address.origin(),
    }
}

fn not_json(error: &serde_json::Error) -> ModelError {
    ModelError::InvalidResponse {
        reason: format!("it is not JSON ({error})"),
    }
}
