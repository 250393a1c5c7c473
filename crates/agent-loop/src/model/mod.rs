//! What answers: a model over the wire, a script, a replay.

mod error;
mod piece;
mod replay;
mod reply;
mod scripted;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use provider_adapters::Transcript;
use tool_core::Snapshot;

pub use error::ModelError;
pub use piece::ReplyPiece;
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
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ModelRequest<'r> {
    /// The conversation so far. Every call in it has its answer.
    pub transcript: &'r Transcript,
    /// The tools of this turn; the calls of the reply go to these and no others.
    pub tools: &'r Snapshot,
    listener: Option<&'r PieceListener<'r>>,
}

/// Hears the pieces of a reply.
type PieceListener<'l> = dyn Fn(ReplyPiece<'_>) + Send + Sync + 'l;

impl<'r> ModelRequest<'r> {
    /// Creates a request.
    #[must_use]
    pub fn new(transcript: &'r Transcript, tools: &'r Snapshot) -> Self {
        Self {
            transcript,
            tools,
            listener: None,
        }
    }

    /// Sets who hears the pieces of the reply. It is called in the middle of the work, so it must not block.
    #[must_use]
    pub fn on_piece(self, listener: &'r PieceListener<'r>) -> Self {
        Self {
            listener: Some(listener),
            ..self
        }
    }

    /// Hands on a piece of the reply, where somebody listens. A model that has its reply at once hands on none.
    ///
    /// A request whose pieces somebody has heard is not sent again: what was shown cannot be taken back.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{Model, ModelError, ModelReply, ModelRequest, ReplyPiece};
    /// use async_trait::async_trait;
    ///
    /// /// Speaks word by word.
    /// struct Slow;
    ///
    /// #[async_trait]
    /// impl Model for Slow {
    ///     async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
    ///         for word in ["Good ", "morning."] {
    ///             request.hand_on(ReplyPiece::Text(word));
    ///         }
    ///         Ok(ModelReply::text("Good morning."))
    ///     }
    /// }
    /// ```
    pub fn hand_on(&self, piece: ReplyPiece<'_>) {
        if let Some(listener) = self.listener {
            listener(piece);
        }
    }
}

impl fmt::Debug for ModelRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelRequest")
            .field("transcript", &self.transcript)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
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
