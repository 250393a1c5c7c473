//! What was decided about one call, for its metadata.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::request::ApprovalRequest;

/// How a call was let through, or why not.
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
    /// The policy allowed it without asking.
    Allowed,
    /// The approver said yes.
    Approved,
    /// The approver said yes to other arguments.
    Edited,
    /// The policy, the approver, or the lack of an approver said no.
    Denied,
    /// Nobody has decided yet.
    Pending,
}

/// What was decided about one call.
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
    /// What was decided.
    pub outcome: Outcome,
    /// The id of the rule that decided, or the risk level whose default applied.
    pub rule: Option<Cow<'static, str>>,
    /// What was asked, where nobody has decided yet: for the host to show, and to answer with
    /// [`Registry::resume`](crate::Registry::resume). The model does not see it.
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
