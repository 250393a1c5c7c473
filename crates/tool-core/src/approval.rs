//! Permissions of calls: policies, rules and approvals.
//!
//! A [`Policy`] allows, denies or requires approval for a call, and [`Policy::explain`] returns the reasons. If approval is
//! required, an [`Approver`] receives an [`ApprovalRequest`] and returns a [`Decision`]. [`suspend_to`] stores the request
//! for a later decision, and [`ApprovalKey`] seals a request that passes through a client. A tool adds its own findings
//! about the arguments with an [`Assessment`].

mod approver;
mod assessment;
mod canonical;
mod canonical_call;
mod compiled;
mod decided_requests;
mod decision;
mod explanation;
mod live;
mod packed;
#[cfg(feature = "typed")]
mod pattern;
mod pending;
mod plan;
mod policy;
mod preview;
mod record;
mod request;
mod rule;
mod ruling;
#[cfg(feature = "typed")]
mod seal;
#[cfg(not(feature = "typed"))]
mod unsupported_pattern;
mod verdict;
mod visible;

pub use approver::{Approver, approver_fn};
pub use assessment::Assessment;
pub use decision::{Answer, Decision};
pub use explanation::{Explanation, RuleFinding, RuleStatus};
pub use pending::{MemoryPendingApprovals, PendingApprovals, PendingError, suspend_to};
pub use plan::CallPlan;
pub use policy::{Policy, PolicyError};
pub use preview::{Preview, PreviewKind};
pub use record::{ApprovalRecord, Outcome};
pub use request::ApprovalRequest;
pub use rule::{Rule, RuleError};
#[cfg(feature = "typed")]
pub use seal::{ApprovalKey, SealError, SealedRequest};
pub use verdict::Verdict;

pub(crate) use canonical::{CanonicalArguments, canonical_json};
pub(crate) use decided_requests::DecidedRequests;
pub(crate) use decision::EarlierDecision;
pub(crate) use live::{LivePolicy, PolicyListener};
pub(crate) use ruling::Ruling;
