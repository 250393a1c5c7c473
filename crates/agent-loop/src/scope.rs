//! Receivers for the events of one run.

use std::sync::Arc;

use tool_core::{ContentBlock, Progress, ProgressSink};

use crate::event::Listener;
use crate::run_file::{Entry, Journal, Replay};
use crate::{Event, EventKind};

/// Receivers for the events of one run, and its ID.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) run: Arc<str>,
    pub(crate) parent_call: Option<Arc<str>>,
    pub(crate) listener: Listener,
    /// Record of the run, if anything reads it.
    pub(crate) journal: Option<Arc<Journal>>,
}

impl Scope {
    pub(crate) fn emit(&self, turn: u32, kind: EventKind<'_>) {
        let event = Event {
            run: &self.run,
            parent_call: self.parent_call.as_deref(),
            turn,
            kind,
        };
        self.listener.emit(&event);
        if let Some(journal) = &self.journal {
            journal.event(&event);
        }
    }

    /// Adds an entry to the record of the run.
    pub(crate) fn note(&self, turn: u32, entry: &Entry<'_>) {
        if let Some(journal) = &self.journal {
            journal.entry(&self.run, turn, entry);
        }
    }

    /// Returns the replay that supplies replies and results.
    pub(crate) fn replay(&self) -> Option<&Replay> {
        self.journal.as_ref()?.replay.as_deref()
    }

    /// Returns a sink for the progress of calls, or `None` to use the sink of the registry.
    pub(crate) fn progress_sink(&self, turn: u32) -> Option<Arc<dyn ProgressSink>> {
        let scope = self.clone();
        self.listener
            .has_listener()
            .then(|| Arc::new(Relay { scope, turn }) as Arc<dyn ProgressSink>)
    }
}

struct Relay {
    scope: Scope,
    turn: u32,
}

impl ProgressSink for Relay {
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress) {
        let kind = EventKind::CallProgress {
            call_id,
            tool_name,
            progress,
        };
        self.scope.emit(self.turn, kind);
    }

    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        let kind = EventKind::CallPartial {
            call_id,
            tool_name,
            piece,
        };
        self.scope.emit(self.turn, kind);
    }
}
