//! Input that tools and prompts request from the client during a call.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tool_core::ToolError;

use crate::locked;

/// Methods of the protocol.
pub(crate) const FORM: &str = "elicitation/create";
pub(crate) const SAMPLING: &str = "sampling/createMessage";
pub(crate) const ROOTS: &str = "roots/list";

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
#[must_use]
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
    pub fn form(message: impl Into<String>, schema: impl Into<Value>) -> Self {
        Self::Form {
            message: message.into(),
            schema: schema.into(),
        }
    }

    /// Returns the method of the protocol.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Form { .. } => FORM,
            Self::Sampling(_) => SAMPLING,
            Self::Roots => ROOTS,
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
    pub fn accepted(&self) -> Option<&Value> {
        let is_accepted = self.0.get("action").and_then(Value::as_str) == Some("accept");
        self.0.get("content").filter(|_| is_accepted)
    }

    /// Returns the complete response of the client.
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
    /// The call must return now. It runs again from the start when the client has responded.
    #[error("the request was sent; the call is run again with the response")]
    Pending,
    /// The client does not support the method.
    #[error("the client does not support `{0}`")]
    Unsupported(&'static str),
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

/// Way to ask the client of a call something: its user, its model or its directories. Tools named in
/// [`McpServer::interactive`](crate::McpServer::interactive) get it with
/// [`ToolContext::extension`](tool_core::ToolContext::extension), prompts in their context.
///
/// With protocol revision 2026-07-28, a server can't send requests. So the first one fails with
/// [`InputError::Pending`], the call must return, and the client sends it again with its responses. The call then runs
/// from the start, so ask before the first effect, with the same keys each time. With older revisions, requests are
/// sent during the call. Over HTTP, this needs [sessions](crate::server::HttpOptions::sessions).
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{ToolContext, ToolError};
/// use tool_mcp::server::{ClientInput, InputRequest};
///
/// async fn branch(cx: &ToolContext) -> Result<String, ToolError> {
///     let input = cx.extension::<ClientInput>().ok_or_else(|| ToolError::failed("No client"))?;
///     let schema = json!({"type": "object", "properties": {"branch": {"type": "string"}}, "required": ["branch"]});
///     let answer = input.ask("branch", InputRequest::form("Which branch?", schema)).await?;
///     let branch = answer.accepted().and_then(|fields| fields["branch"].as_str());
///     branch.map(str::to_owned).ok_or_else(|| ToolError::failed("The user selected no branch"))
/// }
/// ```
#[derive(Clone)]
pub struct ClientInput(Arc<Inner>);

struct Inner {
    /// Methods of the requests that the client can respond to.
    supported: Vec<&'static str>,
    /// Connection for requests during the call. Without one, requests end the call.
    channel: Option<Channel>,
    answers: Map<String, Value>,
    asked: Mutex<Asked>,
}

/// Function that sends a request during a call and returns the response.
pub(crate) type Channel = Arc<dyn Fn(InputRequest) -> Responding + Send + Sync>;

/// Future with a response.
pub(crate) type Responding = Pin<Box<dyn Future<Output = Result<Value, String>> + Send>>;

/// Requests of one run.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) requests: BTreeMap<String, InputRequest>,
    /// Responses that the run has used, for the next run.
    pub(crate) used: Map<String, Value>,
    /// Method that the client does not support.
    pub(crate) unsupported: Option<&'static str>,
}

impl ClientInput {
    pub(crate) fn new(
        supported: Vec<&'static str>,
        channel: Option<Channel>,
        answers: Map<String, Value>,
    ) -> Self {
        Self(Arc::new(Inner {
            supported,
            channel,
            answers,
            asked: Mutex::default(),
        }))
    }

    /// Returns `true` if the client can respond to a request.
    pub fn supports(&self, request: &InputRequest) -> bool {
        self.0.supported.contains(&request.method())
    }

    /// Returns `true` if the client shows forms to its user.
    pub(crate) fn has_forms(&self) -> bool {
        self.0.supported.contains(&FORM)
    }

