//! Approval records in the metadata of calls.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::request::ApprovalRequest;

/// Outcome of the approval of a call.
///
/// # Examples
/// ```
/// use tool_core::approval::Outcome;
///
/// assert_eq!(serde_json::to_string(&Outcome::Allowed)?, "\"allowed\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The policy allowed the call.
    Allowed,
    /// The approver approved the call.
    Approved,
    /// The approver approved edited arguments.
    Edited,
    /// The policy or the approver denied the call, or there was no approver.
    Denied,
    /// The call waits for a decision.
    Pending,
}

/// Approval of one call.
///
/// # Examples
/// ```
/// use tool_core::approval::{ApprovalRecord, Outcome};
///
/// let record = ApprovalRecord::new(Outcome::Allowed, Some("read_only"));
/// assert_eq!(record.rule.as_deref(), Some("read_only"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRecord {
    /// Outcome of the approval.
    pub outcome: Outcome,
    /// Id of the deciding rule, or the risk level whose verdict applied.
    pub rule: Option<Cow<'static, str>>,
    /// Request of a call that waits for a decision, for [`Registry::resume`](crate::Registry::resume). The model does not
    /// see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<ApprovalRequest>>,
}

impl ApprovalRecord {
    /// Creates a record.
    #[must_use]
    pub fn new(outcome: Outcome, rule: Option<impl Into<Cow<'static, str>>>) -> Self {
        Self {
            outcome,
            rule: rule.map(Into::into),
            request: None,
        }
    }

    pub(crate) fn pending(rule: Cow<'static, str>, request: ApprovalRequest) -> Self {
        Self {
            request: Some(Box::new(request)),
            ..Self::new(Outcome::Pending, Some(rule))
        }
    }
}
