//! The approver of calls whose decision was made by the caller's side.

use async_trait::async_trait;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};

use crate::decision_key::Decided;

/// Approves the request that the decision covers, and no other.
pub(super) struct SealedApprover(pub(super) Option<Decided>);

#[async_trait]
impl Approver for SealedApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let is_covered = self
            .0
            .as_ref()
            .is_some_and(|decided| decided.covers(request));
        let answer = if is_covered {
            Answer::Approve
        } else {
            let reason = "the worker requires an approval that the caller did not send";
            Answer::Deny {
                reason: Some(reason.to_owned()),
            }
        };
        Decision::new(request, answer)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}
