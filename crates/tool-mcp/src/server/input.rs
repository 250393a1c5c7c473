//! Input that tools and prompts request from the client during a call.

mod client;

use serde_json::Value;
use tool_core::ToolError;

pub use self::client::ClientInput;
pub(crate) use self::client::{Asked, Channel, Supported};

/// Maximum number of requests of one call.
const MAX_REQUESTS: usize = 32;

/// Request to the client of a call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_mcp::server::InputRequest;
///
/// let request = InputRequest::form(
///     "Which branch?",
///     json!({"type": "object", "properties": {"branch": {"type": "string"}}, "required": ["branch"]}),
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// Form for the user (`elicitation/create`).
    Form {
        /// Text above the form.
        message: String,
        /// Schema of the fields: an object with properties of simple types.
        schema: Value,
    },
    /// Message of the client's model (`sampling/createMessage`), with the parameters of the protocol.
    Sampling(Value),
    /// Directories of the client (`roots/list`).
    Roots,
}

impl InputRequest {
    /// Creates a form for the user.
    #[must_use]
    pub fn form(message: impl Into<String>, schema: impl Into<Value>) -> Self {
        Self::Form {
            message: message.into(),
            schema: schema.into(),
        }
    }

    /// Returns the method of the protocol.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Form { .. } => "elicitation/create",
            Self::Sampling(_) => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }

    /// Returns `true` if `answer` has the form of a response to this request.
    fn accepts(&self, answer: &Value) -> bool {
        match self {
            Self::Form { schema, .. } => match answer.get("action").and_then(Value::as_str) {
                Some("accept") => answer
                    .get("content")
                    .is_some_and(|content| content.is_object() && is_valid(schema, content)),
                Some("decline" | "cancel") => true,
                _ => false,
            },
            Self::Sampling(_) => answer.get("content").is_some(),
            Self::Roots => answer.get("roots").is_some_and(Value::is_array),
        }
    }
}

fn is_valid(schema: &Value, content: &Value) -> bool {
    let schema = tool_core::schema::CompiledSchema::compile(schema.clone());
    schema.is_ok_and(|schema| schema.is_valid(content))
}

/// Response of the client to an [`InputRequest`].
///
/// # Examples
/// ```
/// use tool_mcp::server::InputResponse;
///
/// fn branch(answer: &InputResponse) -> Option<&str> {
///     answer.accepted()?.get("branch")?.as_str()
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct InputResponse(Value);

impl InputResponse {
    /// Returns the fields of a form that the user has filled in; `None` if the user declined.
    #[must_use]
    pub fn accepted(&self) -> Option<&Value> {
        let is_accepted = self.0.get("action").and_then(Value::as_str) == Some("accept");
        self.0.get("content").filter(|_| is_accepted)
    }

    /// Returns the response as sent by the client.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

/// Reason why a request has no response.
///
/// # Examples
/// ```
/// use tool_mcp::server::InputError;
///
/// assert_eq!(InputError::Pending.to_string(), "the request was sent; the call is run again with the response");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The call must return now. It is run again from the start when the client has responded.
    #[error("the request was sent; the call is run again with the response")]
    Pending,
    /// The client does not support the method.
    #[error("the client does not support `{0}`")]
    Unsupported(&'static str),
    /// The call has sent too many requests.
    #[error("a call may send at most {MAX_REQUESTS} requests")]
    TooMany,
    /// The client responded with an error or with invalid data.
    #[error("the client did not respond as required: {0}")]
    Failed(String),
}

impl From<InputError> for ToolError {
    fn from(error: InputError) -> Self {
        match &error {
            InputError::Unsupported(method) => Self::failed(format!(
                "The tool requires input through `{method}`, which this client does not support"
            )),
            _ => Self::failed("The tool did not receive the input that it requires"),
        }
        .with_side_effects(tool_core::SideEffects::None)
        .caused_by(error)
    }
}
