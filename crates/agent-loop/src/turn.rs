//! State between two turns, and changes before a turn.

use std::sync::{Arc, Mutex};

use provider_adapters::{Message, ModelSettings, ToolChoice, ToolMessage, Transcript};
use tool_core::{Registry, ToolCall};

use crate::{Model, TotalUsage};

/// State of a run between two turns.
///
/// # Examples
/// ```
/// use agent_loop::Turn;
///
/// fn has_failed(turn: &Turn<'_>) -> bool {
///     turn.results().iter().any(|answer| answer.is_error)
/// }
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Turn<'t> {
    /// Number of the next turn, counted from 1.
    pub number: u32,
    /// Conversation so far.
    pub transcript: &'t Transcript,
    /// Resources used so far.
    pub usage: &'t TotalUsage,
}

impl<'t> Turn<'t> {
    /// Returns the calls of the last reply.
    pub fn calls(&self) -> &'t [ToolCall] {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
        match self.transcript.messages().iter().rfind(is_reply) {
            Some(Message::Assistant { calls, .. }) => calls,
            _ => &[],
        }
    }

    /// Returns the results of the last reply's calls. Empty if a user message follows.
    pub fn results(&self) -> &'t [ToolMessage] {
        match self.transcript.messages().last() {
            Some(Message::Tool { results }) => results,
            _ => &[],
        }
    }

    /// Returns the text of the last reply.
    pub fn text(&self) -> Option<String> {
        let mut latest = self.transcript.messages().iter().rev();
        latest.find_map(|message| match message {
            Message::Assistant { content, .. } => Some(content.to_text()),
            _ => None,
        })
    }
}

/// Changes that apply to one turn. The default changes nothing.
///
/// # Examples
/// ```
/// use agent_loop::TurnChanges;
/// use provider_adapters::ToolChoice;
///
/// let first = TurnChanges::default()
///     .instructions("You plan before you act.")
///     .tool_choice(ToolChoice::Required);
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct TurnChanges {
    pub(crate) tools: Option<Registry>,
    pub(crate) model: Option<Arc<dyn Model>>,
    pub(crate) instructions: Option<String>,
    pub(crate) choice: Option<ToolChoice>,
    pub(crate) settings: Option<ModelSettings>,
}

impl TurnChanges {
    /// Sets the tools.
    pub fn tools(mut self, tools: &Registry) -> Self {
        self.tools = Some(tools.snapshot());
        self
    }

    /// Sets the model.
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the system message. The transcript keeps its own.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Sets the tool choice.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.choice = Some(choice);
        self
    }

    /// Sets settings of the model, such as the temperature.
    pub fn settings(mut self, settings: ModelSettings) -> Self {
        self.settings = Some(settings);
        self
    }

    /// Returns the transcript with other instructions; `None` if they are unchanged.
    pub(crate) fn transcript(&self, transcript: &Transcript) -> Option<Transcript> {
        let system = Message::system(self.instructions.as_deref()?);
        let first = transcript.messages().first();
        // The instructions of a turn replace the system message in the request only, so the next turn starts from the original.
        let has_system = matches!(first, Some(Message::System { .. }));
        let rest = transcript
            .messages()
            .iter()
            .skip(usize::from(has_system))
            .cloned();
        Some(std::iter::once(system).chain(rest).collect())
    }
}

tool_core::debug_fields!(TurnChanges, this =>
    tools: this.tools, instructions: this.instructions, choice: this.choice, settings: this.settings);

/// Function that is called before each turn.
pub(crate) type TurnHook = Mutex<dyn FnMut(&Turn<'_>) -> TurnChanges + Send>;

/// Condition that stops a run after a turn with calls.
pub(crate) type StopCondition = Box<dyn Fn(&Turn<'_>) -> bool + Send + Sync>;
