//! Step 10: the span of a call, under the names of the conventions for generative AI.

use std::error::Error;

use tracing::Span;
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;

use crate::telemetry as names;
use crate::{Redactor, ShortText, ToolDefinition, ToolError};

/// Bytes of a name or an id that a span is told; a model may make up any name.
const LONGEST_NAME: usize = 128;

/// The span that a call runs in; none where nobody would hear of it. Arguments and outputs are never told to it.
#[inline]
pub(super) fn span(id: &ShortText, called_as: &str) -> Span {
    if is_heard() {
        heard(id, called_as)
    } else {
        Span::none()
    }
}

/// Whether a subscriber listens, or a logger: spans are told to that one where an application asks `tracing` for it, and then
/// even a span that nobody hears of is dear.
#[inline]
fn is_heard() -> bool {
    LevelFilter::current() >= LevelFilter::INFO || logger_may_listen()
}

#[cfg(feature = "fast")]
#[inline]
fn logger_may_listen() -> bool {
    log::max_level() >= log::LevelFilter::Info
}

#[cfg(not(feature = "fast"))]
fn logger_may_listen() -> bool {
    true
}

fn heard(id: &ShortText, called_as: &str) -> Span {
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

/// Tells the span which tool was found.
#[inline]
pub(super) fn found(span: &Span, definition: &ToolDefinition) {
    if !span.is_disabled() {
        span.record(names::TOOL_DESCRIPTION, definition.description());
    }
}

fn bounded(name: &str) -> &str {
    let end = name.floor_char_boundary(LONGEST_NAME);
    name.get(..end).unwrap_or_default()
}

/// Tells the span why the call failed.
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
