//! Who may call what: rules, verdicts, and asking a person.

mod record;

pub use record::{ApprovalRecord, Outcome};
