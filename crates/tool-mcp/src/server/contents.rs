//! Prompts and resources of a server, and notifications about them.

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::broadcast;

use super::client::ClientIdentity;
use super::input::{ClientInput, InputError};

/// Maximum number of notifications that wait for a slow client. Older ones are skipped.
const CAPACITY: usize = 256;

/// Prompts of a server: templates for a conversation, which the user of a client selects.
///
/// All values have the form of the protocol, so new members of it need no new version of this crate. Values of another form
/// are logged and not sent.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use serde_json::{Map, Value, json};
/// use tool_mcp::server::{ClientContext, ClientIdentity, ContentError, Prompts};
///
/// struct Review;
///
/// #[async_trait]
/// impl Prompts for Review {
///     async fn list(&self, _: &ClientIdentity) -> Vec<Value> {
///         let branch = json!({"name": "branch", "required": true});
///         vec![json!({"name": "review", "description": "Reviews a change.", "arguments": [branch]})]
///     }
///
///     async fn get(&self, name: &str, arguments: &Map<String, Value>, _: &ClientContext) -> Result<Value, ContentError> {
///         if name != "review" {
///             return Err(ContentError::NotFound);
///         }
///         let text = format!("Review the branch {}.", arguments["branch"]);
///         Ok(json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}))
///     }
/// }
/// ```
#[async_trait]
pub trait Prompts: Send + Sync {
    /// Returns the prompts for a client, as in the result of `prompts/list`. At most 1,000 are sent.
    async fn list(&self, client: &ClientIdentity) -> Vec<Value>;

    /// Returns the conversation of a prompt, as in the result of `prompts/get`. Required arguments are present.
    ///
    /// # Errors
    /// Returns [`ContentError`] if the prompt does not exist or cannot be created.
    async fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        cx: &ClientContext,
    ) -> Result<Value, ContentError>;

    /// Returns suggestions for the value of an argument that begins with `value`. At most 100 are sent. The default
    /// returns none.
    async fn complete(&self, prompt: &str, argument: &str, value: &str) -> Vec<String> {
        let _ = (prompt, argument, value);
        Vec::new()
    }
}

/// Resources of a server: documents that clients can read.
///
/// All values have the form of the protocol, as those of [`Prompts`] do.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use serde_json::{Value, json};
/// use tool_mcp::server::{ClientIdentity, ContentError, Resources};
///
/// struct Notes;
///
/// #[async_trait]
/// impl Resources for Notes {
///     async fn list(&self, _: &ClientIdentity) -> Vec<Value> {
///         vec![json!({"uri": "notes://today", "name": "Notes of today", "mimeType": "text/plain"})]
///     }
///
///     async fn read(&self, uri: &str, _: &ClientIdentity) -> Result<Value, ContentError> {
///         match uri {
///             "notes://today" => Ok(json!({"uri": uri, "text": "Buy milk."})),
///             _ => Err(ContentError::NotFound),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Resources: Send + Sync {
    /// Returns the resources for a client, as in the result of `resources/list`. At most 1,000 are sent.
    async fn list(&self, client: &ClientIdentity) -> Vec<Value>;

    /// Returns the URI templates for a client, as in the result of `resources/templates/list`. The default returns none.
    async fn templates(&self, client: &ClientIdentity) -> Vec<Value> {
        let _ = client;
        Vec::new()
    }

    /// Returns the content of a resource: an object with `uri`, and `text` or, as base64, `blob`. Check `uri` yourself: the
    /// client may send any text.
    ///
    /// # Errors
    /// Returns [`ContentError`] if the resource does not exist or cannot be read.
    async fn read(&self, uri: &str, client: &ClientIdentity) -> Result<Value, ContentError>;

    /// Returns suggestions for a variable of a URI template whose value begins with `value`. At most 100 are sent. The
    /// default returns none.
    async fn complete(&self, template: &str, variable: &str, value: &str) -> Vec<String> {
        let _ = (template, variable, value);
        Vec::new()
    }
}

/// Client that requests a prompt.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClientContext {
    /// Identity of the client.
    pub identity: ClientIdentity,
    /// Requests to the client.
    pub input: ClientInput,
}

/// Reason why a prompt or a resource is not returned.
///
/// # Examples
/// ```
/// use tool_mcp::server::ContentError;
///
/// assert_eq!(ContentError::NotFound.to_string(), "not found");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The prompt or resource does not exist, or the client must not read it.
    #[error("not found")]
    NotFound,
    /// An argument is missing or invalid. The client receives the text.
    #[error("{0}")]
    InvalidArgument(String),
    /// The client must provide input, or has not.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The content could not be read. The client does not receive the source.
    #[error("the content cannot be read")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Sender of notifications to all clients of a server that have subscribed. Changes of tools need none: the server
/// watches the registry. Clones send to the same clients.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_mcp::McpServer;
///
/// let server = McpServer::new(Registry::new());
/// let notifier = server.notifier();
/// notifier.resource_updated("file:///notes.txt");
/// ```
#[derive(Debug, Clone)]
pub struct Notifier(broadcast::Sender<Notice>);

/// Notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    ToolsChanged,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated(String),
}

impl Default for Notifier {
    fn default() -> Self {
        Self(broadcast::channel(CAPACITY).0)
    }
}

impl Notifier {
    /// Reports that the list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.send(Notice::PromptsChanged);
    }

    /// Reports that the list of resources has changed.
    pub fn resources_changed(&self) {
        self.send(Notice::ResourcesChanged);
    }

    /// Reports that a resource has changed.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.send(Notice::ResourceUpdated(uri.into()));
    }

    fn send(&self, notice: Notice) {
        // An error means that no client has subscribed.
        let _ = self.0.send(notice);
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.0.subscribe()
    }
}
