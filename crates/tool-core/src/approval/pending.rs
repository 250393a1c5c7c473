//! Requests that are decided later, perhaps in another process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::decision::{Answer, Approver, Decision};
use super::request::ApprovalRequest;

/// Store of requests that wait for a decision. [`MemoryPendingApprovals`] serves one process; the stores of `tool-ledger`
/// are for several processes and survive a restart. Requests are plain serde data.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::approval::{ApprovalRequest, MemoryPendingApprovals, PendingApprovals};
/// use tool_core::{RiskLevel, ToolDefinition};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let definition = ToolDefinition::new("f", "F", json!({}));
/// let request = ApprovalRequest::new("1", &definition, json!({}), RiskLevel::Dangerous);
/// let pending = MemoryPendingApprovals::default();
/// pending.put(&request).await?;
/// assert_eq!(pending.list().await?, [request.clone()]);
/// assert_eq!(pending.take(&request.id).await?, Some(request.clone()));
/// assert_eq!(pending.take(&request.id).await?, None);
/// # Ok(()) }
/// ```
#[async_trait]
pub trait PendingApprovals: Send + Sync {
    /// Stores a request under its id. Replaces a request with the same id.
    ///
    /// # Errors
    /// Returns [`PendingError`] if it cannot be stored; the call is then denied.
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError>;

    /// Returns all stored requests, oldest first.
    ///
    /// # Errors
    /// Returns [`PendingError`] if they cannot be read.
    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError>;

    /// Removes a request and returns it. Of concurrent calls, exactly one must receive it, so that a decision is used once.
    ///
    /// # Errors
    /// Returns [`PendingError`] if it cannot be read.
    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError>;

    /// Returns a request that waits, and keeps it. The default searches the list.
    ///
    /// # Errors
    /// Returns [`PendingError`] if it cannot be read.
    async fn find(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let requests = self.list().await?;
        Ok(requests.into_iter().find(|known| known.id == request_id))
    }

    /// Returns `true` if a [ledger](crate::ledger) over the same database takes a request in the step that claims its call.
    /// An approval then survives a crash between the decision and the run. The default is `false`.
    fn claims_requests(&self) -> bool {
        false
    }
}

/// Reason why a pending approval could not be stored or decided.
///
/// # Examples
/// ```
/// use tool_core::approval::PendingError;
///
/// assert_eq!(PendingError::Full { limit: 2 }.to_string(), "2 requests are already waiting, which is the limit");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PendingError {
    /// The store is full.
    #[error("{limit} requests are already waiting, which is the limit")]
    Full {
        /// Maximum number of requests.
        limit: usize,
    },
    /// No request with this id is waiting: it was decided, or never stored.
    #[error("no request `{request_id}` is waiting")]
    NotWaiting {
        /// Id of the request.
        request_id: String,
    },
    /// The decision has another digest than the request, or only suspends it again. The request keeps waiting.
    #[error("the decision is not for the request `{request_id}`")]
    NotAnAnswer {
        /// Id of the request.
        request_id: String,
    },
    /// The store failed.
    #[error("the store of pending approvals failed")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Store of pending approvals in memory, at most 1,000 by default.
///
/// # Examples
/// See [`PendingApprovals`].
pub struct MemoryPendingApprovals {
    requests: Mutex<VecDeque<ApprovalRequest>>,
    limit: usize,
}

impl Default for MemoryPendingApprovals {
    fn default() -> Self {
        Self::with_limit(1000)
    }
}

impl MemoryPendingApprovals {
    /// Creates a store with a maximum number of requests.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            requests: Mutex::default(),
            limit,
        }
    }

    fn requests(&self) -> MutexGuard<'_, VecDeque<ApprovalRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl PendingApprovals for MemoryPendingApprovals {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let mut requests = self.requests();
        // An approver may be asked again about the same request, which must not take a second place.
        if let Some(known) = requests.iter_mut().find(|known| known.id == request.id) {
            known.clone_from(request);
            return Ok(());
        }
        if requests.len() >= self.limit {
            return Err(PendingError::Full { limit: self.limit });
        }
        requests.push_back(request.clone());
        Ok(())
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        Ok(self.requests().iter().cloned().collect())
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let mut requests = self.requests();
        let place = requests.iter().position(|known| known.id == request_id);
        Ok(place.and_then(|place| requests.remove(place)))
    }
}

