//! Prompts and resources of a server.

mod prompts;
mod resources;

pub use self::prompts::{Prompt, PromptArgument, PromptOutput, Prompts, Role};
pub use self::resources::{Resource, ResourceOutput, Resources};
use super::ClientIdentity;
use super::input::{ClientInput, InputError};

/// Client that requests a prompt or a resource.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClientContext {
    /// Identity of the client.
    pub identity: ClientIdentity,
    /// Requests to the client.
    pub input: ClientInput,
}

impl ClientContext {
    pub(crate) fn new(identity: ClientIdentity, input: ClientInput) -> Self {
        Self { identity, input }
    }
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
