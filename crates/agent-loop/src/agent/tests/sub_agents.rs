//! Runs as tools of other runs.

use tool_core::approval::{Answer, approver_fn};
use tool_core::{RiskLevel, ToolDefinition};

use super::*;

#[tokio::test]
async fn agent_as_tool_reports_usage_and_parent_call() {
    let parents = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&parents);
    let child =
        agent([ModelReply::text("42.").with_usage(70, 7)]).on_event(move |event: &Event<'_>| {
            log.lock()
                .unwrap()
                .push(event.parent_call.map(str::to_owned));
        });
    let schema =
        json!({"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]});
    let tool = child.as_tool(ToolDefinition::new("ask", "Asks.", schema));
    let replies = [
        ModelReply::calls([ToolCall::new("ask", json!({"task": "Add."})).with_id("p1")])
            .with_usage(10, 1),
        ModelReply::text("It is 42.").with_usage(10, 1),
    ];
    let parent = AgentLoop::new(Registry::of(tool).unwrap(), ScriptedModel::new(replies));

    let outcome = parent.run("Go").await;

    assert_eq!(
        transcript_of(&outcome)[2]["results"][0]["content"][0]["text"],
        "42."
    );
    assert_eq!((outcome.usage.input_tokens, outcome.usage.turns), (90, 2));
    let parents = parents.lock().unwrap();
    assert!(!parents.is_empty());
    assert!(parents.iter().all(|parent| parent.as_deref() == Some("p1")));
}

#[tokio::test]
async fn calls_of_nested_agents_reach_the_approver_of_the_parent() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    let approver = approver_fn(move |request| {
        log.lock().unwrap().push(request.tool.clone());
        Answer::Approve
    });
    let send = tool_fn("send", "Sends.", |_, _: Nothing| async { Ok("sent") });
    let inner = AgentLoop::new(
        Registry::of(send.risk(RiskLevel::Dangerous)).unwrap(),
        ScriptedModel::new([
            ModelReply::calls([call("c1", "send")]),
            ModelReply::text("It is sent."),
        ]),
    );
    let schema = json!({"type": "object"});
    let ask = |name: &str| {
        ToolDefinition::new(name, "Asks.", schema.clone()).with_risk(RiskLevel::ReadOnly)
    };
    let outer = AgentLoop::new(
        Registry::of(inner.as_tool(ask("inner"))).unwrap(),
        ScriptedModel::new([
            ModelReply::calls([call("c2", "inner")]),
            ModelReply::text("Done."),
        ]),
    );
    let registry = Registry::builder()
        .approver(approver)
        .tool(outer.as_tool(ask("outer")))
        .unwrap()
        .build();
    let replies = [
        ModelReply::calls([call("c3", "outer")]),
        ModelReply::text("Done."),
    ];

    let outcome = AgentLoop::new(registry, ScriptedModel::new(replies))
        .run("Go")
        .await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(*asked.lock().unwrap(), ["send"]);
}

#[tokio::test]
async fn failed_agent_fails_call() {
    let schema = json!({"type": "object"});
    let tool = agent([]).as_tool(ToolDefinition::new("ask", "Asks.", schema));

    let result = Registry::of(tool).unwrap().execute("ask", json!({})).await;

    assert!(!result.success);
    assert!(
        result.text().contains("status `failed`"),
        "{}",
        result.text()
    );
}
