//! State of one run. The files with the steps of a run import this one, and never each other.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use provider_adapters::Transcript;
use tool_core::approval::{Approver, Decision};
use tool_core::{
    CancellationToken, ContentBlock, ErrorCode, Extensions, Progress, ProgressSink, ToolResult,
};

use crate::budget::SharedBudget;
use crate::event::Listener;
use crate::run_file::{Entry, Journal, Replay};
use crate::suspended::{AgentCalls, SuspendedAgent};
use crate::{AgentLoop, Event, EventKind, LoopError, RunHandle, Suspended, TotalUsage};

/// A run, from its first request to the end.
pub(crate) struct Run<'a> {
    pub(crate) agent: &'a AgentLoop,
    pub(crate) scope: Scope,
    pub(crate) cancellation: CancellationToken,
    pub(crate) handle: RunHandle,
    pub(crate) conversation: Conversation,
    pub(crate) spent: Spent,
    pub(crate) calls: Calls,
    pub(crate) model_turns: ModelTurns,
    /// What the run was suspended with, until it is restored.
    pub(super) suspended: Option<(Suspended, Vec<Decision>)>,
}

/// What was said, and how much of it is recorded.
pub(crate) struct Conversation {
    pub(crate) transcript: Transcript,
    /// Number of messages that the checkpoint sink has.
    pub(crate) recorded: usize,
    /// IDs of open calls that started; `None` if unknown.
    pub(super) started: Option<HashSet<String>>,
    /// IDs of the calls of the run, once they are needed.
    pub(crate) call_ids: Option<HashSet<String>>,
}

/// What the run has used of its limits.
pub(crate) struct Spent {
    pub(crate) usage: TotalUsage,
    /// Shared with the runs that are tools of this one.
    pub(crate) budget: Arc<SharedBudget>,
}

/// What the calls of the run receive, and the agents among them.
pub(crate) struct Calls {
    pub(crate) extensions: Option<Arc<Extensions>>,
    /// Approver of the run that started this one.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Whether the run suspends if a call waits for approval.
    pub(crate) suspends: bool,
    pub(crate) agents: Arc<AgentCalls>,
    /// Suspended runs of calls, by the ID of the run.
    pub(crate) waiting: BTreeMap<String, SuspendedAgent>,
}

/// What the models have done so far that decides about the next turn.
#[derive(Default)]
pub(crate) struct ModelTurns {
    pub(crate) repeated: Repeated,
    pub(crate) cycles: Cycles,
    /// Number of models that failed.
    pub(crate) failed_models: usize,
    /// Number of correction requests sent to the model.
    pub(crate) corrected: u32,
    /// Whether the last reply was empty.
    pub(crate) was_empty: bool,
}

/// Last failing call and the number of its repetitions.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    call: Option<(String, String)>,
    count: u32,
}

impl Repeated {
    /// Counts a call. A successful call, another call, and a call that waits for approval reset the
    /// count.
    pub(crate) fn count(&mut self, call: (String, String), result: &ToolResult) {
        let error = result.error.as_ref();
        // A model that repeats a call while a person decides isn't stuck.
        let waits = error.is_some_and(|error| error.code == ErrorCode::ApprovalPending);
        if result.success || waits {
            *self = Self::default();
        } else if self.call.as_ref() == Some(&call) {
            self.count = self.count.saturating_add(1);
        } else {
            self.call = Some(call);
            self.count = 1;
        }
    }

    /// Returns the error of a run that repeats a failing call. A limit of 0 disables it.
    pub(crate) fn error(&self, limit: u32) -> Option<LoopError> {
        let (tool, _) = self.call.as_ref()?;
        (limit > 0 && self.count >= limit).then(|| LoopError::Stuck {
            tool: tool.clone(),
            calls: self.count,
        })
    }
}

/// Maximum number of turns in a cycle.
const LONGEST_CYCLE: usize = 4;

/// Hashes of the calls and results of each turn.
#[derive(Debug, Default)]
pub(crate) struct Cycles(Vec<u64>);

impl Cycles {
    /// Adds a turn.
    pub(crate) fn add(&mut self, calls: &[(String, String)], results: &[ToolResult]) {
        let waits = |result: &ToolResult| {
            let error = result.error.as_ref();
            error.is_some_and(|error| error.code == ErrorCode::ApprovalPending)
        };
        if results.iter().any(waits) {
            self.0.clear();
            return;
        }
        let mut hasher = DefaultHasher::new();
        calls.hash(&mut hasher);
        for result in results {
            (result.success, result.to_string()).hash(&mut hasher);
        }
        self.0.push(hasher.finish());
    }

    /// Returns the error of a run whose last turns repeat a cycle. A limit of 0 disables it.
    pub(crate) fn error(&self, limit: u32) -> Option<LoopError> {
        let times = usize::try_from(limit).ok().filter(|times| *times > 0)?;
        let repeats = |turns: &usize| {
            let length = turns.checked_mul(times);
            let start = length.and_then(|length| self.0.len().checked_sub(length));
            let cycles = start.and_then(|start| self.0.get(start..));
            cycles.is_some_and(|last| {
                last.iter()
                    .zip(last.iter().skip(*turns))
                    .all(|(a, b)| a == b)
            })
        };
        let turns = (1..=LONGEST_CYCLE).find(repeats)?;
        Some(LoopError::Repeating {
            turns,
            times: limit,
        })
    }
}

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
        // The listener first: what a person sees does not wait for the record.
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
