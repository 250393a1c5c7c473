//! Decisions of approvers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::request::ApprovalRequest;

/// Answer of an approver.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::approval::Answer;
///
/// let answer = Answer::Deny { reason: Some("Not on a Friday.".to_owned()) };
/// assert_eq!(json!(answer), json!({"answer": "deny", "reason": "Not on a Friday."}));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// Run the call.
    Approve,
    /// Run the call, and allow these arguments from now on.
    Always,
    /// Do not run the call.
    Deny {
        /// Reason, for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Run the call with other arguments, which are validated again.
    Edit {
        /// Edited arguments.
        arguments: Value,
    },
    /// Decide later: the call fails with `approval_pending`, and [`Registry::resume`](crate::Registry::resume) executes it
    /// after the decision.
    Suspend,
}

/// An answer for one request. The id binds it to the request, and the digest to the tool, its definition and the arguments.
/// A decision for another id or digest is rejected; each request is decided once.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{RiskLevel, ToolDefinition};
/// use tool_core::approval::{Answer, ApprovalRequest, Decision};
///
/// let definition = ToolDefinition::new("f", "F", json!({}));
/// let request = ApprovalRequest::new("1", &definition, json!({}), RiskLevel::Dangerous).ok_or("no digests")?;
/// let decision = Decision::new(&request, Answer::Approve);
/// assert!(decision.is_for(&request));
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// Id of the request.
    pub request_id: String,
    /// Digest of the request.
    pub digest: String,
    /// Answer of the approver.
    #[serde(flatten)]
    pub answer: Answer,
}

impl Decision {
    /// Creates a decision about a request.
    #[must_use]
    pub fn new(request: &ApprovalRequest, answer: Answer) -> Self {
        Self {
            request_id: request.id.clone(),
            digest: request.digest.clone(),
            answer,
        }
    }

    /// Returns `true` if the decision is for `request`.
    #[must_use]
    pub fn is_for(&self, request: &ApprovalRequest) -> bool {
        self.request_id == request.id && self.digest == request.digest
    }
}

/// A decision that was made before its call is executed again.
#[derive(Debug)]
pub(crate) struct EarlierDecision {
    pub(crate) request: ApprovalRequest,
    pub(crate) decision: Decision,
}
