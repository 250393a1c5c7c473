//! Calls that require approval.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::approval::{
    Answer, Decision, MemoryPendingApprovals, PendingApprovals, approver_fn,
};
use tool_core::{
    Arguments, CallOptions, CallPlan, DynamicTool, PreparedCall, Registry, RegistryBuilder,
    RiskLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use tool_mcp::McpServer;
use tool_mcp::server::{Approvals, BearerTokens, HttpOptions};

use crate::http::Served;

/// Key of the form.
const KEY: &str = "toolwright/approval";

fn registry(builder: RegistryBuilder) -> Registry {
    let registry = builder.build();
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let delete = ToolDefinition::new("delete", "Deletes.", schema).with_risk(RiskLevel::Dangerous);
    let delete = DynamicTool::new(delete, |_, arguments| async move {
        Ok(format!("deleted {}", arguments["path"]).into())
    });
    registry.register(delete).unwrap();
    registry
}

async fn start(approvals: Approvals) -> Served {
    let mcp = McpServer::new(registry(Registry::builder())).approvals(approvals);
    Served::of(mcp, HttpOptions::default()).await
}

/// Returns the parameters of a call of a client with forms.
fn call(path: &str) -> Value {
    json!({
        "name": "delete",
        "arguments": {"path": path},
        "_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}},
    })
}

async fn send(served: &Served, params: Value) -> Value {
    let response = served.current("tools/call", params).send().await.unwrap();
    response.json().await.unwrap()
}

/// Returns the state of a call that requires approval.
async fn state(served: &Served, path: &str) -> String {
    let required = send(served, call(path)).await;
    assert_eq!(
        required["result"]["resultType"], "input_required",
        "{required}"
    );
    required["result"]["requestState"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn answered(path: &str, state: &str, answer: &Value) -> Value {
    let mut params = call(path);
    params["requestState"] = state.into();
    params["inputResponses"] = json!({KEY: answer});
    params
}

fn accept(approve: bool) -> Value {
    json!({"action": "accept", "content": {"approve": approve}})
}

fn code(response: &Value) -> &str {
    response["result"]["structuredContent"]["code"]
        .as_str()
        .unwrap_or_default()
}

#[tokio::test]
async fn calls_are_denied_without_approver() {
    let served = start(Approvals::registry()).await;

    let denied = send(&served, call("a")).await;

    assert_eq!(code(&denied), "approval_denied");
    assert_eq!(
        denied["result"]["content"][0]["text"],
        "Error: This call requires approval (dangerous), and no approver is available. Find a way that needs no \
         approval, or tell the user that approval is required."
    );
    served.end().await;
}

#[tokio::test]
async fn approver_of_registry_decides() {
    let builder = Registry::builder().approver(approver_fn(|_| Answer::Approve));
    let served = Served::of(McpServer::new(registry(builder)), HttpOptions::default()).await;

    let approved = send(&served, call("a")).await;

    assert_eq!(approved["result"]["content"][0]["text"], "deleted \"a\"");
    served.end().await;
}

#[tokio::test]
async fn user_of_client_decides() {
    let served = start(Approvals::elicit()).await;

    let required = send(&served, call("a.txt")).await;
    let form = &required["result"]["inputRequests"][KEY];
    assert_eq!(form["method"], "elicitation/create");
    let message = form["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("Tool: delete") && message.contains("path: a.txt"),
        "{message}"
    );
    for (answer, text) in [
        (accept(true), "deleted \"a.txt\""),
        (accept(false), "Error: The user did not approve this call."),
        (
            json!({"action": "decline"}),
            "Error: The user did not approve this call.",
        ),
        (
            json!({"action": "cancel"}),
            "Error: The user did not approve this call.",
        ),
    ] {
        let state = state(&served, "a.txt").await;

        let result = send(&served, answered("a.txt", &state, &answer)).await;

        let shown = result["result"]["content"][0]["text"].as_str().unwrap();
        assert!(shown.starts_with(text), "{answer} {shown}");
    }
    served.end().await;
}

/// A tool whose call needs more permissions than usual.
struct Fetch(ToolDefinition);

impl Tool for Fetch {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.0.risk()).asking("network", "connects to other hosts");
        let plan = plan.with_grant("network").with_grant("write:~/.newrc");
        Ok(PreparedCall::new(plan, async {
            Ok(ToolOutput::text("fetched"))
        }))
    }
}

#[tokio::test]
async fn form_states_grants_first() {
    let registry = Registry::builder().build();
    let definition = ToolDefinition::new("delete", "Fetches.", json!({"type": "object"}));
    registry.register(Fetch(definition)).unwrap();
    let mcp = McpServer::new(registry).approvals(Approvals::elicit());
    let served = Served::of(mcp, HttpOptions::default()).await;

    let required = send(&served, call("a.txt")).await;

    let form = &required["result"]["inputRequests"][KEY];
    let message = form["params"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("Approval gives: network; write:~/.newrc\nTool: delete\n"),
        "{message}"
    );
    served.end().await;
}

#[tokio::test]
async fn missing_or_invalid_responses_are_requested_again() {
    let served = start(Approvals::elicit()).await;

    for answer in [
        json!(null),
        json!(true),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"approve": "yes"}}),
        json!({"action": "agree", "content": {"approve": true}}),
    ] {
        let state = state(&served, "a").await;

        let again = send(&served, answered("a", &state, &answer)).await;

        assert_eq!(again["result"]["resultType"], "input_required", "{answer}");
    }
    served.end().await;
}

