//! Stop conditions of a run.

use std::fmt;

use crate::Turn;

/// Condition that stops a run after a turn with calls. The status is
/// [`Status::Stopped`](crate::Status::Stopped).
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, ScriptedModel, Status, StopWhen};
/// use serde_json::json;
/// use tool_core::{Registry, ToolCall};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let model = ScriptedModel::from_fn(|_| ModelReply::calls([ToolCall::new("submit", json!({}))]));
/// let agent = AgentLoop::new(Registry::new(), model).stop_when(StopWhen::called("submit"));
/// let outcome = agent.run("Water the tulips.").await;
/// assert_eq!((outcome.status, outcome.usage.turns), (Status::Stopped, 1));
/// # }
/// ```
pub struct StopWhen(Box<dyn Fn(&Turn<'_>) -> bool + Send + Sync>);

impl StopWhen {
    /// Creates a condition from a function.
    #[must_use]
    pub fn new(condition: impl Fn(&Turn<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Box::new(condition))
    }

    /// Stops after a call of the tool, successful or not.
    #[must_use]
    pub fn called(tool: impl Into<String>) -> Self {
        let tool = tool.into();
        Self::new(move |turn| turn.calls().iter().any(|call| call.name == tool))
    }

    /// Stops after a reply that contains `part`.
    #[must_use]
    pub fn said(part: impl Into<String>) -> Self {
        let part = part.into();
        Self::new(move |turn| turn.text().is_some_and(|text| text.contains(&part)))
    }

    /// Stops if the conversation contains at least `failures` failed calls of the tool.
    #[must_use]
    pub fn failed(tool: impl Into<String>, failures: usize) -> Self {
        let tool = tool.into();
        Self::new(move |turn| {
            let results = turn.transcript.iter().flat_map(|message| match message {
                provider_adapters::Message::Tool { results } => results.as_slice(),
                _ => &[],
            });
            let failed = results.filter(|answer| answer.is_error && answer.name == tool);
            failed.count() >= failures
        })
    }

    pub(crate) fn is_met(&self, turn: &Turn<'_>) -> bool {
        (self.0)(turn)
    }
}

impl fmt::Debug for StopWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopWhen")
    }
}
