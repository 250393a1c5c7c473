//! Compaction of a run's transcript.

use crate::budget::TranscriptSize;
use crate::ending::End;
use crate::run::Run;
use crate::run_file::Entry;
use crate::{Checkpoint, EventKind};

impl Run<'_> {
    /// Shortens the transcript if it is near the limit.
    pub(crate) async fn compact_if_long(&mut self) -> Result<(), End> {
        let is_long = match (self.scope.replay(), &self.agent.compaction) {
            (Some(replay), _) => replay.compacted().is_some(),
            (None, Some((most, _))) => {
                self.conversation.size.tokens(&self.conversation.transcript) > *most
            }
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
        // The size only counts appended messages, so measure the new transcript from its start.
        self.conversation.size = TranscriptSize::default();
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
}
