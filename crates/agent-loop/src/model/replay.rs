use async_trait::async_trait;
use provider_adapters::{Finish, Message, Transcript};

use super::{Model, ModelCall, ModelError, ModelReply, ModelRequest};
use crate::paused::is_paused;

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
            replies: transcript.iter().filter_map(reply_of).collect(),
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
