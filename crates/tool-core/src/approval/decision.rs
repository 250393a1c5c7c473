//! What comes back from an approver.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::request::ApprovalRequest;

/// What an approver says.
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
    /// Run it.
    Approve,
    /// Run it, and never ask again for these arguments.
    Always,
    /// Do not run it.
    Deny {
        /// Why, for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Run it with other arguments, which are validated like the first.
    Edit {
        /// The arguments to run with.
        arguments: Value,
    },
    /// Nobody can say yet: the call ends with `approval_pending`, and the answer is given later to
    /// [`Registry::resume`](crate::Registry::resume).
    Suspend,
}

/// An answer, bound to what was asked: to the request by its id, and to the tool, its definition and the arguments by
/// their digest. A decision for another request, or for other bytes, is refused; each request is decided once.
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
    /// The id of the request that is answered.
    pub request_id: String,
    /// The digest of the request that is answered.
    pub digest: String,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
}

impl Decision {
    /// Answers a request.
    #[must_use]
    pub fn new(request: &ApprovalRequest, answer: Answer) -> Self {
        Self {
            request_id: request.id.clone(),
            digest: request.digest.clone(),
            answer,
        }
    }

    /// Whether this is the answer to that request.
    #[must_use]
    pub fn is_for(&self, request: &ApprovalRequest) -> bool {
        self.request_id == request.id && self.digest == request.digest
    }
}
