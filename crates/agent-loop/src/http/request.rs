//! Request bodies.

use std::borrow::Cow;
use std::sync::Arc;

use provider_adapters::{
    Finish, Message, MessagePart, ProviderDialect, ToolChoice, Transcript, encode,
};
use serde_json::{Map, Value};
use tool_core::{
    ConversionLoss, Dialect, LossKind, ProviderTools, Registry, RiskLevel, ToolDefinition,
};

use super::HttpModel;
use crate::{ModelCall, ModelReply, ModelRequest};

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
        let mut settings = match request.settings {
            Some(settings) => model.settings.overridden_by(settings),
            None => model.settings.clone(),
        };
        if dialect.options().model.without_temperature && settings.temperature.take().is_some() {
            tracing::debug!("the model does not support a temperature; it is omitted");
        }
        // The native form first: providers enforce it during generation, and no tool competes with the others.
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

/// Logs the tools that the provider does not support, limits that they exceed, and the changes of the conversation. Neither
/// contains content of the conversation.
fn log_losses(tools: &ProviderTools, losses: &[ConversionLoss]) {
    for rejected in &tools.refused {
        tracing::warn!(
            tool = rejected.tool,
            reason = rejected.reason,
            "omitting a tool that the provider does not support"
        );
    }
    // The provider may reject the request for them, with less to say.
    for loss in &tools.losses {
        if loss.action == LossKind::OverLimit {
            tracing::warn!(tool = loss.tool, "{}", loss.detail);
        }
    }
    for loss in losses {
        tracing::debug!(at = loss.pointer, "{}", loss.detail);
    }
}

/// Returns how the tools exceed the provider's number of tools, if they do: the provider would reject every request.
pub(super) fn over_limit(tools: &ProviderTools) -> Option<String> {
    let is_number =
        |loss: &&ConversionLoss| loss.action == LossKind::OverLimit && loss.keyword == "tools";
    let loss = tools.losses.iter().find(is_number);
    loss.map(|loss| loss.detail.clone())
}

/// Returns the conversation without reasoning. The order of a message may still list it.
pub(super) fn without_reasoning(transcript: &Transcript) -> Transcript {
    let mut messages = transcript.messages().to_vec();
    for message in &mut messages {
        if let Message::Assistant { reasoning, .. } = message {
            reasoning.clear();
        }
    }
    messages.into()
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

const NAME: &str = "final_answer";
const DESCRIPTION: &str =
    "Returns the final answer to the user. Call it once, after all other calls, and alone.";

/// Converts the tools and the answer tool. Returns `None` if the schema is not an object schema, or
/// if a tool has the same name.
fn with_answer(
    dialect: &ProviderDialect,
    tools: &Registry,
    schema: &Value,
) -> Option<Arc<ProviderTools>> {
    if schema.get("type")? != "object" || tools.get(NAME).is_some() {
        return None;
    }
    let answer = ToolDefinition::new(NAME, DESCRIPTION, schema.clone());
    let mut definitions = tools.list();
    definitions.push(answer.with_risk(RiskLevel::ReadOnly));
    Some(Arc::new(dialect.convert(&definitions)))
}

/// Replaces a call of the answer tool with the text of the answer. If there are other calls, they
/// run first, and the model calls it again.
pub(super) fn answered(mut reply: ModelReply) -> ModelReply {
    let Some(answer) = reply.calls.iter().find(|call| is_answer(call)) else {
        return reply;
    };
    let text = answer.call.arguments.to_text();
    remove_answers(&mut reply);
    if reply.calls.is_empty() {
        reply.text = text;
        // The order lists the replaced text.
        reply.order.clear();
        if reply.finish == Finish::Calls {
            reply.finish = Finish::Stop;
        }
    }
    reply
}

fn is_answer(call: &ModelCall) -> bool {
    call.call.name == NAME
}

/// Removes the calls of the answer tool, with their places in the order.
fn remove_answers(reply: &mut ModelReply) {
    let mut calls = reply.calls.iter();
    reply.order.retain(|part| {
        let is_call = *part == MessagePart::Call;
        !is_call || !calls.next().is_some_and(is_answer)
    });
    reply.calls.retain(|call| !is_answer(call));
}

#[cfg(test)]
mod tests {
    use provider_adapters::Reasoning;
    use serde_json::json;
    use tool_core::ToolCall;

    use super::*;

    #[test]
    fn answer_call_becomes_text_unless_others_follow() {
        let answer = || ToolCall::new(NAME, json!({"total": 3}));
        let other = || ToolCall::new("add", json!({}));

        let alone = answered(ModelReply::calls([answer()]));
        let both = answered(ModelReply::calls([answer(), other()]));

        assert_eq!(alone, ModelReply::text("{\"total\":3}"));
        assert_eq!((both.text.as_str(), both.calls.len()), ("", 1));
        assert_eq!(both.finish, Finish::Calls);
    }

    #[test]
    fn other_calls_keep_their_order_and_reasoning() {
        use MessagePart::{Call, Reasoning as Thought};
        let call = |name: &str| ToolCall::new(name, json!({}));
        let mut reply = ModelReply::calls([call(NAME), call("add"), call("list"), call(NAME)]);
        reply.reasoning = ["1", "2"].map(Reasoning::new).to_vec();
        reply.order = vec![Thought, Call, Call, Thought, Call, Call];

        let left = answered(reply);

        let names: Vec<&str> = left.calls.iter().map(|asked| &*asked.call.name).collect();
        assert_eq!(names, ["add", "list"]);
        assert_eq!(left.order, [Thought, Call, Thought, Call]);
    }

    #[test]
    fn answer_replaces_text_and_calls() {
        let mut reply =
            ModelReply::calls([ToolCall::new(NAME, json!({"total": 3}))]).with_text("Done:");
        reply.reasoning = vec![Reasoning::new("1")];
        reply.order = vec![
            MessagePart::Text {
                bytes: 5,
                provider_data: None,
            },
            MessagePart::Reasoning,
            MessagePart::Call,
        ];

        let answer = answered(reply);

        assert_eq!(
            (answer.text.as_str(), answer.order),
            ("{\"total\":3}", vec![])
        );
    }
}
