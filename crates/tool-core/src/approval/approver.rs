//! The trait of approvers.

use async_trait::async_trait;

use super::decision::{Answer, Decision};
use super::request::ApprovalRequest;

/// Decides about calls that require approval: a person at a terminal, a chat, another process.
///
/// The timeout of the call is paused. Cancelling the call stops the wait.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};
///
/// struct OnlyTextFiles;
///
/// #[async_trait]
/// impl Approver for OnlyTextFiles {
///     async fn decide(&self, request: &ApprovalRequest) -> Decision {
///         let all_text = request.files_affected.iter().all(|file| file.ends_with(".txt"));
///         let answer = if all_text { Answer::Approve } else { Answer::Deny { reason: None } };
///         Decision::new(request, answer)
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an approver",
    note = "implement `Approver` for `{Self}`; it has one method, `decide`"
)]
pub trait Approver: Send + Sync {
    /// Decides about one call. Called for one request of a registry at a time, unless
    /// [`is_concurrent`](Self::is_concurrent) returns `true`.
    ///
    /// Must not wait for a call of the same registry that requires approval.
    async fn decide(&self, request: &ApprovalRequest) -> Decision;

    /// Returns `true` if [`decide`](Self::decide) may be called concurrently. The default is `false`:
    /// further calls wait, and run unasked if a decision in the meantime allows them.
    fn is_concurrent(&self) -> bool {
        false
    }
}

/// Creates an approver from a closure that decides immediately.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_core::approval::{Answer, approver_fn};
///
/// let registry = Registry::builder().approver(approver_fn(|_request| Answer::Approve)).build();
/// assert!(registry.list().is_empty());
/// ```
pub fn approver_fn<F>(function: F) -> impl Approver
where
    F: Fn(&ApprovalRequest) -> Answer + Send + Sync,
{
    FunctionApprover(function)
}

struct FunctionApprover<F>(F);

#[async_trait]
impl<F> Approver for FunctionApprover<F>
where
    F: Fn(&ApprovalRequest) -> Answer + Send + Sync,
{
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        Decision::new(request, (self.0)(request))
    }
}