    /// Sends a request and returns the response. `key` identifies the request within the call.
    ///
    /// # Errors
    /// Returns [`InputError::Pending`] if the call must return now, and other errors if the client cannot respond or has
    /// responded with invalid data.
    pub async fn ask(
        &self,
        key: impl Into<String>,
        request: InputRequest,
    ) -> Result<InputResponse, InputError> {
        let answers = self.ask_all([(key.into(), request)]).await?;
        let first = answers.into_iter().next();
        first.ok_or_else(|| InputError::Failed("no response".to_owned()))
    }

    /// Sends several requests together and returns the responses in the same order.
    ///
    /// # Errors
    /// Like [`ask`](Self::ask).
    pub async fn ask_all<K: Into<String>>(
        &self,
        requests: impl IntoIterator<Item = (K, InputRequest)>,
    ) -> Result<Vec<InputResponse>, InputError> {
        let requests: Vec<(String, InputRequest)> = requests
            .into_iter()
            .map(|(key, request)| (key.into(), request))
            .collect();
        let unsupported = requests.iter().find(|(_, request)| !self.supports(request));
        if let Some((_, request)) = unsupported {
            locked(&self.0.asked).unsupported = Some(request.method());
            return Err(InputError::Unsupported(request.method()));
        }
        let mut answers = Vec::with_capacity(requests.len());
        let mut is_pending = false;
        for (key, request) in requests {
            let answer = match &self.0.channel {
                Some(send) => Some(send(request.clone()).await.map_err(InputError::Failed)?),
                None => self.0.answers.get(&key).cloned(),
            };
            let mut asked = locked(&self.0.asked);
            match answer.filter(|answer| request.accepts(answer)) {
                Some(answer) => {
                    asked.used.insert(key, answer.clone());
                    answers.push(InputResponse(answer));
                }
                None if self.0.channel.is_some() => {
                    return Err(InputError::Failed("the response is invalid".to_owned()));
                }
                // Collect all missing ones, so that the client can ask its user for them together.
                None => {
                    asked.requests.insert(key, request);
                    is_pending = true;
                }
            }
        }
        if is_pending {
            return Err(InputError::Pending);
        }
        Ok(answers)
    }

    /// Takes the requests of the run.
    pub(crate) fn take_asked(&self) -> Asked {
        std::mem::take(&mut *locked(&self.0.asked))
    }
}

tool_core::debug_fields!(ClientInput);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> InputRequest {
        InputRequest::form(
            "Name?",
            json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
        )
    }

    fn input(answers: Value) -> ClientInput {
        let answers = serde_json::from_value(answers).unwrap();
        ClientInput::new(vec![FORM], None, answers)
    }

    #[tokio::test]
    async fn missing_responses_end_run() {
        let input = input(json!({"first": {"action": "accept", "content": {"name": "Ada"}}}));

        let answer = input.ask("first", form()).await.unwrap();
        let pending = input.ask("second", form()).await;

        assert_eq!(answer.accepted(), Some(&json!({"name": "Ada"})));
        assert_eq!(pending, Err(InputError::Pending));
        let asked = input.take_asked();
        assert_eq!(asked.requests.keys().collect::<Vec<_>>(), ["second"]);
        assert_eq!(asked.used.keys().collect::<Vec<_>>(), ["first"]);
    }

    #[tokio::test]
    async fn invalid_responses_are_requested_again() {
        for answer in [
            json!(12345),
            json!(null),
            json!({}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"name": 1}}),
            json!({"action": "accept", "content": "Ada"}),
            json!({"action": "agree", "content": {"name": "Ada"}}),
        ] {
            let input = input(json!({"name": answer}));

            assert_eq!(
                input.ask("name", form()).await,
                Err(InputError::Pending),
                "{answer}"
            );
        }
        let declined = input(json!({"name": {"action": "decline"}}));
        assert_eq!(declined.ask("name", form()).await.unwrap().accepted(), None);
    }

    #[tokio::test]
    async fn unsupported_requests_fail() {
        let input = input(json!({}));

        let roots = input.ask("roots", InputRequest::Roots).await;
        assert_eq!(roots, Err(InputError::Unsupported("roots/list")));
        assert_eq!(input.take_asked().unsupported, Some("roots/list"));
    }
}
