//! Who may call what: rules, verdicts, and asking a person.

mod approver;
mod digest;
mod pattern;
mod policy;
mod record;
mod request;
mod rule;

pub use approver::{Approver, approver_fn};
pub use policy::{Policy, Ruling};
pub use record::{ApprovalRecord, Outcome};
pub use request::{Answer, ApprovalRequest, Decision};
pub use rule::{Effect, Rule, Verdict};

pub(crate) use policy::CompiledPolicy;
pub(crate) use request::canonical_json;
