//! Models that need no network: scripted, or the replies of a stored conversation.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use provider_adapters::{Finish, Message, Transcript};

use super::{Model, ModelCall, ModelError, ModelReply, ModelRequest};
use crate::open_calls::is_paused;

/// Model that needs no network and replies from a list or a closure.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
/// use serde_json::json;
/// use tool_core::{Registry, ToolCall, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let add = tool_fn("add", "Adds.", |_, input: Add| async move { Ok(input.a + input.b) });
/// let model = ScriptedModel::new([
///     ModelReply::calls([ToolCall::new("add", json!({"a": 2, "b": 40}))]),
///     ModelReply::text("It is 42."),
/// ]);
/// let outcome = AgentLoop::new(Registry::of(add)?, model).run("What is 2 + 40?").await;
/// assert_eq!(outcome.reply.as_deref(), Some("It is 42."));
/// # Ok(()) }
/// ```
pub struct ScriptedModel(Script);

enum Script {
    List {
        replies: Vec<ModelReply>,
        next: AtomicUsize,
    },
    Function(Box<dyn Fn(&Transcript) -> ModelReply + Send + Sync>),
}

impl ScriptedModel {
    /// Creates a model that returns each of `replies` once, in order.
    #[must_use]
    pub fn new(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        Self(Script::List {
            replies: replies.into_iter().collect(),
            next: AtomicUsize::new(0),
        })
    }

    /// Creates a model that calls `function` with the transcript for every reply.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{ModelReply, ScriptedModel};
    ///
    /// let model = ScriptedModel::from_fn(|transcript| {
    ///     ModelReply::text(format!("{} messages", transcript.messages().len()))
    /// });
    /// ```
    #[must_use]
    pub fn from_fn(function: impl Fn(&Transcript) -> ModelReply + Send + Sync + 'static) -> Self {
        Self(Script::Function(Box::new(function)))
    }
}

#[async_trait]
impl Model for ScriptedModel {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        match &self.0 {
            Script::Function(function) => Ok(function(request.transcript)),
            Script::List { replies, next } => {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let reply = replies.get(turn).cloned();
                reply.ok_or(ModelError::ScriptEnded { turn: turn + 1 })
            }
        }
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Script::List { replies, .. } => write!(f, "ScriptedModel({} replies)", replies.len()),
            Script::Function(_) => f.write_str("ScriptedModel(function)"),
        }
    }
}

/// Model that repeats the replies of a stored conversation. The tools are executed again.
///
/// The next reply is selected by the number of replies in the current transcript.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ReplayModel};
/// use provider_adapters::Transcript;
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
/// let stored: Transcript = serde_json::from_str(
///     r#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]"#,
/// )?;
/// let outcome = AgentLoop::new(Registry::new(), ReplayModel::new(&stored)).run("Hi").await;
/// assert_eq!(outcome.transcript, stored);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ReplayModel {
    replies: Vec<ModelReply>,
}

impl ReplayModel {
    /// Creates a model from the replies in `transcript`.
    #[must_use]
    pub fn new(transcript: &Transcript) -> Self {
        Self {
            replies: transcript.messages().iter().filter_map(reply_of).collect(),
        }
    }
}

fn reply_of(message: &Message) -> Option<ModelReply> {
    let Message::Assistant {
        content,
        calls,
        reasoning,
        order,
    } = message
    else {
        return None;
    };
    let finish = match calls.as_slice() {
        _ if is_paused(message) => Finish::Paused,
        [] => Finish::Stop,
        _ => Finish::Calls,
    };
    Some(ModelReply {
        text: content.to_text(),
        calls: calls.iter().cloned().map(ModelCall::from).collect(),
        reasoning: reasoning.clone(),
        order: order.clone(),
        finish,
        usage: None,
    })
}

#[async_trait]
impl Model for ReplayModel {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let replied = request
            .transcript
            .iter()
            .filter(|message| matches!(message, Message::Assistant { .. }))
            .count();
        let reply = self.replies.get(replied).cloned();
        reply.ok_or(ModelError::ScriptEnded { turn: replied + 1 })
    }
}
