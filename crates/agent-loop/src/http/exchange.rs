//! One exchange: a request and its response.

use reqwest::header::ACCEPT;
use reqwest::{Response, StatusCode};

use super::request::Draft;
use super::response::{body, complete, decoded, failed};
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
    let key = model.dialect.provider().endpoint().key_header.0;
    match failure::of_status(status, &headers, &body) {
        // A key that was never set is another mistake than a wrong one, and another setting to check.
        ModelError::Unauthorized if !model.headers.contains_key(key) => Err(ModelError::MissingKey),
        other => Err(other),
    }
}
