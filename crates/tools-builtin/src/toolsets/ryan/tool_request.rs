//! `{name, parameters}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tool_core::ToolCall;

/// Call as `{name, parameters}`. It converts to a [`ToolCall`] with a new id.
///
/// Missing or null parameters are treated as empty.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::ToolCall;
/// use tools_builtin::toolsets::ToolRequest;
///
/// let request: ToolRequest = serde_json::from_str(r#"{"name": "execute_bash", "parameters": {"command": "ls -la"}}"#)?;
/// let call = ToolCall::from(request);
/// assert_eq!(call.name, "execute_bash");
/// assert_eq!(call.arguments, json!({"command": "ls -la"}).into());
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRequest {
    /// Name of the tool.
    pub name: String,
    /// Arguments by name.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub parameters: Map<String, Value>,
}

impl From<ToolRequest> for ToolCall {
    fn from(request: ToolRequest) -> Self {
        Self::new(request.name, Value::Object(request.parameters))
    }
}

fn null_as_empty<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