#[tokio::test]
async fn forged_and_repeated_approvals_are_rejected() {
    let served = start(Approvals::elicit()).await;
    let state = state(&served, "a").await;

    // A consent without a request, for other arguments, and with a changed state.
    let mut unasked = call("a");
    unasked["inputResponses"] = json!({KEY: accept(true)});
    assert_eq!(
        send(&served, unasked).await["result"]["resultType"],
        "input_required"
    );
    for forged in [
        answered("b", &state, &accept(true)),
        answered("a", &format!("{state}x"), &accept(true)),
        answered("a", &state.replacen('.', "..", 1), &accept(true)),
        answered("a", "", &accept(true)),
    ] {
        let rejected = send(&served, forged).await;
        assert_eq!(rejected["error"]["code"], -32602, "{rejected}");
    }
    let approved = send(&served, answered("a", &state, &accept(true))).await;
    assert_eq!(approved["result"]["isError"], false);
    let repeated = send(&served, answered("a", &state, &accept(true))).await;
    assert_eq!(code(&repeated), "approval_denied");
    served.end().await;
}

#[tokio::test]
async fn approval_of_other_client_is_rejected() {
    let tokens = BearerTokens::default()
        .with_token("first", &"first-token".to_owned().into())
        .with_token("second", &"second-token".to_owned().into());
    let mcp = McpServer::new(registry(Registry::builder())).approvals(Approvals::elicit());
    let served = Served::of(mcp, HttpOptions::default().authenticate(tokens)).await;
    let send = async |token: &str, params: Value| -> Value {
        let request = served.current("tools/call", params).bearer_auth(token);
        request.send().await.unwrap().json().await.unwrap()
    };
    let required = send("first-token", call("a")).await;
    let state = required["result"]["requestState"]
        .as_str()
        .unwrap()
        .to_owned();

    let other = send("second-token", answered("a", &state, &accept(true))).await;
    let own = send("first-token", answered("a", &state, &accept(true))).await;

    assert_eq!(other["error"]["code"], -32602);
    assert_eq!(own["result"]["isError"], false);
    served.end().await;
}

