//! An approver whose decisions come from elsewhere in the process.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};

use super::decision::{Answer, Approver, Decision};
use super::request::ApprovalRequest;

/// Maximum number of requests that nobody has received yet. Further calls wait.
const MAX_UNREAD: usize = 64;

/// An approver for interfaces: it sends each request to a channel and waits for the decision about it, which comes by the
/// id of the request, for example from a button of a web page.
///
/// Clones are the same approver. Requests of several calls are open at the same time. A call that is cancelled or times out
/// withdraws its request. If the receiver is dropped, calls are denied.
///
/// # Examples
/// ```
/// use tool_core::{Registry, RiskLevel, tool_fn};
/// use tool_core::approval::{Answer, ChannelApprover};
///
/// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct NoInput {}
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (approver, mut requests) = ChannelApprover::new();
/// let pay = tool_fn("pay", "Pays.", |_, _: NoInput| async { Ok("paid") }).risk(RiskLevel::Dangerous);
/// let registry = Registry::builder().approver(approver.clone()).tool(pay)?.build();
///
/// // The interface: shows the request, and later gets a click with its id.
/// tokio::spawn(async move {
///     while let Some(request) = requests.recv().await {
///         approver.answer(&request.id, Answer::Approve);
///     }
/// });
/// assert_eq!(registry.execute("pay", "{}").await.to_string(), "paid");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ChannelApprover {
    requests: mpsc::Sender<ApprovalRequest>,
    waiting: Arc<Mutex<HashMap<String, Waiting>>>,
}

#[derive(Debug)]
struct Waiting {
    request: ApprovalRequest,
    answer: oneshot::Sender<Answer>,
}

impl ChannelApprover {
    /// Creates the approver and the receiver of its requests.
    pub fn new() -> (Self, mpsc::Receiver<ApprovalRequest>) {
        let (requests, receiver) = mpsc::channel(MAX_UNREAD);
        let waiting = Arc::default();
        (Self { requests, waiting }, receiver)
    }

    /// Answers a request. Returns `false` if it is not open: unknown, answered or withdrawn.
    pub fn answer(&self, request_id: &str, answer: Answer) -> bool {
        let waiting = self.open().remove(request_id);
        waiting.is_some_and(|waiting| waiting.answer.send(answer).is_ok())
    }

    /// Returns the requests that wait for an answer, the oldest first. Use it for a page that was loaded again, after the
    /// channel has delivered them.
    #[must_use]
    pub fn open_requests(&self) -> Vec<ApprovalRequest> {
        let open = self.open();
        let mut requests: Vec<_> = open
            .values()
            .map(|waiting| waiting.request.clone())
            .collect();
        requests.sort_by_key(|request| request.requested_at);
        requests
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and waits for the answer; `None` if nobody can receive it.
    async fn ask(&self, request: &ApprovalRequest) -> Option<Answer> {
        let (sender, answer) = oneshot::channel();
        let waiting = Waiting {
            request: request.clone(),
            answer: sender,
        };
        self.open().insert(request.id.clone(), waiting);
        // Also if the call is cancelled here, so that the map only holds open requests.
        let _withdrawn = Withdrawn(self, &request.id);
        self.requests.send(request.clone()).await.ok()?;
        let (mut answer, mut closed) = (pin!(answer), pin!(self.requests.closed()));
        poll_fn(|task| match answer.as_mut().poll(task) {
            Poll::Ready(answer) => Poll::Ready(answer.ok()),
            Poll::Pending => closed.as_mut().poll(task).map(|()| None),
        })
        .await
    }
}

/// Withdraws a request at the end of its wait.
struct Withdrawn<'a>(&'a ChannelApprover, &'a str);

impl Drop for Withdrawn<'_> {
    fn drop(&mut self) {
        self.0.open().remove(self.1);
    }
}

#[async_trait]
impl Approver for ChannelApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let gone = || Answer::Deny {
            reason: Some("Nobody receives requests for approval.".to_owned()),
        };
        Decision::new(request, self.ask(request).await.unwrap_or_else(gone))
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::{RiskLevel, ToolDefinition};

    fn request(id: &str) -> ApprovalRequest {
        let definition = ToolDefinition::new("pay", "Pays.", json!({}));
        ApprovalRequest::new(id, &definition, json!({}), RiskLevel::Dangerous)
    }

    #[tokio::test]
    async fn requests_are_answered_in_any_order_and_once() {
        let (approver, mut requests) = ChannelApprover::new();
        let (one, two) = (request("1"), request("2"));
        let interface = approver.clone();
        let answering = tokio::spawn(async move {
            let first = requests.recv().await.unwrap();
            let second = requests.recv().await.unwrap();
            let denied = interface.answer(&second.id, Answer::Deny { reason: None });
            let first_time = interface.answer(&first.id, Answer::Approve);
            let again = interface.answer(&first.id, Answer::Approve);
            (denied, first_time, again, requests)
        });

        let (first, second) = tokio::join!(approver.decide(&one), approver.decide(&two));

        assert_eq!(first, Decision::new(&one, Answer::Approve));
        assert_eq!(second, Decision::new(&two, Answer::Deny { reason: None }));
        let (denied, first_time, again, _requests) = answering.await.unwrap();
        assert!(denied && first_time && !again);
    }

    #[tokio::test]
    async fn call_that_stops_waiting_withdraws_its_request() {
        let (approver, mut requests) = ChannelApprover::new();
        let request = request("1");

        let waited = tokio::time::timeout(Duration::from_millis(5), approver.decide(&request));

        assert!(waited.await.is_err());
        let received = requests.recv().await.unwrap();
        assert!(!approver.answer(&received.id, Answer::Approve));
        assert_eq!(approver.open_requests(), []);
    }

    #[tokio::test]
    async fn call_is_denied_if_nobody_receives() {
        let (approver, requests) = ChannelApprover::new();
        let asked = request("1");
        let waiting = tokio::spawn({
            let approver = approver.clone();
            async move { approver.decide(&asked).await.answer }
        });
        tokio::task::yield_now().await;
        drop(requests);

        let during = waiting.await.unwrap();
        let after = approver.decide(&request("2")).await.answer;

        assert!(
            matches!(during, Answer::Deny { reason: Some(_) }),
            "{during:?}"
        );
        assert!(
            matches!(after, Answer::Deny { reason: Some(_) }),
            "{after:?}"
        );
    }
}
