//! What answers: a model over the wire, a script, a replay.

mod error;
mod replay;
mod reply;
mod scripted;

use std::sync::Arc;

use async_trait::async_trait;
use provider_adapters::Transcript;
use tool_core::Snapshot;

pub use error::ModelError;
pub use replay::ReplayModel;
pub use reply::{ModelCall, ModelReply};
pub use scripted::ScriptedModel;

/// What a model is asked.
///
/// # Examples
/// ```
/// use agent_loop::ModelRequest;
/// use provider_adapters::{Message, Transcript};
/// use tool_core::Registry;
///
/// let transcript = Transcript::from(vec![Message::user("Hi")]);
/// let tools = Registry::new().snapshot();
/// let request = ModelRequest::new(&transcript, &tools);
/// assert!(request.tools.list().is_empty());
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ModelRequest<'r> {
    /// The conversation so far. Every call in it has its answer.
    pub transcript: &'r Transcript,
    /// The tools of this turn; the calls of the reply go to these and no others.
    pub tools: &'r Snapshot,
}

impl<'r> ModelRequest<'r> {
    /// Creates a request.
    #[must_use]
    pub fn new(transcript: &'r Transcript, tools: &'r Snapshot) -> Self {
        Self { transcript, tools }
    }
}

/// Something that goes on with a conversation.
///
/// # Examples
/// ```
/// use agent_loop::{Model, ModelError, ModelReply, ModelRequest};
/// use async_trait::async_trait;
///
/// /// Says how many messages it was shown.
/// struct Counter;
///
/// #[async_trait]
/// impl Model for Counter {
///     async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
///         let messages = request.transcript.messages().len();
///         Ok(ModelReply::text(format!("{messages} messages")))
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    note = "implement `Model`, or take a `ScriptedModel`, which needs no network"
)]
pub trait Model: Send + Sync {
    /// Replies once.
    ///
    /// # Errors
    /// [`ModelError`] when there is no reply; the run then fails.
    ///
    /// # Cancellation
    /// Dropping the future stops the work.
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError>;
}

#[async_trait]
impl<M: Model + ?Sized> Model for Arc<M> {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        self.as_ref().respond(request).await
    }
}

#[async_trait]
impl<M: Model + ?Sized> Model for Box<M> {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        self.as_ref().respond(request).await
    }
}
