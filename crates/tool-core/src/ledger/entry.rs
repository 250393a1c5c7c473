//! Entries of a ledger.

use serde::{Deserialize, Serialize};

use super::{CallKey, Intent, LeaseToken, LedgerState};
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
    #[must_use]
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
#[non_exhaustive]
pub struct LedgerFilter {
    /// Scope of the entries; all scopes without one.
    #[serde(default)]
    pub scope: Option<String>,
    /// Tool of the entries; all tools without one.
    #[serde(default)]
    pub tool: Option<String>,
    /// States of the entries; all states if empty.
    #[serde(default)]
    pub states: Vec<LedgerState>,
}

impl LedgerFilter {
    /// Selects entries of one scope.
    #[must_use]
    pub fn with_scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Selects entries of one tool.
    #[must_use]
    pub fn with_tool(mut self, tool: impl Into<String>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Selects entries in this state, in addition to other selected states.
    #[must_use]
    pub fn with_state(mut self, state: LedgerState) -> Self {
        self.states.push(state);
        self
    }

    /// Returns `true` if the entry is selected.
    #[must_use]
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
    #[serde(default)]
    pub after: Option<u64>,
    /// Maximum number of entries.
    pub limit: usize,
}

impl Page {
    /// Maximum number of entries of a page.
    pub const MAX_LIMIT: usize = 1000;

    /// Creates the first page. The limit is between 1 and [`MAX_LIMIT`](Self::MAX_LIMIT).
    #[must_use]
    pub fn first(limit: usize) -> Self {
        Self {
            after: None,
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
