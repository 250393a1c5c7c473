//! Ledger in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tool_core::approval::{ApprovalRequest, PendingApprovals, PendingError};
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter, Page,
    Settled,
};
use tool_core::output_store::{MemoryStore, OutputHandle, OutputStore, StoreError, StoredPage};
use tool_core::{Clock, Timestamp};

use crate::LedgerLimits;
use crate::store::{call_of, new_token, store_failed, waiting_entry};

/// Ledger in memory, for tests and for one process. Clones share their state.
///
/// It is not durable: after a crash, nothing is known about earlier calls. Call [`prune`](Ledger::prune) to bound it.
///
/// # Examples
/// See the [crate].
#[derive(Clone)]
pub struct MemoryLedger {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    limits: LedgerLimits,
    clock: Option<Box<dyn Clock>>,
    outputs: MemoryStore,
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryLedger {
    /// Creates an empty ledger.
    pub fn new() -> Self {
        Self::create(LedgerLimits::default(), None)
    }

    /// Creates an empty ledger with limits.
    pub fn with_limits(limits: LedgerLimits) -> Self {
        Self::create(limits, None)
    }

    /// Creates an empty ledger whose leases follow `clock`.
    pub fn with_clock(limits: LedgerLimits, clock: impl Clock + 'static) -> Self {
        Self::create(limits, Some(Box::new(clock)))
    }

    fn create(limits: LedgerLimits, clock: Option<Box<dyn Clock>>) -> Self {
        Self {
            inner: Arc::new(Inner {
                state: Mutex::default(),
                limits,
                clock,
                outputs: MemoryStore::new(limits.outputs),
            }),
        }
    }

    fn now(&self) -> Timestamp {
        let clock = self.inner.clock.as_ref();
        clock.map_or_else(Timestamp::now, |clock| clock.now())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.inner.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Ledger for MemoryLedger {
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError> {
        key.check()?;
        self.inner.limits.json(intent)?;
        let (token, now) = (new_token()?, self.now());
        let mut state = self.state();
        let Some(stored) = state.entry(key) else {
            let position = state.next();
            let mut entry = LedgerEntry::new(position, key.clone(), intent.clone(), now);
            entry.start(intent, token, now, lease);
            state.insert(entry);
            return Ok(Claim::New(token));
        };
        let mut entry = stored.entry.clone().at(now);
        if let Some(claim) = entry.claim_for(intent) {
            return Ok(claim);
        }
        // The request is closed with the claim, under one lock. Otherwise, a second decision could start the call again.
        let request = entry.request.take();
        entry.start(intent, token, now, lease);
        (stored.entry, stored.settled_at) = (entry, None);
        if let Some(request) = request {
            state.take(&request.id);
        }
        Ok(Claim::New(token))
    }

    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        let now = self.now();
        let mut state = self.state();
        let stored = state.entry(key).ok_or(LedgerError::LeaseLost)?;
        stored.entry.renew(token, now, lease)
    }

    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError> {
        self.inner.limits.result_json(outcome)?;
        let now = self.now();
        let mut state = self.state();
        let stored = state.entry(key).ok_or(LedgerError::LeaseLost)?;
        stored.entry.settle(token, outcome)?;
        stored.settled_at = Some(now);
        Ok(())
    }

    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
        let now = self.now();
        let mut state = self.state();
        Ok(state.entry(key).map(|stored| stored.entry.clone().at(now)))
    }

    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let now = self.now();
        let state = self.state();
        let from = page.after.map_or(0, |after| after.saturating_add(1));
        let entries = state.entries.range(from..);
        let current = entries.map(|(_, stored)| stored.entry.clone().at(now));
        Ok(current
            .filter(|entry| filter.selects(entry))
            .take(page.limit.min(Page::MAX_LIMIT))
            .collect())
    }

