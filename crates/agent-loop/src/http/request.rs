//! Request bodies.

use std::borrow::Cow;
use std::sync::Arc;

use provider_adapters::{Message, ProviderDialect, ToolChoice, encode};
use serde_json::{Map, Value};
use tool_core::{ConversionLoss, ProviderTools};

use super::HttpModel;
use super::answer_tool::with_answer;
use crate::ModelRequest;

/// Body of a request, and the tools for decoding the response.
pub(super) struct Draft {
    pub(super) body: Value,
    pub(super) tools: Arc<ProviderTools>,
    /// Whether the tools include the tool for the final answer.
    pub(super) has_answer_tool: bool,
}

impl Draft {
    pub(super) fn new(model: &HttpModel, request: &ModelRequest<'_>) -> Self {
        let endpoint = model.dialect.provider().endpoint();
        let dialect = dialect(model, request);
        let settings = match request.settings {
            Some(settings) => model.settings.overridden_by(settings),
            None => model.settings.clone(),
        };
        let format = request
            .answer_schema
            .and_then(|schema| endpoint.reply_format(schema));
        let answer_tool = request
            .answer_schema
            .filter(|_| format.is_none())
            .and_then(|schema| with_answer(&dialect, request.tools, schema));
        let has_answer_tool = answer_tool.is_some();
        let tools = answer_tool.unwrap_or_else(|| request.tools.definitions(dialect.as_ref()));
        let conversation = encode(dialect.as_ref(), request.transcript, Some(&tools));
        log_losses(&tools, &conversation.losses);
        let mut body = Map::new();
        for part in [&tools.request, &conversation.body] {
            body.extend(part.as_object().cloned().unwrap_or_default());
        }
        let limit = settings.max_output_tokens;
        for members in [
            endpoint.settings(&model.model, limit, model.streams()),
            endpoint.sampling(&settings).0,
            format.unwrap_or_default(),
        ] {
            merge(&mut body, &members);
        }
        if let Some(adapt) = endpoint.adapt_request {
            adapt(&mut body);
        }
        // Last, so that the host can replace everything, for example for a field that we don't know yet.
        merge(&mut body, &model.body);
        Self {
            body: Value::Object(body),
            tools,
            has_answer_tool,
        }
    }
}

/// Logs the tools that the provider does not support, and the changes of the conversation. Neither
/// contains content of the conversation.
fn log_losses(tools: &ProviderTools, losses: &[ConversionLoss]) {
    for rejected in &tools.refused {
        tracing::warn!(
            tool = rejected.tool,
            reason = rejected.reason,
            "omitting a tool that the provider does not support"
        );
    }
    for loss in losses {
        tracing::debug!(at = loss.pointer, "{}", loss.detail);
    }
}

/// Returns the dialect with the tool choice of this turn.
fn dialect<'m>(model: &'m HttpModel, request: &ModelRequest<'_>) -> Cow<'m, ProviderDialect> {
    let options = model.dialect.options();
    let is_forced = matches!(options.choice, ToolChoice::Required | ToolChoice::Named(_));
    let has_results = matches!(
        request.transcript.messages().last(),
        Some(Message::Tool { .. })
    );
    let choice = match request.choice {
        Some(choice) => choice.clone(),
        // A forced call in every turn would never end.
        None if is_forced && has_results => ToolChoice::Auto,
        None => return Cow::Borrowed(&model.dialect),
    };
    let options = options.clone().with_choice(choice);
    Cow::Owned(model.dialect.provider().with_options(options))
}

/// Adds members. Objects with the same key are merged, other values are replaced.
fn merge(body: &mut Map<String, Value>, members: &Map<String, Value>) {
    for (key, value) in members {
        match (body.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => merge(inner, value),
            _ => {
                body.insert(key.clone(), value.clone());
            }
        }
    }
}
