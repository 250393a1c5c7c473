//! Claims of keys.

use serde::{Deserialize, Serialize};

use super::{LeaseToken, LedgerEntry};
use crate::approval::ApprovalRequest;
use crate::{Timestamp, ToolResult};

/// Result of [`Ledger::claim`](super::Ledger::claim).
///
/// # Examples
/// ```
/// use tool_core::ledger::{Claim, LeaseToken};
///
/// let claim = Claim::New(LeaseToken::from_random(7));
/// assert!(matches!(claim, Claim::New(token) if token.as_u64() == 7));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "claim", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Claim {
    /// The caller holds the key and must run the call.
    New(LeaseToken),
    /// Another run holds the lease.
    Running {
        /// Time at which the run was claimed.
        since: Timestamp,
        /// Time at which its lease ends unless it is renewed.
        lease_until: Timestamp,
    },
    /// The call is settled and does not run again.
    Done(Box<ToolResult>),
    /// A request for approval of the call waits.
    AwaitingApproval(Box<ApprovalRequest>),
    /// The lease ended before the outcome was stored, and the call may have had an effect.
    Unknown(Box<LedgerEntry>),
    /// The key belongs to a call of another tool or with other arguments, or the approval was withdrawn.
    Conflict,
}