debug_fields!(MemoryPendingApprovals, this => waiting: this.requests().len(), limit: this.limit);

/// Creates an approver that does not wait: it stores the request in `pending`, and the call fails with `approval_pending`
/// and the request in `metadata.approval`. [`Registry::decide`](crate::Registry::decide) executes it after the decision.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tool_core::approval::{Answer, Decision, MemoryPendingApprovals, PendingApprovals, suspend_to};
/// use tool_core::{CallOptions, ErrorCode, Registry, RiskLevel, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input { name: String }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let greet = tool_fn("greet", "Greets.", |_, input: Input| async move { Ok(format!("Hello, {}", input.name)) });
/// let pending = Arc::new(MemoryPendingApprovals::default());
/// let registry = Registry::builder()
///     .approver(suspend_to(pending.clone()))
///     .tool(greet.risk(RiskLevel::Dangerous))?
///     .build();
///
/// let waiting = registry.execute("greet", json!({"name": "Ada"})).await;
/// assert_eq!(waiting.error.map(|error| error.code), Some(ErrorCode::ApprovalPending));
///
/// let request = pending.list().await?.remove(0);
/// let decision = Decision::new(&request, Answer::Approve);
/// let result = registry.decide(pending.as_ref(), &decision, &CallOptions::default()).await?;
/// assert_eq!((result.id, result.data), (waiting.id, Some(json!("Hello, Ada"))));
/// # Ok(()) }
/// ```
pub fn suspend_to(pending: Arc<dyn PendingApprovals>) -> impl Approver {
    Suspending(pending)
}

struct Suspending(Arc<dyn PendingApprovals>);

#[async_trait]
impl Approver for Suspending {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let answer = match self.0.put(request).await {
            Ok(()) => Answer::Suspend,
            // Fail closed: a request that nobody can find would wait forever.
            Err(error) => {
                tracing::warn!(error = %error, "a request for approval could not be stored");
                let reason = "the request could not be stored".to_owned();
                Answer::Deny {
                    reason: Some(reason),
                }
            }
        };
        Decision::new(request, answer)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{RiskLevel, ToolDefinition};

    fn request(n: u32) -> ApprovalRequest {
        let definition = ToolDefinition::new("f", "F", json!({}));
        ApprovalRequest::new("1", &definition, json!({"n": n}), RiskLevel::Dangerous)
    }

    #[tokio::test]
    async fn request_is_taken_once() {
        let pending = Arc::new(MemoryPendingApprovals::default());
        let request = request(1);
        pending.put(&request).await.unwrap();
        pending.put(&request).await.unwrap();

        let takers: Vec<_> = (0..8)
            .map(|_| {
                let (pending, id) = (Arc::clone(&pending), request.id.clone());
                tokio::spawn(async move { pending.take(&id).await.unwrap() })
            })
            .collect();
        let mut taken = Vec::new();
        for taker in takers {
            taken.extend(taker.await.unwrap());
        }

        assert_eq!(taken, [request]);
    }

    #[tokio::test]
    async fn requests_are_bounded_and_listed_oldest_first() {
        let pending = MemoryPendingApprovals::with_limit(2);
        let [first, second, third] = [request(1), request(2), request(3)];
        pending.put(&first).await.unwrap();
        pending.put(&second).await.unwrap();

        let refused = pending.put(&third).await;

        assert!(matches!(refused, Err(PendingError::Full { limit: 2 })));
        assert_eq!(pending.list().await.unwrap(), [first, second]);
    }
}
