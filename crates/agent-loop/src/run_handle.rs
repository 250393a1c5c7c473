//! Control of a running run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use provider_adapters::{Content, Message};

use crate::locked::locked;

/// Handle that sends messages to a run and stops it between two turns. Clones share their state.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, RunHandle, ScriptedModel};
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let handle = RunHandle::new();
/// handle.say("In German, please.");
/// let agent = AgentLoop::new(Registry::new(), ScriptedModel::new([ModelReply::text("Hallo.")]));
/// let outcome = agent.run("Greet me.").handle(&handle).await;
/// assert_eq!(outcome.transcript.messages().len(), 3);
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunHandle(Arc<Inbox>);

#[derive(Debug, Default)]
struct Inbox {
    messages: Mutex<Vec<Message>>,
    stops: AtomicBool,
}

impl RunHandle {
    /// Creates a handle.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a user message before the next turn. A message that arrives during the final answer
    /// starts another turn.
    pub fn say(&self, message: impl Into<Content>) {
        locked(&self.0.messages).push(Message::user(message));
    }

    /// Stops the run after the results of the current turn. The status is
    /// [`Status::Stopped`](crate::Status::Stopped).
    pub fn stop_after_turn(&self) {
        self.0.stops.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Vec<Message> {
        std::mem::take(&mut locked(&self.0.messages))
    }

    pub(crate) fn stops(&self) -> bool {
        self.0.stops.load(Ordering::Relaxed)
    }
}