    async fn prune(&self, age: Duration) -> Result<u64, LedgerError> {
        let now = self.now();
        let mut state = self.state();
        let is_old = |stored: &Stored| {
            let settled = stored
                .settled_at
                // Unknown calls stay: a removed key counts as new, and its call would run again.
                .filter(|_| stored.entry.state.is_settled());
            settled.is_some_and(|at| at.after(age) <= now)
        };
        let before = state.entries.len();
        state.entries.retain(|_, stored| !is_old(stored));
        let State {
            positions, entries, ..
        } = &mut *state;
        positions.retain(|_, position| entries.contains_key(position));
        Ok((before - state.entries.len()) as u64)
    }
}

#[async_trait]
impl OutputStore for MemoryLedger {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        self.inner.outputs.put(text).await
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        self.inner.outputs.read(handle, offset, limit).await
    }
}

tool_core::debug_fields!(MemoryLedger, this =>
    entries: this.state().entries.len(), requests: this.state().requests.len());

/// Entries and requests by position.
#[derive(Default)]
struct State {
    positions: HashMap<CallKey, u64>,
    entries: BTreeMap<u64, Stored>,
    last: u64,
    requests: BTreeMap<u64, ApprovalRequest>,
}

/// An entry, and the time of its outcome.
struct Stored {
    entry: LedgerEntry,
    settled_at: Option<Timestamp>,
}

impl State {
    /// Returns the entry of a key.
    fn entry(&mut self, key: &CallKey) -> Option<&mut Stored> {
        let position = self.positions.get(key)?;
        self.entries.get_mut(position)
    }

    /// Returns the next position.
    fn next(&mut self) -> u64 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    /// Adds the entry of a new key.
    fn insert(&mut self, entry: LedgerEntry) {
        // A later claim keeps the position, because callers list pages while calls run.
        self.positions.insert(entry.key.clone(), entry.position);
        let stored = Stored {
            entry,
            settled_at: None,
        };
        self.entries.insert(stored.entry.position, stored);
    }

    /// Removes a request.
    fn take(&mut self, request_id: &str) -> Option<ApprovalRequest> {
        let mut known = self.requests.iter();
        let (position, _) = known.find(|(_, request)| request.id == request_id)?;
        let position = *position;
        self.requests.remove(&position)
    }
}

#[async_trait]
impl PendingApprovals for MemoryLedger {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let limits = self.inner.limits;
        limits.json(request).map_err(store_failed)?;
        let call = call_of(request).map_err(store_failed)?;
        let now = self.now();
        let mut state = self.state();
        let known = state.requests.iter_mut();
        if let Some((_, known)) = known.into_iter().find(|(_, known)| known.id == request.id) {
            known.clone_from(request);
        } else if state.requests.len() >= limits.max_requests {
            return Err(PendingError::Full {
                limit: limits.max_requests,
            });
        } else {
            let position = state.next();
            state.requests.insert(position, request.clone());
        }
        let Some((key, intent)) = call else {
            return Ok(());
        };
        if let Some(stored) = state.entry(key) {
            let mut entry = stored.entry.clone().at(now);
            // A call that runs or has run keeps its entry.
            if entry.wait_for(request, intent) {
                stored.entry = entry;
            }
        } else {
            let position = state.next();
            state.insert(waiting_entry(position, key.clone(), intent, request, now));
        }
        Ok(())
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        Ok(self.state().requests.values().cloned().collect())
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let now = self.now();
        let mut state = self.state();
        let request = state.take(request_id);
        let key = request
            .as_ref()
            .and_then(|request| request.call_key.as_ref());
        if let Some(stored) = key.and_then(|key| state.entry(key)) {
            stored.entry.withdraw(request_id);
            stored.settled_at = Some(now);
        }
        Ok(request)
    }

    async fn find(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let state = self.state();
        let mut requests = state.requests.values();
        Ok(requests.find(|known| known.id == request_id).cloned())
    }

    fn claims_requests(&self) -> bool {
        true
    }
}
