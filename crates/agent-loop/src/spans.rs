//! Spans with the names of the OpenTelemetry conventions for generative AI, which are still
//! changing. They contain messages only if the host enables it.

use provider_adapters::{Content, Finish, Message, ToolMessage, Usage};
use serde_json::{Value, json};
use tool_core::{CallArguments, Redactor, ToolCall};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::{AgentLoop, Model, ModelError, ModelIdentity, ModelReply, ModelRequest, RunOutcome};

const TARGET: &str = "agent_loop";

/// Creates the span of a run, which is the parent of its requests and calls.
pub(crate) fn of_run(agent: Option<&str>, run: &str) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "invoke_agent",
        otel.name = Empty,
        otel.status_code = Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = agent,
        gen_ai.conversation.id = run,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_creation.input_tokens = Empty,
        error.type = Empty,
    );
    record_name(&span, "invoke_agent", agent.unwrap_or_default());
    span
}

/// Records the end of a run.
pub(crate) fn end_run(span: &Span, outcome: &RunOutcome) {
    record_usage(span, outcome.usage.tokens());
    if let Some(error) = &outcome.error {
        record_error(span, error.code());
    }
}

/// Requests a reply within a span, which contains messages without secrets if the agent enables it.
pub(crate) async fn respond(
    agent: &AgentLoop,
    model: &dyn Model,
    request: &ModelRequest<'_>,
) -> Result<ModelReply, ModelError> {
    let span = of_request(model.identity());
    // Building the messages is expensive, so not for a span that nobody records.
    let is_recorded = agent.records_content && !span.is_disabled();
    let redactor = agent.registry.redactor();
    if is_recorded {
        let messages = input_messages(request, redactor);
        span.record("gen_ai.input.messages", messages);
    }
    let reply = model.respond(request).instrument(span.clone()).await;
    match &reply {
        Ok(reply) => {
            if let Some(usage) = reply.usage {
                record_usage(&span, usage);
            }
            if is_recorded {
                let messages = output_messages(reply, redactor);
                span.record("gen_ai.output.messages", messages);
            }
        }
        Err(error) => record_error(&span, error.code()),
    }
    reply
}

fn of_request(model: Option<ModelIdentity<'_>>) -> Span {
    let name = model.map(|model| model.model).unwrap_or_default();
    let span = tracing::info_span!(
        target: TARGET,
        "chat",
        otel.name = Empty,
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = model.map(|model| model.provider),
        gen_ai.request.model = model.map(|model| model.model),
        server.address = model.and_then(|model| model.server).map(|(host, _)| host),
        server.port = model.and_then(|model| model.server).map(|(_, port)| port),
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_creation.input_tokens = Empty,
        gen_ai.input.messages = Empty,
        gen_ai.output.messages = Empty,
        error.type = Empty,
    );
    record_name(&span, "chat", name);
    span
}

fn record_name(span: &Span, operation: &str, object: &str) {
    if span.is_disabled() {
        return;
    }
    // The name of a span is fixed at compile time. Exporters show this field instead.
    if object.is_empty() {
        span.record("otel.name", operation);
    } else {
        span.record("otel.name", format!("{operation} {object}"));
    }
}

fn record_usage(span: &Span, usage: Usage) {
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
    if usage.cached_tokens > 0 {
        span.record("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens);
    }
    if usage.cache_write_tokens > 0 {
        let written = usage.cache_write_tokens;
        span.record("gen_ai.usage.cache_creation.input_tokens", written);
    }
}

fn record_error(span: &Span, code: &str) {
    span.record("error.type", code);
    span.record("otel.status_code", "ERROR");
}

/// Maximum bytes of the messages in one field. Older messages are omitted.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the latest messages of a request as JSON, without secrets.
fn input_messages(request: &ModelRequest<'_>, redactor: Option<&Redactor>) -> String {
    let mut kept = Vec::new();
    let mut bytes = 0_usize;
    // From the end, so that the limit omits the oldest messages.
    for message in request.transcript.messages().iter().rev() {
        let mut message = message_of(message);
        if let Some(redactor) = redactor {
            redactor.scrub_value(&mut message);
        }
        let text = message.to_string();
        bytes = bytes.saturating_add(text.len());
        if bytes > MAX_BYTES {
            break;
        }
        kept.push(text);
    }
    kept.reverse();
    format!("[{}]", kept.join(","))
}

/// Returns a reply as JSON without secrets, or `None` if it exceeds the limit.
fn output_messages(reply: &ModelReply, redactor: Option<&Redactor>) -> Option<String> {
    let calls = reply.calls.iter().map(|call| call_part(&call.call));
    let parts: Vec<Value> = text_part(&reply.text).into_iter().chain(calls).collect();
    let reason = finish_reason(reply.finish);
    let mut messages = json!([{"role": "assistant", "parts": parts, "finish_reason": reason}]);
    if let Some(redactor) = redactor {
        redactor.scrub_value(&mut messages);
    }
    let text = messages.to_string();
    (text.len() <= MAX_BYTES).then_some(text)
}

fn message_of(message: &Message) -> Value {
    let text = |content: &Content| text_part(&content.to_text()).into_iter();
    let (role, parts): (&str, Vec<Value>) = match message {
        Message::System { content } => ("system", text(content).collect()),
        Message::User { content } => ("user", text(content).collect()),
        Message::Assistant { content, calls, .. } => {
            let calls = calls.iter().map(call_part);
            ("assistant", text(content).chain(calls).collect())
        }
        Message::Tool { results } => {
            let part = |result: &ToolMessage| {
                let response = result.content.to_text();
                json!({"type": "tool_call_response", "id": result.call_id, "response": response})
            };
            ("tool", results.iter().map(part).collect())
        }
        _ => ("user", Vec::new()),
    };
    json!({"role": role, "parts": parts})
}

fn text_part(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"type": "text", "content": text}))
}

fn call_part(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        CallArguments::Value(value) => value.clone(),
        CallArguments::Text(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
    };
    json!({"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments})
}

fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Calls => "tool_call",
        Finish::Length => "length",
        Finish::Filtered => "content_filter",
        Finish::Error | Finish::Other => "error",
        _ => "stop",
    }
}
