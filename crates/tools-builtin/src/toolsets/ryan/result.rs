//! The shapes of the source document: a request, a result `{success, content, data?, error?,
//! metadata}`, and the registration of the toolset under its name.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use tool_core::{
    ErrorCode, ExecutedArguments, RegisterError, Registry, Timestamp, ToolCall, ToolResult,
    Toolset, ToolsetError,
};

use crate::Kit;
use crate::toolsets::document::{error_text, output};

/// Result as `{success, content, data?, error?, metadata}`, with
/// `metadata: {execution_time, start_time, end_time, tool_name, parameters}`.
///
/// `execution_time` is in whole nanoseconds, times are RFC 3339. `content` is the tool's output,
/// which may be empty for a failure; `error` is a string. `data` is included only if it is an
/// object with members, because readers of this form expect a map; other data is in `content`.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tools_builtin::toolsets::RyanResult;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let result = Registry::new().execute("nonexistent", json!({})).await;
///
/// let form = json!(RyanResult(&result));
/// assert_eq!(form["success"], false);
/// assert_eq!(form["error"], "tool not found: No tool is named `nonexistent`. There are no tools.");
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RyanResult<'r>(pub &'r ToolResult);

impl Serialize for RyanResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = self.0;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("success", &result.success)?;
        members.serialize_entry("content", &output(result).join("\n"))?;
        if let Some(Value::Object(data)) = &result.data
            && !data.is_empty()
        {
            members.serialize_entry("data", data)?;
        }
        if let Some(error) = prefixed_error(result) {
            members.serialize_entry("error", &error)?;
        }
        let metadata = &result.metadata;
        let metadata = Metadata {
            // Readers expect a signed 64-bit number.
            execution_time: i64::try_from(metadata.execution_time.as_nanos()).unwrap_or(i64::MAX),
            start_time: metadata.start_time,
            end_time: metadata.end_time,
            tool_name: &metadata.tool_name,
            parameters: &metadata.parameters,
        };
        members.serialize_entry("metadata", &metadata)?;
        members.end()
    }
}

/// Returns the error text. Readers recognize an unknown tool by a prefix.
fn prefixed_error(result: &ToolResult) -> Option<String> {
    let text = error_text(result)?;
    let is_unknown = result.error.as_ref()?.code == ErrorCode::ToolNotFound;
    let prefix = if is_unknown { "tool not found: " } else { "" };
    Some(format!("{prefix}{text}"))
}

#[derive(Serialize)]
struct Metadata<'r> {
    execution_time: i64,
    start_time: Timestamp,
    end_time: Timestamp,
    tool_name: &'r str,
    parameters: &'r ExecutedArguments,
}

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

/// Registration of the [`ryan`](super::ryan) toolset.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::toolsets::RegisterBuiltinTools;
/// use tools_builtin::{Kit, Workspace};
///
/// let scratch = Scratch::new();
/// let registry = Registry::new();
/// registry.register_builtin_tools(&Kit::new(Workspace::open(scratch.path())?))?;
/// assert!(registry.get("execute_bash").is_some() && registry.get("read_file").is_some());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub trait RegisterBuiltinTools {
    /// Adds `execute_bash` and `read_file` over the tools of `kit`. Adds none of them if a name is
    /// taken.
    ///
    /// # Errors
    /// Returns [`RegisterBuiltinToolsError`] if a name is taken, or if the registry is a view or a
    /// snapshot.
    fn register_builtin_tools(&self, kit: &Kit) -> Result<(), RegisterBuiltinToolsError>;
}

/// Reason for a failed registration of the toolset.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::toolsets::RegisterBuiltinTools;
/// use tools_builtin::{Kit, Workspace};
///
/// let scratch = Scratch::new();
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::new();
/// registry.register_builtin_tools(&kit)?;
/// let error = registry.register_builtin_tools(&kit).unwrap_err();
/// assert!(error.to_string().contains("execute_bash"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterBuiltinToolsError {
    /// The toolset could not be built.
    #[error(transparent)]
    Toolset(#[from] ToolsetError),
    /// The registry rejected a tool.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

impl RegisterBuiltinTools for Registry {
    fn register_builtin_tools(&self, kit: &Kit) -> Result<(), RegisterBuiltinToolsError> {
        let toolset: Toolset = super::ryan(kit)?;
        self.register_all(toolset.tools().iter().map(Arc::clone))?;
        Ok(())
    }
}
