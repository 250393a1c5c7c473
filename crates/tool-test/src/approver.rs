//! Approver with scripted answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};

/// Approver that returns the answers of a list in order and records the requests.
///
/// After the last answer it denies every request, so an unexpected call fails the test instead of
/// running. Clones share their answers and requests: give one to the registry and keep the other.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::approval::Answer;
/// use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolOutput};
/// use tool_test::FakeApprover;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let approver = FakeApprover::new([Answer::Approve]);
/// let delete = ToolDefinition::new("delete", "Deletes a file.", json!({"type": "object"}));
/// let delete = delete.with_risk(RiskLevel::Dangerous);
/// let delete = DynamicTool::new(delete, |_cx, _arguments| async { Ok(ToolOutput::text("gone")) });
/// let registry = Registry::builder().approver(approver.clone()).tool(delete)?.build();
///
/// assert!(registry.execute("delete", json!({"path": "a"})).await.success);
/// assert!(!registry.execute("delete", json!({"path": "b"})).await.success);
/// assert_eq!(approver.requests()[0].arguments, json!({"path": "a"}));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct FakeApprover(Arc<Mutex<Inner>>);

struct Inner {
    answers: VecDeque<Answer>,
    delay: Option<Duration>,
    requests: Vec<ApprovalRequest>,
}

impl FakeApprover {
    /// Creates an approver that returns `answers` in order.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            answers: answers.into_iter().collect(),
            delay: Some(Duration::ZERO),
            requests: Vec::new(),
        })))
    }

    /// Creates an approver that never decides, to test what happens while a person thinks.
    pub fn silent() -> Self {
        let approver = Self::new([]);
        approver.inner().delay = None;
        approver
    }

    /// Sets the delay before each answer. The default is zero.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        self.inner().delay = Some(delay);
        self
    }

    /// Returns the requests so far, oldest first.
    pub fn requests(&self) -> Vec<ApprovalRequest> {
        self.inner().requests.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, request: &ApprovalRequest) -> (Answer, Option<Duration>) {
        let mut inner = self.inner();
        inner.requests.push(request.clone());
        let answer = inner.answers.pop_front().unwrap_or_else(|| Answer::Deny {
            reason: Some("the fake approver has no answer left".to_owned()),
        });
        (answer, inner.delay)
    }
}

#[async_trait]
impl Approver for FakeApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let (answer, delay) = self.next(request);
        match delay {
            // Not a sleep of zero, which lets other tasks run first.
            Some(Duration::ZERO) => (),
            Some(delay) => tokio::time::sleep(delay).await,
            None => std::future::pending().await,
        }
        Decision::new(request, answer)
    }
}

tool_core::debug_fields!(FakeApprover, this => answers_left: this.inner().answers.len());

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_core::{
        CallOptions, CancellationToken, DynamicTool, Registry, RiskLevel, ToolCall, ToolDefinition,
        ToolOutput,
    };

    use super::*;

    fn registry(approver: &FakeApprover) -> Registry {
        let delete = ToolDefinition::new("delete", "Deletes.", json!({"type": "object"}));
        let delete = delete.with_risk(RiskLevel::Dangerous);
        let delete = DynamicTool::new(delete, |_, _| async { Ok(ToolOutput::text("gone")) });
        let builder = Registry::builder().approver(approver.clone());
        builder.tool(delete).unwrap().build()
    }

    #[tokio::test(start_paused = true)]
    async fn returns_answers_in_order_then_denies() {
        let edited = Answer::Edit {
            arguments: json!({"path": "c"}),
        };
        let no = Answer::Deny {
            reason: Some("too late".to_owned()),
        };
        let approver =
            FakeApprover::new([Answer::Approve, edited, no]).after(Duration::from_secs(9));
        let registry = registry(&approver);
        let started = tokio::time::Instant::now();
        let mut results = Vec::new();
        for _ in 0..4 {
            let result = registry.execute("delete", json!({"path": "a"})).await;
            results.push((result.to_string(), result.metadata.parameters.to_value()));
        }

        let a = json!({"path": "a"});
        let results: Vec<(&str, &Value)> = results
            .iter()
            .map(|(text, value)| (text.as_str(), value))
            .collect();
        let after = "Do not repeat it; ask what to do instead.";
        assert_eq!(results[0], ("gone", &a));
        assert_eq!(results[1], ("gone", &json!({"path": "c"})));
        assert_eq!(
            results[2].0,
            format!("Error: The user did not approve this call: too late. {after}")
        );
        assert!(results[3].0.contains("no answer left"), "{}", results[3].0);
        assert_eq!(approver.requests().len(), 4);
        assert_eq!(started.elapsed(), Duration::from_secs(36));
    }

    #[tokio::test(start_paused = true)]
    async fn silent_approver_blocks_call_until_cancelled() {
        let approver = FakeApprover::silent();
        let registry = registry(&approver);
        let stop = CancellationToken::new();
        let options = CallOptions::default().with_cancellation(stop.clone());
        let waiting = registry.spawn(ToolCall::new("delete", "{}"), options);
        tokio::time::sleep(Duration::from_hours(9)).await;
        assert!(!waiting.is_finished());

        stop.cancel();

        assert_eq!(waiting.await.error.unwrap().code.as_str(), "cancelled");
        assert_eq!(approver.requests().len(), 1);
    }
}
