//! Permissions that approval gives.

use std::sync::Mutex;

use super::*;
use crate::approval::{MemoryPendingApprovals, suspend_to};

/// A tool that needs the shared grants, which may change at any time.
struct Granting {
    definition: ToolDefinition,
    grants: Arc<Mutex<Vec<&'static str>>>,
    runs: Arc<AtomicUsize>,
}

#[async_trait]
impl Tool for Granting {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let asking = CallPlan::of(self.definition.risk()).asking("needs", "needs more");
        let grants = self.grants.lock().unwrap();
        let plan = grants.iter().copied().fold(asking, CallPlan::with_grant);
        Ok(PreparedCall::new(plan, async {
            self.runs.fetch_add(1, Ordering::SeqCst);
            Ok(ToolOutput::text("ran"))
        }))
    }
}

struct Host {
    registry: Registry,
    grants: Arc<Mutex<Vec<&'static str>>>,
    runs: Arc<AtomicUsize>,
}

impl Host {
    /// Creates a registry whose approver is made with the shared grants.
    fn new<A: crate::approval::Approver + 'static>(
        approver: impl FnOnce(Arc<Mutex<Vec<&'static str>>>) -> A,
    ) -> Self {
        let grants = Arc::new(Mutex::new(vec!["network", "write:/srv/x"]));
        let runs = Arc::new(AtomicUsize::new(0));
        let tool = Granting {
            definition: ToolDefinition::new("fetch", "Fetches.", json!({"type": "object"})),
            grants: Arc::clone(&grants),
            runs: Arc::clone(&runs),
        };
        let registry = Registry::builder()
            .approver(approver(Arc::clone(&grants)))
            .tool(tool)
            .unwrap()
            .build();
        Self {
            registry,
            grants,
            runs,
        }
    }

    fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn prompt_states_the_grants_of_the_tool() {
    let prompts: Arc<Mutex<Vec<String>>> = Arc::default();
    let shown = Arc::clone(&prompts);
    let host = Host::new(|_| {
        approver_fn(move |request| {
            shown.lock().unwrap().push(request.to_string());
            Answer::Approve
        })
    });

    host.registry.execute("fetch", json!({})).await;

    let prompts = prompts.lock().unwrap();
    assert!(
        prompts[0].starts_with("Approval gives: network; write:/srv/x\n"),
        "{prompts:?}"
    );
    assert_eq!(host.runs(), 1);
}

#[tokio::test]
async fn grants_that_change_during_the_decision_are_not_given() {
    for answer in [Answer::Approve, Answer::Always] {
        let host = Host::new(|grants| {
            approver_fn(move |_| {
                grants.lock().unwrap().push("unconfined");
                answer.clone()
            })
        });

        let result = host.registry.execute("fetch", json!({})).await;

        assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
        assert_eq!(
            result.to_string(),
            "Error: What the call would do changed after the request. Call the tool again."
        );
        assert_eq!(host.runs(), 0);
    }
}

#[tokio::test]
async fn stored_decision_gives_only_the_grants_of_its_request() {
    for (now, runs) in [
        (vec!["network", "write:/srv/x"], 1),
        (vec!["network", "write:/srv/"], 0),
        (vec!["network", "write:/srv/x", "unconfined"], 0),
    ] {
        let host = Host::new(|_| suspend_to(Arc::new(MemoryPendingApprovals::default())));
        let waiting = host.registry.execute("fetch", json!({})).await;
        let stored = serde_json::to_string(&waiting.metadata.approval.unwrap().request).unwrap();
        let request: ApprovalRequest = serde_json::from_str(&stored).unwrap();
        *host.grants.lock().unwrap() = now;

        let decision = Decision::new(&request, Answer::Approve);
        let options = CallOptions::default();
        host.registry.resume(&request, &decision, &options).await;

        assert_eq!(host.runs(), runs);
    }
}
