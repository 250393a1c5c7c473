//! Models: what a run requests replies from.

mod error;
mod reply;
mod scripted;

use std::sync::Arc;

use async_trait::async_trait;
use provider_adapters::{ModelSettings, ToolChoice, Transcript};
use serde::Serialize;
use serde_json::Value;
use tool_core::Registry;

pub use error::ModelError;
pub use reply::{ModelCall, ModelReply};
pub use scripted::ScriptedModel;
#[cfg(test)]
pub(crate) use scripted::tests::repeating;

/// Transcript and tools for one reply.
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
    /// Conversation so far. Every call in it has a result.
    pub transcript: &'r Transcript,
    /// The tools of this turn; the calls of the reply go to these and no others.
    pub tools: &'r Registry,
    /// Tool choice of this turn; `None` for the choice of the model's options.
    pub choice: Option<&'r ToolChoice>,
    /// Settings of this turn, which replace the settings of the model.
    pub settings: Option<&'r ModelSettings>,
    /// JSON Schema of the required final answer. Models that cannot enforce it ignore it.
    pub answer_schema: Option<&'r Value>,
    listener: Option<&'r PieceListener<'r>>,
}

type PieceListener<'l> = dyn Fn(ReplyPiece<'_>) + Send + Sync + 'l;

impl<'r> ModelRequest<'r> {
    /// Creates a request without a listener.
    pub fn new(transcript: &'r Transcript, tools: &'r Registry) -> Self {
        Self {
            transcript,
            tools,
            choice: None,
            settings: None,
            answer_schema: None,
            listener: None,
        }
    }

    /// Sets the listener for the parts of the reply. It must not block.
    #[must_use]
    pub fn on_piece(self, listener: &'r PieceListener<'r>) -> Self {
        Self {
            listener: Some(listener),
            ..self
        }
    }

    /// Sends a part of the reply to the listener, if one is set. Models that do not stream need not
    /// call it.
    ///
    /// If the request fails after a part was sent, the sink receives
    /// [`EventKind::ModelReset`](crate::EventKind::ModelReset).
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{Model, ModelError, ModelReply, ModelRequest, ReplyPiece};
    /// use async_trait::async_trait;
    ///
    /// /// Streams its reply word by word.
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

tool_core::debug_fields!(ModelRequest<'_>, this => transcript: this.transcript, tools: this.tools);

/// Source of replies to a conversation.
///
/// # Examples
/// ```
/// use agent_loop::{Model, ModelError, ModelReply, ModelRequest};
/// use async_trait::async_trait;
///
/// /// Replies with the number of messages.
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
    note = "implement `Model`, or use `ScriptedModel`, which needs no network"
)]
pub trait Model: Send + Sync {
    /// Returns the next reply of the conversation. May be called concurrently.
    ///
    /// # Errors
    /// Returns [`ModelError`] if there is no reply. The loop then retries or fails the run.
    ///
    /// # Cancellation
    /// Dropping the future stops the request.
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError>; // needs `#[async_trait]` above the `impl`

    /// Returns the name of the model and its provider, which spans contain. The default is `None`.
    fn identity(&self) -> Option<ModelIdentity<'_>> {
        None
    }
}

#[async_trait]
impl<M: Model + ?Sized> Model for Arc<M> {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        self.as_ref().respond(request).await
    }

    fn identity(&self) -> Option<ModelIdentity<'_>> {
        self.as_ref().identity()
    }
}

/// Name of a model and its provider, for telemetry.
///
/// # Examples
/// ```
/// use agent_loop::ModelIdentity;
///
/// let mut identity = ModelIdentity::new("ollama", "qwen3");
/// identity.server = Some(("127.0.0.1", 11434));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelIdentity<'m> {
    /// Name of the provider in the OpenTelemetry conventions, such as `openai`.
    pub provider: &'m str,
    /// Name of the model.
    pub model: &'m str,
    /// Host and port of the server.
    pub server: Option<(&'m str, u16)>,
}

impl<'m> ModelIdentity<'m> {
    /// Creates an identity without a server.
    pub fn new(provider: &'m str, model: &'m str) -> Self {
        Self {
            provider,
            model,
            server: None,
        }
    }
}

/// Part of a streamed reply, for display. The final [`ModelReply`] takes
/// precedence.
///
/// Do not execute calls from parts: arguments are incomplete and unchecked, and their keys may be
/// the provider's. Text is unfiltered and may contain terminal control characters.
///
/// # Examples
/// ```
/// use agent_loop::{Event, EventKind, ReplyPiece};
///
/// fn show(event: &Event<'_>) {
///     if let EventKind::ModelPartial { piece: ReplyPiece::Text(text) } = event.kind {
///         print!("{text}");
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyPiece<'p> {
    /// Text of the reply.
    Text(&'p str),
    /// Text of the reasoning.
    Reasoning(&'p str),
    /// Start of a call.
    Call {
        /// Index of the call, counted from 0 in order of arrival. The order may differ in the
        /// reply.
        call: usize,
        /// ID assigned by the provider; empty if unknown.
        id: &'p str,
        /// Name of the tool.
        name: &'p str,
    },
    /// Text of a call's arguments.
    Arguments {
        /// Index of the call, counted from 0 in order of arrival.
        call: usize,
        /// JSON fragment, or plain text for tools with free-form input.
        text: &'p str,
    },
}
