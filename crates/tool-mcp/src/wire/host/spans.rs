//! Spans of requests.

use rmcp::service::{RequestContext, RoleServer};
use tracing::Span;

/// Creates the span of a call.
pub(super) fn call(tool: &str, context: &RequestContext<RoleServer>) -> Span {
    tracing::info_span!(
        "tools/call",
        otel.name = format!("tools/call {tool}"),
        otel.kind = "server",
        mcp.method.name = "tools/call",
        mcp.protocol.version = version(context),
        jsonrpc.request.id = %context.id,
    )
}

/// Creates the span of another request.
pub(super) fn request(method: &'static str, context: &RequestContext<RoleServer>) -> Span {
    tracing::info_span!(
        "request",
        otel.name = method,
        otel.kind = "server",
        mcp.method.name = method,
        mcp.protocol.version = version(context),
        jsonrpc.request.id = %context.id,
    )
}

fn version(context: &RequestContext<RoleServer>) -> Option<String> {
    let version = context.protocol_version();
    version.map(|version| version.as_str().to_owned())
}
