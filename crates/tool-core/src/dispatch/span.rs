//! Step 10: the span of a call, with the OpenTelemetry attributes for generative AI.

use std::error::Error;

use tracing::Span;
use tracing::field::Empty;

use super::stop::guarded;
use crate::catalog::Entry;
use crate::{Redactor, SmolStr, ToolError, telemetry as names};

/// Maximum bytes of a name or an id in a span; models may invent any name.
const MAX_NAME: usize = 128;

/// Creates a span with the fields of all calls and further ones.
macro_rules! call_span {
    ($id:expr, $called_as:expr, $entry:expr $(, $field:expr => $value:expr)*) => {
        tracing::info_span!(
            target: names::TARGET,
            names::SPAN,
            { names::OTEL_NAME } = Empty,
            { names::OTEL_STATUS } = Empty,
            { names::OPERATION } = names::EXECUTE_TOOL,
            { names::TOOL_NAME } = $called_as,
            { names::TOOL_DESCRIPTION } = $entry.map(|entry| entry.definition().description()),
            { names::TOOL_TYPE } = names::FUNCTION,
            { names::CALL_ID } = bounded($id),
            { names::ERROR_TYPE } = Empty,
            $({ $field } = $value,)*
        )
    };
}

/// Creates the span of a call, which is disabled without a subscriber or logger. It contains no arguments or outputs.
#[inline]
pub(super) fn open(id: &SmolStr, called_as: &str, entry: Option<&Entry>) -> Span {
    if !is_observed() {
        return Span::none();
    }
    let called_as = bounded(called_as);
    let span = if entry.is_some_and(Entry::is_mcp) {
        open_mcp(id, called_as, entry)
    } else {
        call_span!(id, called_as, entry)
    };
    if !span.is_disabled() {
        span.record(
            names::OTEL_NAME,
            format!("{} {called_as}", names::EXECUTE_TOOL),
        );
    }
    span
}

/// Returns `true` if a subscriber or a logger may receive spans. Without this check, a disabled span needs 7 % of the
/// instructions of a small call if a crate of the application enables the feature `log` of `tracing`.
#[inline]
fn is_observed() -> bool {
    use tracing::level_filters::LevelFilter;

    LevelFilter::current() >= LevelFilter::INFO || log::max_level() >= log::LevelFilter::Info
}

/// Creates the span of a call to an MCP server. The tool records the fields of its request.
#[cold]
fn open_mcp(id: &SmolStr, called_as: &str, entry: Option<&Entry>) -> Span {
    call_span!(
        id, called_as, entry,
        names::OTEL_KIND => names::CLIENT,
        names::MCP_METHOD => Empty,
        names::MCP_PROTOCOL => Empty,
        names::MCP_SESSION => Empty,
        names::RPC_ID => Empty,
        names::TRANSPORT => Empty,
        names::SERVER_ADDRESS => Empty,
        names::SERVER_PORT => Empty
    )
}

fn bounded(name: &str) -> &str {
    let end = name.floor_char_boundary(MAX_NAME);
    name.get(..end).unwrap_or_default()
}

/// Adds the error of a failed call. An error type that the tool recorded stays.
#[cold]
pub(super) fn report(
    error: &ToolError,
    redactor: Option<&Redactor>,
    span: &Span,
    has_error_type: bool,
) {
    let code = error.code().as_str();
    // The source of an error is foreign code.
    drop(guarded(|| {
        // A server of MCP has named the type already.
        if !has_error_type {
            span.record(names::ERROR_TYPE, code);
        }
        span.record(names::OTEL_STATUS, "ERROR");
        let source = error.source().map(ToString::to_string);
        let source = source.as_deref().map(|source| match redactor {
            Some(redactor) => redactor.scrub(source),
            None => source.into(),
        });
        let source = source.as_deref();
        tracing::debug!(target: names::TARGET, parent: span, code, source, "the call failed");
        Ok(())
    }));
}
