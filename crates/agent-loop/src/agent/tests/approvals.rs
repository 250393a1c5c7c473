use std::sync::atomic::{AtomicUsize, Ordering};

use tool_core::approval::{Answer, Decision, approver_fn};
use tool_core::{RegistryBuilder, RiskLevel};

use super::*;
use crate::{ApprovalWait, Suspended};

fn builder(sent: &Arc<AtomicUsize>, description: &str) -> RegistryBuilder {
    let sent = Arc::clone(sent);
    let tool = tool_fn("send", description, move |_, input: Text| {
        sent.fetch_add(1, Ordering::SeqCst);
        async move { Ok(format!("sent {}", input.text)) }
    });
    let echo = tool_fn("echo", "Repeats the text.", |_, input: Text| async move {
        Ok(input.text)
    });
    Registry::builder()
        .approver(approver_fn(|_| Answer::Suspend))
        .tool(tool.risk(RiskLevel::Dangerous))
        .and_then(|builder| builder.tool(echo))
        .unwrap()
}

fn send(id: &str) -> ToolCall {
    ToolCall::new("send", json!({"text": id})).with_id(id)
}

fn agent_with(registry: Registry, replies: impl IntoIterator<Item = ModelReply>) -> AgentLoop {
    AgentLoop::new(registry, ScriptedModel::new(replies)).wait_for_approvals(ApprovalWait::Suspend)
}

/// Returns a stored run with two waiting calls and one result.
async fn suspended(sent: &Arc<AtomicUsize>) -> Suspended {
    let calls = ModelReply::calls([send("a"), echo("b", "two"), send("c")]).with_usage(10, 1);
    let outcome = agent_with(builder(sent, "Sends.").build(), [calls])
        .run("Go")
        .await;
    assert_eq!(outcome.status, Status::AwaitingApproval);
    assert_eq!(answers(&outcome).len(), 3);
    let stored = serde_json::to_string(&outcome.suspended.unwrap()).unwrap();
    serde_json::from_str(&stored).unwrap()
}

fn decide(suspended: &Suspended, answers: &[Answer]) -> Vec<Decision> {
    let requests = suspended.requests().zip(answers);
    requests
        .map(|(request, answer)| Decision::new(request, answer.clone()))
        .collect()
}

#[tokio::test]
async fn suspended_run_resumes_with_decisions() {
    let sent = Arc::default();
    let suspended = suspended(&sent).await;
    let decisions = decide(
        &suspended,
        &[Answer::Approve, Answer::Deny { reason: None }],
    );
    let agent = agent_with(
        builder(&sent, "Sends.").build(),
        [ModelReply::text("Done.")],
    );

    let outcome = agent.resume_with(suspended, decisions).await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(sent.load(Ordering::SeqCst), 1);
    let results = &transcript_of(&outcome)[2]["results"];
    assert_eq!(results[0]["content"][0]["text"], "sent a");
    assert_eq!(results[1]["content"][0]["text"], "two");
    assert_eq!(results[2]["is_error"], true);
    assert_eq!((outcome.usage.turns, outcome.usage.calls), (2, 3));
}

#[tokio::test]
async fn run_without_all_decisions_is_suspended_again() {
    let sent = Arc::default();
    let suspended = suspended(&sent).await;
    let decisions = decide(&suspended, &[Answer::Approve]);
    let agent = agent_with(builder(&sent, "Sends.").build(), []);

    let outcome = agent.resume_with(suspended, decisions).await;

    assert_eq!(outcome.status, Status::AwaitingApproval);
    let waiting: Vec<String> = outcome
        .suspended
        .unwrap()
        .requests()
        .map(|request| request.call_id.clone())
        .collect();
    assert_eq!(
        (waiting, sent.load(Ordering::SeqCst)),
        (vec!["c".to_owned()], 1)
    );
}

#[tokio::test]
async fn decision_for_changed_definition_is_rejected() {
    let sent = Arc::default();
    let suspended = suspended(&sent).await;
    let decisions = decide(&suspended, &[Answer::Approve, Answer::Approve]);
    let changed = builder(&sent, "Sends it to everyone.").build();
    let agent = agent_with(changed, [ModelReply::text("Done.")]);

    let outcome = agent.resume_with(suspended, decisions).await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(sent.load(Ordering::SeqCst), 0);
    let text = transcript_of(&outcome)[2]["results"].to_string();
    assert!(text.contains("changed after the request"), "{text}");
}
