//! State of a ledger in memory.

use std::collections::{BTreeMap, HashMap};

use tool_core::Timestamp;
use tool_core::approval::ApprovalRequest;
use tool_core::ledger::{CallKey, LedgerEntry};

/// Entries and requests by position.
#[derive(Default)]
pub(super) struct State {
    pub(super) positions: HashMap<CallKey, u64>,
    pub(super) entries: BTreeMap<u64, Stored>,
    pub(super) last: u64,
    pub(super) requests: BTreeMap<u64, ApprovalRequest>,
}

/// An entry, and the time of its outcome.
pub(super) struct Stored {
    pub(super) entry: LedgerEntry,
    pub(super) settled_at: Option<Timestamp>,
}

impl State {
    /// Returns the entry of a key.
    pub(super) fn entry(&mut self, key: &CallKey) -> Option<&mut Stored> {
        let position = self.positions.get(key)?;
        self.entries.get_mut(position)
    }

    /// Returns the next position.
    pub(super) fn next(&mut self) -> u64 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    /// Adds the entry of a new key.
    pub(super) fn insert(&mut self, entry: LedgerEntry) {
        // A later claim keeps the position, because callers list pages while calls run.
        self.positions.insert(entry.key.clone(), entry.position);
        let stored = Stored {
            entry,
            settled_at: None,
        };
        self.entries.insert(stored.entry.position, stored);
    }

    /// Removes a request.
    pub(super) fn take(&mut self, request_id: &str) -> Option<ApprovalRequest> {
        let mut known = self.requests.iter();
        let (position, _) = known.find(|(_, request)| request.id == request_id)?;
        let position = *position;
        self.requests.remove(&position)
    }
}
