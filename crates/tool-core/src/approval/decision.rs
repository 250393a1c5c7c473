//! Who decides about a call, and what was decided.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::future::{IntoFuture, Ready, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    note = "wrap a closure or an async function in `approver_fn`, or implement `Approver`, with `#[async_trait]`"
)]
pub trait Approver: Send + Sync {
    /// Decides about one call. Called for one request of a registry at a time, unless
    /// [`is_concurrent`](Self::is_concurrent) returns `true`.
    ///
    /// Must not wait for a call of the same registry that requires approval.
    async fn decide(&self, request: &ApprovalRequest) -> Decision; // needs `#[async_trait]` above the `impl`

    /// Returns `true` if [`decide`](Self::decide) may be called concurrently. The default is `false`:
    /// further calls wait, and run without asking if a decision in the meantime allows them.
    fn is_concurrent(&self) -> bool {
        false
    }
}

/// Creates an approver from a closure that returns an [`Answer`], or a future of one.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_core::approval::{Answer, ApprovalRequest, approver_fn};
///
/// async fn chat(request: ApprovalRequest) -> Answer {
///     // Post `request` and wait for the reply.
/// #   tokio::task::yield_now().await;
///     if request.grants.is_empty() { Answer::Approve } else { Answer::Deny { reason: None } }
/// }
///
/// let registry = Registry::builder().approver(approver_fn(|_request| Answer::Approve)).build();
/// let waits = Registry::builder().approver(approver_fn(chat)).build();
/// ```
pub fn approver_fn<F, Returned>(function: F) -> impl Approver
where
    F: Fn(ApprovalRequest) -> Returned + Send + Sync,
    Returned: IntoFuture<Output = Answer, IntoFuture: Send>,
{
    FunctionApprover(function)
}

struct FunctionApprover<F>(F);

#[async_trait]
impl<F, Returned> Approver for FunctionApprover<F>
where
    F: Fn(ApprovalRequest) -> Returned + Send + Sync,
    Returned: IntoFuture<Output = Answer, IntoFuture: Send>,
{
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let answer = (self.0)(request.clone()).into_future();
        Decision::new(request, answer.await)
    }
}

#[async_trait]
impl<T: Approver + ?Sized> Approver for Arc<T> {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.as_ref().decide(request).await
    }

    fn is_concurrent(&self) -> bool {
        self.as_ref().is_concurrent()
    }
}

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

/// An answer is its own future, so that [`approver_fn`] takes closures of both kinds.
impl IntoFuture for Answer {
    type Output = Self;
    type IntoFuture = Ready<Self>;

    fn into_future(self) -> Ready<Self> {
        ready(self)
    }
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
/// let request = ApprovalRequest::new("1", &definition, json!({}), RiskLevel::Dangerous);
/// let decision = Decision::new(&request, Answer::Approve);
/// assert!(decision.is_for(&request));
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
    pub fn new(request: &ApprovalRequest, answer: Answer) -> Self {
        Self {
            request_id: request.id.clone(),
            digest: request.digest.clone(),
            answer,
        }
    }

    /// Returns `true` if the decision is for `request`.
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

/// Maximum number of remembered requests.
const REMEMBERED: usize = 10_000;

/// Ids of decided requests. The oldest are removed.
#[derive(Default)]
pub(crate) struct DecidedRequests(Mutex<VecDeque<String>>);

impl DecidedRequests {
    /// Marks a request as decided, and returns whether it was not decided before.
    pub(crate) fn insert(&self, request_id: &str) -> bool {
        let mut ids = self.ids();
        if ids.iter().any(|known| known == request_id) {
            return false;
        }
        // Bounded, because a server decides for years. A request that is forgotten here has expired long ago.
        if ids.len() == REMEMBERED {
            ids.pop_front();
        }
        ids.push_back(request_id.to_owned());
        true
    }

    /// Forgets a decided request whose call did not run, so that it can be decided again.
    pub(crate) fn forget(&self, request_id: &str) {
        self.ids().retain(|known| known != request_id);
    }

    fn ids(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_first_once_until_removed() {
        let decided_requests = DecidedRequests::default();

        assert!(decided_requests.insert("a"));
        assert!(!decided_requests.insert("a"));
        for number in 0..REMEMBERED {
            assert!(decided_requests.insert(&number.to_string()));
        }
        assert!(decided_requests.insert("a"));
        assert!(!decided_requests.insert("5000"));
    }
}
