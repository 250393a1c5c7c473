//! Conversation of a run: messages are appended, recorded and shortened.

use provider_adapters::{Message, ToolMessage};
use tool_core::search::{SEARCH_TOOLS, SearchForm, found_in};
use tool_core::{Registry, ToolCall, ToolError, ToolResult};

use super::Run;
use crate::budget::estimated_tokens;
use crate::ending::End;
use crate::open_calls::{Standing, standing};
use crate::run_file::Entry;
use crate::{Checkpoint, EventKind};

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
        // A replay repeats a run that has its record already.
        let Some(sink) = sink.filter(|_| self.scope.replay().is_none()) else {
            return Ok(());
        };
        let saved = sink.record(&self.scope.run, &entry).await;
        saved.map_err(|error| End::Failed(error.into()))
    }

    /// Appends the messages that the host sent since the last turn. Returns whether there are any.
    pub(crate) async fn push_added(&mut self) -> Result<bool, End> {
        let messages = match self.scope.replay() {
            Some(replay) => replay.added_messages(),
            None => self.handle.take(),
        };
        for message in &messages {
            let added = Entry::MessageAdded { message };
            self.scope.note(self.spent.usage.turns, &added);
        }
        let has_new = !messages.is_empty();
        for message in messages {
            self.push(message).await?;
        }
        Ok(has_new)
    }

    /// Shortens the transcript if it is near the limit.
    pub(crate) async fn compact_if_long(&mut self) -> Result<(), End> {
        let is_long = match (self.scope.replay(), &self.agent.compaction) {
            (Some(replay), _) => replay.compacted().is_some(),
            (None, Some((most, _))) => estimated_tokens(&self.conversation.transcript) > *most,
            (None, None) => false,
        };
        if is_long {
            self.compact().await?;
        }
        Ok(())
    }

    pub(crate) fn can_compact(&self) -> bool {
        self.agent.compaction.is_some() || self.scope.replay().is_some()
    }

    /// Shortens the transcript. Returns whether it changed.
    pub(crate) async fn compact(&mut self) -> Result<bool, End> {
        let short = match (self.scope.replay(), &self.agent.compaction) {
            (Some(replay), _) => replay.compacted(),
            (None, Some((most, strategy))) => {
                strategy.compact(&self.conversation.transcript, *most).await
            }
            (None, None) => None,
        };
        let Some(short) = short else {
            return Ok(false);
        };
        let before = self.conversation.transcript.messages().len();
        let after = short.messages().len();
        self.conversation.transcript = short;
        // The entry below contains all of them.
        self.conversation.recorded = after;
        let replaced = Entry::TranscriptReplaced {
            transcript: &self.conversation.transcript,
        };
        self.scope.note(self.spent.usage.turns, &replaced);
        self.emit(EventKind::Compacted { before, after });
        self.save(Checkpoint::Transcript(&self.conversation.transcript))
            .await?;
        Ok(true)
    }

    /// Returns the tools with the definitions that the searches of this conversation have found.
    pub(crate) fn revealed(&self, tools: Registry) -> Registry {
        if tools.search_form() != Some(SearchForm::Append) {
            return tools;
        }
        let messages = self.conversation.transcript.messages().iter();
        let searches = messages
            .flat_map(results_of)
            .filter(|result| result.name == SEARCH_TOOLS);
        let mut found = Vec::new();
        for name in searches.flat_map(|result| found_in(&result.content.to_text())) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        tools.revealing(&found)
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

fn results_of(message: &Message) -> &[ToolMessage] {
    match message {
        Message::Tool { results } => results,
        _ => &[],
    }
}
