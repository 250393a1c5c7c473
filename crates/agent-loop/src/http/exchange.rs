//! Sending a request and reading its response.

use provider_adapters::decode;
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::HttpModel;
use super::failure;
use super::request::Draft;
use crate::{ModelError, ModelReply};

/// Sends a request and reads the reply.
pub(super) async fn exchange(model: &HttpModel, draft: &Draft) -> Result<ModelReply, ModelError> {
    let response = model
        .client
        .post(model.address.url())
        .headers(model.headers.clone())
        .json(&draft.body)
        .send()
        .await
        .map_err(|error| failed(model, &error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = body(model, response).await;
    if !status.is_success() {
        return Err(failure::of_status(
            status,
            &headers,
            &body.unwrap_or_default(),
        ));
    }
    let value = serde_json::from_slice::<Value>(&body?).map_err(|error| not_json(&error))?;
    read(model, draft, &value)
}

fn read(model: &HttpModel, draft: &Draft, value: &Value) -> Result<ModelReply, ModelError> {
    let provider = model.dialect.provider();
    let decoded = decode(provider, value, Some(&draft.tools)).map_err(|error| {
        ModelError::InvalidResponse {
            reason: error.to_string(),
        }
    })?;
    match decoded.stream_error {
        None => Ok(decoded.into()),
        Some(error) => Err(ModelError::Refused {
            status: StatusCode::OK.as_u16(),
            message: failure::shortened(&error.message),
        }),
    }
}

/// The body, as long as it stays within the limit.
async fn body(model: &HttpModel, mut response: Response) -> Result<Vec<u8>, ModelError> {
    let limit = model.response_limit;
    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| failed(model, &error))?
    {
        if bytes.len() + chunk.len() > limit {
            return Err(ModelError::ResponseTooLarge { limit });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The words of the HTTP client may hold the whole address, so only its kind goes on.
fn failed(model: &HttpModel, error: &reqwest::Error) -> ModelError {
    tracing::debug!(kind = failure::kind(error), "the request failed");
    if error.is_timeout() && !error.is_connect() {
        return ModelError::Timeout {
            after: model.timeout,
        };
    }
    if error.is_body() || error.is_decode() {
        return ModelError::InvalidResponse {
            reason: "it ended before it was whole".to_owned(),
        };
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
