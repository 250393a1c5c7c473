//! Complete responses, and the errors of incomplete ones.

use provider_adapters::{DecodeError, Decoded, decode_bytes};
use reqwest::Response;
use tokio::time::timeout;

use super::request::Draft;
use super::{HttpModel, failure};
use crate::{ModelError, ModelReply};

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
