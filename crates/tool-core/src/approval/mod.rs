//! Who may call what: rules, verdicts, and asking a person.
//!
//! A [`Policy`] says what runs, what asks and what does not run, and [`Policy::explain`] says why. Where it asks, an
//! [`Approver`] gets an [`ApprovalRequest`] and gives a [`Decision`]; [`suspend_to`] keeps the request for an answer that
//! comes later or from elsewhere, and [`ApprovalKey`] seals one that goes through a client. A tool that can tell more
//! about its arguments than their text says so with an [`Assessment`].

mod answered;
mod approver;
mod assessment;
mod canonical;
mod compiled;
mod decided;
mod decision;
mod digest;
mod explanation;
mod live;
mod packed;
mod pattern;
mod pending;
mod policy;
mod preview;
mod record;
mod request;
mod rule;
#[cfg(feature = "typed")]
mod seal;
mod visible;

pub use approver::{Approver, approver_fn};
pub use assessment::Assessment;
pub use decision::{Answer, Decision};
pub use explanation::{Explanation, RuleFinding, RuleStatus};
pub use pending::{MemoryPendingApprovals, PendingApprovals, PendingError, suspend_to};
pub use policy::{Policy, PolicyError};
pub use preview::{Preview, PreviewKind};
pub use record::{ApprovalRecord, Outcome};
pub use request::ApprovalRequest;
pub use rule::{Effect, Rule, RuleError, Verdict};
#[cfg(feature = "typed")]
pub use seal::{ApprovalKey, SealError, SealedRequest};

pub(crate) use answered::Answered;
pub(crate) use canonical::{CanonicalArguments, canonical_json};
pub(crate) use decided::Decided;
pub(crate) use live::{LivePolicy, PolicyListener};
pub(crate) use policy::Ruling;
