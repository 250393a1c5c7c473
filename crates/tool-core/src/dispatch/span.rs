//! Step 10: the span of a call, with the OpenTelemetry attributes for generative AI.

use std::error::Error;

use tracing::Span;
use tracing::field::Empty;

use crate::telemetry as names;
use crate::{Redactor, ShortText, ToolDefinition, ToolError};

/// Maximum bytes of a name or an id in a span; models may invent any name.
const MAX_NAME: usize = 128;

/// Creates the span of a call, which is disabled without a subscriber or logger. It contains no arguments or outputs.
#[inline]
pub(super) fn open(id: &ShortText, called_as: &str) -> Span {
    let called_as = bounded(called_as);
    let span = tracing::info_span!(
        names::SPAN,
        { names::OTEL_NAME } = Empty,
        { names::OTEL_STATUS } = Empty,
        { names::OPERATION } = names::EXECUTE_TOOL,
        { names::TOOL_NAME } = called_as,
        { names::TOOL_DESCRIPTION } = Empty,
        { names::TOOL_TYPE } = names::FUNCTION,
        { names::CALL_ID } = bounded(id),
        { names::ERROR_TYPE } = Empty,
    );
    if !span.is_disabled() {
        span.record(
            names::OTEL_NAME,
            format!("{} {called_as}", names::EXECUTE_TOOL),
        );
    }
    span
}

/// Adds the description of the resolved tool.
#[inline]
pub(super) fn describe(span: &Span, definition: &ToolDefinition) {
    if !span.is_disabled() {
        span.record(names::TOOL_DESCRIPTION, definition.description());
    }
}

fn bounded(name: &str) -> &str {
    let end = name.floor_char_boundary(MAX_NAME);
    name.get(..end).unwrap_or_default()
}

/// Adds the error of a failed call.
pub(super) fn report(error: &ToolError, redactor: Option<&Redactor>, span: &Span) {
    let code = error.code().as_str();
    span.record(names::ERROR_TYPE, code);
    span.record(names::OTEL_STATUS, "ERROR");
    match redactor {
        None => {
            let source = error.source().map(tracing::field::display);
            tracing::debug!(parent: span, code, source, "the call failed");
        }
        Some(redactor) => {
            let source = error.source().map(ToString::to_string);
            let source = source.as_deref().map(|source| redactor.scrub(source));
            tracing::debug!(parent: span, code, source = source.as_deref(), "the call failed");
        }
    }
}
