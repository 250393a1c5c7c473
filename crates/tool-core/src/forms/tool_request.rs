//! `{name, parameters}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ToolCall;

/// A call as `{name, parameters}`; becomes a [`ToolCall`] with an id of its own.
///
/// Parameters that are null or left out are none.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{ToolCall, forms::ToolRequest};
///
/// let request: ToolRequest = serde_json::from_str(r#"{"name": "execute_bash", "parameters": {"command": "ls -la"}}"#)?;
/// let call = ToolCall::from(request);
/// assert_eq!(call.name, "execute_bash");
/// assert_eq!(call.arguments, json!({"command": "ls -la"}).into());
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRequest {
    /// The name of the tool.
    pub name: String,
    /// The arguments, by name.
    #[serde(default, deserialize_with = "null_is_none")]
    pub parameters: Map<String, Value>,
}

impl From<ToolRequest> for ToolCall {
    fn from(request: ToolRequest) -> Self {
        Self::new(request.name, Value::Object(request.parameters))
    }
}

fn null_is_none<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
