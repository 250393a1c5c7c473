//! Request bodies.

use std::sync::Arc;

use provider_adapters::encode;
use serde_json::{Map, Value};
use tool_core::ProviderTools;

use super::HttpModel;
use crate::ModelRequest;

/// Body of a request, and the tools for decoding the response.
pub(super) struct Draft {
    pub(super) body: Value,
    pub(super) tools: Arc<ProviderTools>,
}

impl Draft {
    pub(super) fn new(model: &HttpModel, request: &ModelRequest<'_>) -> Self {
        let provider = model.dialect.provider();
        let endpoint = provider.endpoint();
        let tools = request.tools.definitions(&model.dialect);
        for rejected in &tools.refused {
            tracing::warn!(
                tool = rejected.tool,
                reason = rejected.reason,
                "omitting a tool that the provider does not support"
            );
        }
        let conversation = encode(&model.dialect, request.transcript, Some(&tools));
        let mut body = Map::new();
        for part in [&tools.request, &conversation.body] {
            body.extend(part.as_object().cloned().unwrap_or_default());
        }
        body.extend(endpoint.settings(&model.model, model.max_output_tokens, model.streams()));
        if let Some(adapt) = endpoint.adapt_request {
            adapt(&mut body);
        }
        Self {
            body: Value::Object(body),
            tools,
        }
    }
}
