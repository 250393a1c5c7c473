//! Complete responses.

use provider_adapters::{Decoded, decode};
use reqwest::Response;
use serde_json::Value;

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
    let value = serde_json::from_slice::<Value>(&body).map_err(|error| not_json(&error))?;
    decoded(model, draft, &value)
}

pub(super) fn decoded(
    model: &HttpModel,
    draft: &Draft,
    value: &Value,
) -> Result<ModelReply, ModelError> {
    let provider = model.dialect.provider();
    let decoded = decode(provider, value, Some(&draft.tools)).map_err(|error| {
        ModelError::InvalidResponse {
            reason: error.to_string(),
        }
    })?;
    reply(decoded)
}

/// Returns the reply, or the provider's error that replaces it.
pub(super) fn reply(decoded: Decoded) -> Result<ModelReply, ModelError> {
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
        let chunk = response.chunk().await;
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
        reason: format!("not JSON ({error})"),
    }
}