#[tokio::test]
async fn expired_approval_is_rejected() {
    let builder = Registry::builder().approval_expiry(Duration::from_millis(200));
    let mcp = McpServer::new(registry(builder)).approvals(Approvals::elicit());
    let served = Served::of(mcp, HttpOptions::default()).await;
    let state = state(&served, "a").await;
    tokio::time::sleep(Duration::from_millis(250)).await;

    let expired = send(&served, answered("a", &state, &accept(true))).await;

    assert_eq!(code(&expired), "approval_denied");
    served.end().await;
}

#[tokio::test]
async fn replicas_share_key_and_use_approval_once() {
    let store: Arc<MemoryPendingApprovals> = Arc::default();
    let replica = async || {
        let mcp = McpServer::new(registry(Registry::builder()))
            .approvals(Approvals::elicit_once(store.clone()));
        Served::of(mcp.key(&[7; 32]).unwrap(), HttpOptions::default()).await
    };
    let (first, second) = (replica().await, replica().await);
    let state = state(&first, "a").await;

    let approved = send(&second, answered("a", &state, &accept(true))).await;
    let repeated = send(&first, answered("a", &state, &accept(true))).await;

    assert_eq!(approved["result"]["isError"], false);
    assert_eq!(repeated["result"]["resultType"], "input_required");
    first.end().await;
    second.end().await;
}

#[tokio::test]
async fn client_without_forms_is_denied() {
    let served = start(Approvals::elicit()).await;

    let denied = served.call("delete", json!({"path": "a"})).await;
    let old = served.old("tools/call", &call("a")).send().await.unwrap();
    let old: Value = old.json().await.unwrap();

    assert_eq!(
        (code(&denied), code(&old)),
        ("approval_denied", "approval_denied")
    );
    served.end().await;
}

#[tokio::test]
async fn operator_decides_later() {
    let store: Arc<MemoryPendingApprovals> = Arc::default();
    let registry = registry(Registry::builder());
    let approvals = Approvals::pending(store.clone())
        .next_step(|request| format!("The operator decides on {}.", request.tool));
    let mcp = McpServer::new(registry.clone()).approvals(approvals);
    let served = Served::of(mcp, HttpOptions::default()).await;

    let pending = send(&served, call("a")).await;

    assert_eq!(code(&pending), "approval_pending");
    assert_eq!(
        pending["result"]["content"][0]["text"],
        "Error: This call waits for approval and has not run. The operator decides on delete."
    );
    let requests = store.list().await.unwrap();
    assert_eq!(
        pending["result"]["structuredContent"]["approval_id"],
        requests[0].id
    );
    let decision = Decision::new(&requests[0], Answer::Approve);
    let result = registry
        .decide(store.as_ref(), &decision, &CallOptions::default())
        .await;
    assert_eq!(result.unwrap().text(), "deleted \"a\"");
    served.end().await;
}

/// Older revisions send the form during the call.
#[tokio::test]
async fn user_of_older_client_decides_within_session() {
    for (is_approved, text) in [
        (true, "deleted"),
        (false, "Error: The user did not approve"),
    ] {
        let mcp = McpServer::new(registry(Registry::builder())).approvals(Approvals::elicit());
        let served = Served::of(mcp, HttpOptions::default().sessions(true)).await;
        let session = served.open_session(json!({"elicitation": {}})).await;

        let request = served.old(
            "tools/call",
            &json!({"name": "delete", "arguments": {"path": "a"}}),
        );
        let mut response = request
            .header("mcp-session-id", &session)
            .send()
            .await
            .unwrap();
        let form = crate::http::next_event(&mut response).await;
        assert_eq!(form["method"], "elicitation/create");
        let answer = json!({"jsonrpc": "2.0", "id": form["id"], "result": accept(is_approved)});
        let accepted = served
            .post(&answer)
            .header("mcp-session-id", &session)
            .send()
            .await
            .unwrap();
        assert_eq!(accepted.status(), 202);

        let result = crate::http::next_event(&mut response).await;
        let shown = result["result"]["content"][0]["text"].as_str().unwrap();
        assert!(shown.starts_with(text), "{shown}");
        drop(response);
        served.end().await;
    }
}
