//! Transitions of entries, which all stores share.

use std::time::Duration;

use super::{Claim, Intent, LeaseToken, LedgerEntry, LedgerError, LedgerState, Settled};
use crate::Timestamp;
use crate::approval::ApprovalRequest;

impl LedgerEntry {
    /// Returns the entry with its state at `now`, by the clock of the store: a run whose lease ended is `unknown`, or
    /// `claimed` if it may be repeated.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        let is_over = self.lease_until.is_some_and(|end| end <= now);
        if self.state == LedgerState::Running && is_over {
            self.state = LedgerState::after_lease(self.intent.repeatable);
        }
        self
    }

    /// Returns the response to a later claim, or `None` if the call may run. The state must be the [current](Self::at) one.
    ///
    /// Calls that may be repeated are pinned only by a success, other calls also by a failure with a possible effect.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::ledger::{CallKey, Claim, Intent, LedgerEntry, LedgerState};
    /// use tool_core::{RiskLevel, Timestamp};
    ///
    /// let intent = Intent::new("pay", &json!({"amount": 5}), RiskLevel::Dangerous).ok_or("built without digests")?;
    /// let mut entry = LedgerEntry::new(1, CallKey::new("run-7", "call_1"), intent.clone(), Timestamp::now());
    /// assert!(matches!(entry.claim_for(&intent), Some(Claim::Running { .. })));
    /// entry.state = LedgerState::FailedWithoutEffect;
    /// assert_eq!(entry.claim_for(&intent), None);
    /// # Ok::<_, &str>(())
    /// ```
    #[must_use]
    pub fn claim_for(&self, intent: &Intent) -> Option<Claim> {
        if let (LedgerState::AwaitingApproval, Some(request)) = (self.state, &self.request) {
            return self.while_waiting(request, intent);
        }
        let decided = intent.approval.as_ref();
        if decided.is_some() && decided == self.withdrawn.as_ref() {
            return Some(Claim::Conflict);
        }
        if self.state == LedgerState::FailedWithoutEffect {
            return None;
        }
        if !self.intent.is_same_call(intent) {
            return Some(Claim::Conflict);
        }
        match (self.state, &self.result) {
            (LedgerState::Running, _) => Some(Claim::Running {
                since: self.since,
                lease_until: self.lease_until.unwrap_or(self.since),
            }),
            (LedgerState::Done, Some(result)) => Some(Claim::Done(result.clone())),
            _ if self.intent.repeatable => None,
            (LedgerState::FailedWithPossibleEffect, Some(result)) => {
                Some(Claim::Done(result.clone()))
            }
            _ => Some(Claim::Unknown(Box::new(self.clone()))),
        }
    }

    /// Responds to a claim while `request` waits. Its decision starts the run; an expired request allows another one.
    fn while_waiting(&self, request: &ApprovalRequest, intent: &Intent) -> Option<Claim> {
        match &intent.approval {
            Some(decided) if *decided == request.id => None,
            None if !self.intent.is_same_call(intent) => Some(Claim::Conflict),
            None if request.is_expired_at(intent.time) => None,
            _ => Some(Claim::AwaitingApproval(Box::new(request.clone()))),
        }
    }

    /// Starts a run after [`claim_for`](Self::claim_for) returned `None`.
    pub fn start(&mut self, intent: &Intent, token: LeaseToken, now: Timestamp, lease: Duration) {
        self.intent = intent.clone();
        self.state = LedgerState::Running;
        self.since = now;
        self.lease_until = Some(now.after(lease));
        self.token = Some(token);
        self.claims = self.claims.saturating_add(1);
        (self.result, self.request, self.withdrawn) = (None, None, None);
    }

    /// Extends the lease.
    ///
    /// # Errors
    /// Returns [`LedgerError::LeaseLost`] if the entry has another token or is not running.
    pub fn renew(
        &mut self,
        token: LeaseToken,
        now: Timestamp,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        if self.token != Some(token) || self.state != LedgerState::Running {
            return Err(LedgerError::LeaseLost);
        }
        self.lease_until = Some(now.after(lease));
        Ok(())
    }

    /// Stores an outcome.
    ///
    /// # Errors
    /// Returns [`LedgerError::LeaseLost`] if the entry has another token or is settled.
    pub fn settle(&mut self, token: LeaseToken, outcome: &Settled) -> Result<(), LedgerError> {
        let is_open = !self.state.is_settled() && self.state != LedgerState::AwaitingApproval;
        if self.token != Some(token) || !is_open {
            return Err(LedgerError::LeaseLost);
        }
        self.state = outcome.state();
        self.lease_until = None;
        self.result = Some(Box::new(outcome.result().clone()));
        Ok(())
    }

    /// Sets the request for approval that waits. Returns `false` if the call has run or is running, so that the request
    /// must not change the entry.
    #[must_use]
    pub fn wait_for(&mut self, request: &ApprovalRequest, intent: Intent) -> bool {
        let is_free = matches!(
            self.state,
            LedgerState::AwaitingApproval | LedgerState::FailedWithoutEffect
        );
        if is_free {
            self.intent = intent;
            self.state = LedgerState::AwaitingApproval;
            self.request = Some(Box::new(request.clone()));
            (self.result, self.token, self.lease_until) = (None, None, None);
        }
        is_free
    }

    /// Withdraws the request `request_id` if it waits: a later claim with its decision is a [`Claim::Conflict`].
    pub fn withdraw(&mut self, request_id: &str) {
        let waits = |request: &ApprovalRequest| request.id == request_id;
        if self.request.as_deref().is_some_and(waits) {
            self.state = LedgerState::FailedWithoutEffect;
            self.request = None;
            self.withdrawn = Some(request_id.to_owned());
        }
    }
}
