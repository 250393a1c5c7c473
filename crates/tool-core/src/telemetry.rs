//! The names of the OpenTelemetry conventions for generative AI, which are still changing, in one place.

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
