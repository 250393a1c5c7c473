//! Prompts of a server.

use std::fmt;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tool_core::ContentBlock;

use super::{ClientContext, ContentError};
use crate::server::ClientIdentity;

/// Template for a conversation, which the user of a client selects.
///
/// # Examples
/// ```
/// use tool_mcp::server::{Prompt, PromptArgument};
///
/// let prompt = Prompt::new("review", "Reviews a change.").with_argument(PromptArgument::required("branch"));
/// assert_eq!(prompt.arguments.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// Unique name.
    pub name: String,
    /// Title for users.
    pub title: Option<String>,
    /// Description for users.
    pub description: String,
    /// Arguments, in the order for users.
    pub arguments: Vec<PromptArgument>,
}

impl Prompt {
    /// Creates a prompt without arguments.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            arguments: Vec::new(),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with_argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }
}

/// Argument of a prompt. Values are strings.
///
/// # Examples
/// See [`Prompt`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Name.
    pub name: String,
    /// Description for users.
    pub description: Option<String>,
    /// Whether the argument must be given.
    pub is_required: bool,
}

impl PromptArgument {
    /// Creates an argument that must be given.
    #[must_use]
    pub fn required(name: impl Into<String>) -> Self {
        Self {
            is_required: true,
            ..Self::optional(name)
        }
    }

    /// Creates an argument that may be omitted.
    #[must_use]
    pub fn optional(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            is_required: false,
        }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// Author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// Conversation of a prompt.
///
/// # Examples
/// ```
/// use tool_mcp::server::{PromptOutput, Role};
///
/// let output = PromptOutput::default().with_message(Role::User, "Review the branch `main`.");
/// assert_eq!(output.messages.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct PromptOutput {
    /// Description for users.
    pub description: Option<String>,
    /// Messages.
    pub messages: Vec<(Role, ContentBlock)>,
}

impl PromptOutput {
    /// Adds a message.
    #[must_use]
    pub fn with_message(mut self, role: Role, content: impl Into<ContentBlock>) -> Self {
        self.messages.push((role, content.into()));
        self
    }
}

/// Prompts of a server.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use serde_json::{Map, Value};
/// use tool_mcp::server::{ClientContext, ClientIdentity, ContentError, Prompt, PromptOutput, Prompts, Role};
///
/// struct Greeting;
///
/// #[async_trait]
/// impl Prompts for Greeting {
///     async fn list(&self, _: &ClientIdentity) -> Vec<Prompt> {
///         vec![Prompt::new("greet", "Greets.")]
///     }
///
///     async fn get(&self, name: &str, _: &Map<String, Value>, _: &ClientContext) -> Result<PromptOutput, ContentError> {
///         match name {
///             "greet" => Ok(PromptOutput::default().with_message(Role::User, "Say hello.")),
///             _ => Err(ContentError::NotFound),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Prompts: Send + Sync {
    /// Returns the prompts for a client, at most 1,000. Further ones are omitted.
    async fn list(&self, client: &ClientIdentity) -> Vec<Prompt>;

    /// Returns the conversation of a prompt. Required arguments are present.
    ///
    /// # Errors
    /// Returns [`ContentError`] if the prompt does not exist or cannot be created.
    async fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        cx: &ClientContext,
    ) -> Result<PromptOutput, ContentError>;

    /// Returns suggestions for the value of an argument that begins with `value`. At most 100 are sent. The default
    /// returns none.
    async fn complete(&self, prompt: &str, argument: &str, value: &str) -> Vec<String> {
        let _ = (prompt, argument, value);
        Vec::new()
    }
}

impl fmt::Debug for dyn Prompts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prompts")
    }
}
