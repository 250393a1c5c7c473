//! Models that need no network.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use provider_adapters::Transcript;

use super::{Model, ModelError, ModelReply, ModelRequest};

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
pub struct ScriptedModel(Box<Script>);

type Script = dyn Fn(&Transcript) -> Result<ModelReply, ModelError> + Send + Sync;

impl ScriptedModel {
    /// Creates a model that returns each of `replies` once, in order.
    pub fn new(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let replies: Vec<ModelReply> = replies.into_iter().collect();
        let next = AtomicUsize::new(0);
        Self(Box::new(move |_| {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let reply = replies.get(turn).cloned();
            reply.ok_or(ModelError::ScriptEnded { turn: turn + 1 })
        }))
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
    pub fn from_fn(function: impl Fn(&Transcript) -> ModelReply + Send + Sync + 'static) -> Self {
        Self(Box::new(move |transcript| Ok(function(transcript))))
    }
}

#[async_trait]
impl Model for ScriptedModel {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        (self.0)(request.transcript)
    }
}

tool_core::debug_fields!(ScriptedModel);

#[cfg(test)]
pub(crate) mod tests {
    use provider_adapters::{Finish, Message};

    use super::*;
    use crate::ModelCall;
    use crate::open_calls::is_paused;

    /// Returns a model that repeats the replies of a conversation.
    pub(crate) fn repeating(transcript: &Transcript) -> ScriptedModel {
        ScriptedModel::new(transcript.messages().iter().filter_map(reply_of))
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
}
