//! Spans with the names of the OpenTelemetry conventions for generative AI, which are still
//! changing. They contain messages only if the host enables it.

use provider_adapters::Usage;
use tool_core::Redactor;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::span_content;
use crate::{Model, ModelError, ModelIdentity, ModelReply, ModelRequest, RunOutcome};

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
    let used = &outcome.usage;
    let mut usage = Usage::default();
    usage.input_tokens = used.input_tokens;
    usage.output_tokens = used.output_tokens;
    usage.cached_tokens = used.cached_tokens;
    usage.cache_write_tokens = used.cache_write_tokens;
    record_usage(span, usage);
    if let Some(error) = &outcome.error {
        record_error(span, error.code());
    }
}

/// Whether spans contain messages, and the secrets to remove from them.
#[derive(Clone, Copy)]
pub(crate) struct Content<'c> {
    pub(crate) is_recorded: bool,
    pub(crate) redactor: Option<&'c Redactor>,
}

/// Requests a reply within a span.
pub(crate) async fn respond(
    model: &dyn Model,
    request: &ModelRequest<'_>,
    content: Content<'_>,
) -> Result<ModelReply, ModelError> {
    let span = of_request(model.identity());
    let is_recorded = content.is_recorded && !span.is_disabled();
    if is_recorded {
        let messages = span_content::input(request, content.redactor);
        span.record("gen_ai.input.messages", messages);
    }
    let reply = model.respond(request).instrument(span.clone()).await;
    end_request(&span, &reply);
    if is_recorded && let Ok(reply) = &reply {
        let messages = span_content::output(reply, content.redactor);
        span.record("gen_ai.output.messages", messages);
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

fn end_request(span: &Span, reply: &Result<ModelReply, ModelError>) {
    match reply {
        Ok(reply) => {
            if let Some(usage) = reply.usage {
                record_usage(span, usage);
            }
        }
        Err(error) => record_error(span, error.code()),
    }
}

fn record_name(span: &Span, operation: &str, object: &str) {
    if span.is_disabled() {
        return;
    }
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
