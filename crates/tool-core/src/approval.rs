//! Permissions of calls: policies, rules and approvals.
//!
//! A [`Policy`] allows, denies or requires approval for a call, and [`Policy::explain`] returns the reasons. If approval is
//! required, an [`Approver`] receives an [`ApprovalRequest`] and returns a [`Decision`]. [`suspend_to`] stores the request
//! for a later decision, and [`ApprovalKey`] seals a request that passes through a client. A tool adds its own findings
//! about the arguments in its [`CallPlan`](crate::CallPlan).

#[cfg(feature = "typed")]
mod canonical;
mod channel;
mod command;
#[cfg(feature = "validate")]
mod compiled;
mod decision;
mod explanation;
#[cfg(feature = "validate")]
mod live;
#[cfg(feature = "validate")]
mod matcher;
#[cfg(feature = "validate")]
mod pattern;
mod pending;
pub(crate) mod plan;
mod policy;
mod preview;
mod request;
mod rule;
#[cfg(feature = "typed")]
mod seal;

pub use channel::ChannelApprover;
pub use command::{CommandPart, Coverage};
pub use decision::{Answer, ApprovalRecord, Approver, Decision, Outcome, approver_fn};
pub use explanation::{Explanation, RuleFinding, RuleStatus};
pub use pending::{MemoryPendingApprovals, PendingApprovals, PendingError, suspend_to};
pub use plan::{Finding, Findings};
pub use policy::{Policy, PolicyError};
pub use preview::{Preview, PreviewKind};
pub use request::ApprovalRequest;
pub use rule::{Rule, RuleError, Verdict};
#[cfg(feature = "typed")]
pub use seal::{ApprovalKey, SealError, SealedRequest};

#[cfg(feature = "typed")]
pub(crate) use canonical::{canonical_json, sha256};
pub(crate) use decision::EarlierDecision;
#[cfg(feature = "validate")]
pub(crate) use {
    decision::DecidedRequests,
    live::{LivePolicy, PolicyListener},
    matcher::CanonicalCall,
    rule::Ruling,
};
