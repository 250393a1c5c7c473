//! Input that servers request during calls.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use crate::hygiene;

/// Maximum length of a question in characters.
const MAX_MESSAGE: usize = 4_096;

/// Maximum length of an address in characters.
const MAX_URL: usize = 2_048;

/// Person who answers the questions of servers.
///
/// A server may ask something during a call. Show the question to a person together with the name of the server,
/// because the server may ask for secrets. Several questions may arrive at the same time.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_mcp::client::{Elicit, ElicitAnswer, ElicitRequest};
///
/// struct Nobody;
///
/// #[async_trait]
/// impl Elicit for Nobody {
///     async fn elicit(&self, request: &ElicitRequest) -> ElicitAnswer {
///         println!("{} asks: {}", request.server, request.message);
///         ElicitAnswer::Decline
///     }
/// }
/// ```
#[async_trait]
pub trait Elicit: Send + Sync {
    /// Shows the question and returns the answer. The idle timeout of the call waits in the meantime, its total timeout
    /// does not.
    async fn elicit(&self, request: &ElicitRequest) -> ElicitAnswer;
}

/// Question of a server.
///
/// # Examples
/// See [`Elicit`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ElicitRequest {
    /// Name of the server.
    pub server: String,
    /// Question, without hidden characters.
    pub message: String,
    /// Form or address.
    pub form: ElicitForm,
}

/// Kind of a question.
///
/// # Examples
/// ```
/// use tool_mcp::client::{ElicitForm, ElicitRequest};
///
/// fn show(request: &ElicitRequest) {
///     match &request.form {
///         ElicitForm::Schema(schema) => println!("{}: {schema}", request.message),
///         ElicitForm::Url(url) => println!("{}: open {url}", request.message),
///         _ => {}
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitForm {
    /// JSON schema of an object with the requested values.
    Schema(Value),
    /// Address that the user should open. Never open it without asking.
    Url(String),
}

/// Answer of the user.
///
/// # Examples
/// See [`Elicit`].
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitAnswer {
    /// Values of a form; empty for an address. We fill in the defaults of the form for missing values.
    Accept(Map<String, Value>),
    /// The user declines.
    Decline,
    /// The user closed the question without a choice.
    Cancel,
}

/// Sources of input that the host provides.
#[derive(Clone, Default)]
pub(crate) struct HostInput {
    pub(crate) elicit: Option<Arc<dyn Elicit>>,
    pub(crate) roots: Option<Vec<String>>,
}

impl HostInput {
    /// Returns the result of a request of `server`.
    ///
    /// # Errors
    /// Returns a description of what the host cannot provide, for the model.
    pub(crate) async fn respond(
        &self,
        server: &str,
        method: &str,
        params: Value,
    ) -> Result<Value, String> {
        match method {
            "elicitation/create" => self.elicit(server, params).await,
            "roots/list" => self.roots(),
            other => Err(format!("`{other}`")),
        }
    }

    async fn elicit(&self, server: &str, mut params: Value) -> Result<Value, String> {
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let message = hygiene::clean(text("message").unwrap_or_default(), MAX_MESSAGE).text;
        let Some(elicit) = &self.elicit else {
            return Err(format!("an answer to \"{message}\""));
        };
        let form = if let Some(url) = text("url") {
            ElicitForm::Url(hygiene::clean(url, MAX_URL).text)
        } else {
            let schema = params.get_mut("requestedSchema").map(Value::take);
            ElicitForm::Schema(schema.unwrap_or_default())
        };
        let request = ElicitRequest {
            server: server.to_owned(),
            message,
            form,
        };
        Ok(match elicit.elicit(&request).await {
            ElicitAnswer::Accept(mut values) => match &request.form {
                ElicitForm::Schema(schema) => {
                    fill_defaults(&mut values, schema);
                    json!({"action": "accept", "content": values})
                }
                ElicitForm::Url(_) => json!({"action": "accept"}),
            },
            ElicitAnswer::Decline => json!({"action": "decline"}),
            ElicitAnswer::Cancel => json!({"action": "cancel"}),
        })
    }

    fn roots(&self) -> Result<Value, String> {
        let roots = self.roots.as_ref();
        let roots = roots.ok_or_else(|| "the list of directories".to_owned())?;
        let roots = roots.iter().map(|uri| json!({"uri": uri}));
        Ok(json!({"roots": roots.collect::<Vec<_>>()}))
    }
}

/// Adds the defaults of the schema for missing values.
fn fill_defaults(values: &mut Map<String, Value>, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    for (name, property) in properties {
        if let Some(default) = property.get("default")
            && !values.contains_key(name)
        {
            values.insert(name.clone(), default.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(ElicitAnswer);

    #[async_trait]
    impl Elicit for Fixed {
        async fn elicit(&self, _: &ElicitRequest) -> ElicitAnswer {
            self.0.clone()
        }
    }

    fn host(answer: ElicitAnswer) -> HostInput {
        HostInput {
            elicit: Some(Arc::new(Fixed(answer))),
            ..HostInput::default()
        }
    }

    #[tokio::test]
    async fn decisions_have_shape_of_protocol() {
        let form = json!({"message": "Name?", "requestedSchema": {"type": "object", "properties": {
            "name": {"type": "string"}, "age": {"type": "integer", "default": 3},
        }}});
        let address =
            json!({"mode": "url", "message": "Log in", "url": "https://x", "elicitationId": "1"});
        let values = json!({"name": "x"}).as_object().unwrap().clone();
        let accepted = ElicitAnswer::Accept(values);
        for (answer, params, expected) in [
            (
                accepted.clone(),
                &form,
                json!({"action": "accept", "content": {"name": "x", "age": 3}}),
            ),
            (accepted, &address, json!({"action": "accept"})),
            (ElicitAnswer::Decline, &form, json!({"action": "decline"})),
            (ElicitAnswer::Cancel, &form, json!({"action": "cancel"})),
        ] {
            let host = host(answer);
            let responded = host.respond("s", "elicitation/create", params.clone());

            assert_eq!(responded.await, Ok(expected));
        }
    }

    #[tokio::test]
    async fn missing_input_is_described() {
        let host = HostInput::default();
        for (method, params, request) in [
            ("elicitation/create", json!(1), "an answer to \"\""),
            (
                "elicitation/create",
                json!({"message": "Which\u{200b} one?"}),
                "an answer to \"Which one?\"",
            ),
            (
                "sampling/createMessage",
                json!({}),
                "`sampling/createMessage`",
            ),
            ("roots/list", json!({}), "the list of directories"),
            ("other/thing", json!({}), "`other/thing`"),
        ] {
            let error = host.respond("s", method, params).await.unwrap_err();

            assert_eq!(error, request);
        }
    }

    #[tokio::test]
    async fn roots_are_listed() {
        let roots = vec!["file:///a".to_owned(), "file:///b".to_owned()];
        let host = HostInput {
            roots: Some(roots),
            ..HostInput::default()
        };

        let listed = host.respond("s", "roots/list", Value::Null).await;

        let expected = json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]});
        assert_eq!(listed, Ok(expected));
    }
}
