//! Entries of a ledger, and the transitions between their states that all stores share.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CallKey, Claim, Intent, LeaseToken, LedgerError, LedgerState, Settled};
use crate::approval::ApprovalRequest;
use crate::{Timestamp, ToolResult};

/// A call in a ledger.
///
/// # Examples
/// See [`Ledger`](super::Ledger).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LedgerEntry {
    /// Position in the order of the first claims. Mark of a [`Page`].
    pub position: u64,
    /// Key of the call.
    pub key: CallKey,
    /// Facts about the call.
    pub intent: Intent,
    /// State at the time of the query.
    pub state: LedgerState,
    /// Time of the last claim, by the clock of the store.
    pub since: Timestamp,
    /// End of the lease, if the call has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Timestamp>,
    /// Token of the last claim. A recovery settles with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<LeaseToken>,
    /// Number of claims.
    pub claims: u32,
    /// Stored result, if the call is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<ToolResult>>,
    /// Request for approval that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<ApprovalRequest>>,
    /// Id of a request that was denied or taken without a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<String>,
}

impl LedgerEntry {
    /// Creates the entry of a running call. Stores set the other fields.
    pub fn new(position: u64, key: CallKey, intent: Intent, since: Timestamp) -> Self {
        Self {
            position,
            key,
            intent,
            state: LedgerState::Running,
            since,
            lease_until: None,
            token: None,
            claims: 0,
            result: None,
            request: None,
            withdrawn: None,
        }
    }
}

/// Selection of entries. The default selects all.
///
/// # Examples
/// ```
/// use tool_core::ledger::{LedgerFilter, LedgerState};
///
/// let filter = LedgerFilter::default().with_scope("run-7").with_state(LedgerState::Unknown);
/// assert_eq!(filter.states, [LedgerState::Unknown]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
#[must_use]
pub struct LedgerFilter {
    /// Scope of the entries; all scopes without one.
    pub scope: Option<String>,
    /// Tool of the entries; all tools without one.
    pub tool: Option<String>,
    /// States of the entries; all states if empty.
    pub states: Vec<LedgerState>,
}

impl LedgerFilter {
    /// Selects entries of one scope.
    pub fn with_scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Selects entries of one tool.
    pub fn with_tool(mut self, tool: impl Into<String>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Selects entries in this state, in addition to other selected states.
    pub fn with_state(mut self, state: LedgerState) -> Self {
        self.states.push(state);
        self
    }

    /// Returns `true` if the entry is selected.
    pub fn selects(&self, entry: &LedgerEntry) -> bool {
        let of =
            |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|own| own == name);
        of(&self.scope, &entry.key.scope)
            && of(&self.tool, &entry.intent.tool)
            && (self.states.is_empty() || self.states.contains(&entry.state))
    }
}

/// Page of a list of entries.
///
/// # Examples
/// ```
/// use tool_core::ledger::Page;
///
/// assert_eq!(Page::first(10_000).limit, Page::MAX_LIMIT);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Page {
    /// Position of the last entry of the previous page.
    pub after: Option<u64>,
    /// Maximum number of entries.
    pub limit: usize,
}

impl Page {
    /// Maximum number of entries of a page.
    pub const MAX_LIMIT: usize = 1000;

    /// Creates the first page. The limit is between 1 and [`MAX_LIMIT`](Self::MAX_LIMIT).
    pub fn first(limit: usize) -> Self {
        Self {
            after: None,
            // A page of all entries would hold them in memory at once.
            limit: limit.clamp(1, Self::MAX_LIMIT),
        }
    }

    /// Creates the page after `entry`, the last one of this page.
    #[must_use]
    pub fn after(self, entry: &LedgerEntry) -> Self {
        Self {
            after: Some(entry.position),
            ..self
        }
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::first(100)
    }
}

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
    /// let intent = Intent::new("pay", &json!({"amount": 5}), RiskLevel::Dangerous);
    /// let mut entry = LedgerEntry::new(1, CallKey::new("run-7", "call_1"), intent.clone(), Timestamp::now());
    /// assert!(matches!(entry.claim_for(&intent), Some(Claim::Running { .. })));
    /// entry.state = LedgerState::FailedWithoutEffect;
    /// assert_eq!(entry.claim_for(&intent), None);
    /// ```
    pub fn claim_for(&self, intent: &Intent) -> Option<Claim> {
        if let (LedgerState::AwaitingApproval, Some(request)) = (self.state, &self.request) {
            return self.while_waiting(request, intent);
        }
        let decided = intent.approval.as_ref();
        if decided.is_some() && decided == self.withdrawn.as_ref() {
            return Some(Claim::Conflict);
        }
        // Nothing happened, so the key is free, even for other arguments.
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
            // A repeatable call may simply run again; for any other, the first outcome is final.
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
        // A run that outlived its lease may still report, unless another one took over: it knows best what happened.
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
            // Remembered, so that an approval that arrives later runs nothing.
            self.withdrawn = Some(request_id.to_owned());
        }
    }
}
