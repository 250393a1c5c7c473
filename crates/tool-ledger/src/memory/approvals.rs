//! Requests for approval in memory.

use async_trait::async_trait;
use tool_core::approval::{ApprovalRequest, PendingApprovals, PendingError};

use super::MemoryLedger;
use crate::approvals::{call_of, store_failed, waiting_entry};

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
