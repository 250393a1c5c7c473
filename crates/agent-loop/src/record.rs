//! Messages of a run and their record.

use provider_adapters::{Message, ToolMessage};
use tool_core::{ToolCall, ToolError, ToolResult};

use crate::Checkpoint;
use crate::ending::End;
use crate::open_calls::{Standing, standing};
use crate::run::Run;

impl Run<'_> {
    /// Appends a message to the transcript and records it.
    pub(crate) async fn push(&mut self, message: Message) -> Result<(), End> {
        self.conversation.transcript.push(message);
        self.record().await
    }

    /// Records the new messages.
    pub(crate) async fn record(&mut self) -> Result<(), End> {
        let messages = self.conversation.transcript.messages();
        let new = messages
            .get(self.conversation.recorded..)
            .unwrap_or_default();
        for message in new {
            self.save(Checkpoint::Message(message)).await?;
        }
        self.conversation.recorded = messages.len();
        Ok(())
    }

    pub(crate) async fn save(&self, entry: Checkpoint<'_>) -> Result<(), End> {
        let sink = self.agent.checkpoint.as_ref();
        let Some(sink) = sink.filter(|_| self.scope.replay().is_none()) else {
            return Ok(());
        };
        let saved = sink.record(&self.scope.run, &entry).await;
        saved.map_err(|error| End::Failed(error.into()))
    }

    /// Adds an error result for each open call of a run that failed.
    pub(crate) fn close_calls(&mut self) {
        let Standing::Open(calls) = standing(&self.conversation.transcript) else {
            return;
        };
        let refused = |call: &ToolCall| {
            // Providers reject a conversation in which a call has no result, so a failed run couldn't be resumed.
            let error = ToolError::cancelled();
            ToolMessage::from(ToolResult::refused(&call.id, &call.name, error))
        };
        if !calls.is_empty() {
            self.conversation
                .transcript
                .push(Message::tool(calls.iter().map(refused)));
        }
    }
}
