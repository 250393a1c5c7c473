//! Spans: the names of the OpenTelemetry conventions for generative AI and MCP, which are still changing, in one place.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tracing::Span;

/// Target of the span and of the event of a failed call.
pub(crate) const TARGET: &str = "tool_core";
pub(crate) const SPAN: &str = "execute_tool";
pub(crate) const OTEL_NAME: &str = "otel.name";
pub(crate) const OTEL_STATUS: &str = "otel.status_code";
pub(crate) const OPERATION: &str = "gen_ai.operation.name";
pub(crate) const EXECUTE_TOOL: &str = "execute_tool";
pub(crate) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(crate) const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";
pub(crate) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(crate) const FUNCTION: &str = "function";
pub(crate) const CALL_ID: &str = "gen_ai.tool.call.id";
pub(crate) const ERROR_TYPE: &str = "error.type";
pub(crate) const OTEL_KIND: &str = "otel.kind";
pub(crate) const CLIENT: &str = "client";
pub(crate) const MCP_METHOD: &str = "mcp.method.name";
pub(crate) const MCP_PROTOCOL: &str = "mcp.protocol.version";
pub(crate) const MCP_SESSION: &str = "mcp.session.id";
pub(crate) const RPC_ID: &str = "jsonrpc.request.id";
pub(crate) const TRANSPORT: &str = "network.transport";
pub(crate) const SERVER_ADDRESS: &str = "server.address";
pub(crate) const SERVER_PORT: &str = "server.port";

/// Fields that a tool of an MCP server may record on the span of its call.
const MCP_FIELDS: [&str; 8] = [
    MCP_METHOD,
    MCP_PROTOCOL,
    MCP_SESSION,
    RPC_ID,
    TRANSPORT,
    SERVER_ADDRESS,
    SERVER_PORT,
    ERROR_TYPE,
];

/// Beginning of the source of tools that call an MCP server.
const MCP_SOURCE: &str = "mcp:";

/// Returns `true` if the source of a tool is an MCP server.
pub(crate) fn is_mcp(source: &str) -> bool {
    source.starts_with(MCP_SOURCE)
}

/// Maximum bytes of a recorded string, which may be from a server.
const MAX_TEXT: usize = 256;

/// The span of a call, for the fields that its tool records.
pub(crate) struct CallSpan {
    span: Span,
    has_error_type: AtomicBool,
}

impl CallSpan {
    pub(crate) fn new(span: &Span) -> Self {
        Self {
            span: span.clone(),
            has_error_type: AtomicBool::new(false),
        }
    }

    /// Records a field of MCP. Other fields and composite values are ignored.
    pub(crate) fn record(&self, field: &str, value: &Value) {
        if !MCP_FIELDS.contains(&field) {
            return;
        }
        match value {
            Value::String(text) => {
                let end = text.floor_char_boundary(MAX_TEXT);
                self.span.record(field, text.get(..end));
            }
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => drop(self.span.record(field, number)),
                (None, Some(number)) => drop(self.span.record(field, number)),
                (None, None) => drop(self.span.record(field, number.as_f64())),
            },
            Value::Bool(truth) => drop(self.span.record(field, *truth)),
            Value::Null | Value::Array(_) | Value::Object(_) => return,
        }
        if field == ERROR_TYPE {
            self.has_error_type.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn has_error_type(&self) -> bool {
        self.has_error_type.load(Ordering::Relaxed)
    }
}
