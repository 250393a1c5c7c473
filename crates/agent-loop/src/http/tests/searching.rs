//! Runs with more tools than a model is shown.

use std::sync::{Arc, Mutex};

use tool_core::audit::{AuditEvent, AuditLog, AuditWrite};
use tool_core::search::{SearchForm, SearchOptions};
use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};

use super::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<AuditEvent>>>);

impl AuditLog for Log {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        self.0.lock().unwrap().push(event);
        Box::pin(async { Ok(()) })
    }
}

impl Log {
    /// Returns the tool, the arguments and the decision of each event, and whether its call has ended.
    fn events(&self) -> Vec<Value> {
        let events = self.0.lock().unwrap();
        let shown = |event: &AuditEvent| {
            json!([
                event.tool,
                event.arguments.text,
                event.decision,
                event.result.is_some()
            ])
        };
        events.iter().map(shown).collect()
    }
}

fn many(count: usize, log: &Log) -> Registry {
    let registry = Registry::builder().audit(log.clone()).build();
    for number in 0..count {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        let definition = ToolDefinition::new(
            format!("mail__tool_{number}"),
            format!("Sends mail number {number}."),
            schema,
        );
        let tool = DynamicTool::new(definition, |_, arguments| async move {
            Ok(ToolOutput::json(arguments))
        });
        registry.register(tool).unwrap();
    }
    registry
}

fn calling(name: &str, arguments: &Value) -> Value {
    let function = json!({"name": name, "arguments": arguments.to_string()});
    let call = json!({"id": format!("c-{name}"), "type": "function", "function": function});
    json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [call]}}]})
}

/// Sends the replies in turn. Returns the bodies of the requests.
async fn run_with(registry: Registry, replies: Vec<Value>) -> (crate::RunOutcome, Vec<Value>) {
    let server = MockServer::start().await;
    let turn = std::sync::atomic::AtomicUsize::new(0);
    Mock::given(method("POST"))
        .respond_with(move |_: &Request| {
            let turn = turn.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let done = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Done."}}]});
            ResponseTemplate::new(200).set_body_json(replies.get(turn).unwrap_or(&done))
        })
        .mount(&server)
        .await;
    let outcome = AgentLoop::new(registry, model(Provider::OpenAi, &server))
        .run("Send mail 250.")
        .await;
    let requests = server.received_requests().await.unwrap();
    (
        outcome,
        requests
            .iter()
            .map(|request| request.body_json().unwrap())
            .collect(),
    )
}

/// Checks that each request begins as the one before it, byte for byte, so that a provider finds it in its cache.
fn assert_cached(bodies: &[Value]) {
    for pair in bodies.windows(2) {
        for part in ["tools", "messages"] {
            let [before, after] = [&pair[0], &pair[1]].map(|body| body[part].to_string());
            let before = before.trim_end_matches(']');
            assert!(after.starts_with(before), "{before}\n{after}");
        }
    }
}

fn names(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn found_tools_are_called_through_one_tool() {
    let log = Log::default();
    let options = SearchOptions::default().with_always(["mail__tool_0"]);
    let all = many(300, &log);
    let registry = all.searchable(options).unwrap();
    let inner = json!({"name": "mail__tool_250", "arguments": {"text": "Hi"}});

    let (outcome, bodies) = run_with(
        registry,
        vec![
            calling("search_tools", &json!({"query": "send mail 250"})),
            calling("call_tool", &inner),
        ],
    )
    .await;

    assert_eq!(outcome.reply.as_deref(), Some("Done."));
    assert_eq!(bodies.len(), 3);
    for body in &bodies {
        assert_eq!(names(body), ["mail__tool_0", "search_tools", "call_tool"]);
        assert_eq!(body["tools"], bodies[0]["tools"]);
    }
    assert_cached(&bodies);
    let definitions = all.definitions(&Provider::OpenAi);
    let sent = bodies[0]["tools"].to_string().len();
    assert!(definitions.tools.to_string().len() > 20 * sent);
    assert!(bodies[1]["messages"].to_string().contains("mail__tool_250"));
    let last = bodies[2]["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"], r#"{"text":"Hi"}"#);
    let search = r#"{"query":"send mail 250"}"#;
    assert_eq!(
        log.events(),
        [
            json!(["search_tools", search, "allowed", false]),
            json!(["search_tools", search, "allowed", true]),
            json!(["mail__tool_250", r#"{"text":"Hi"}"#, "allowed", false]),
            json!(["mail__tool_250", r#"{"text":"Hi"}"#, "allowed", true]),
        ]
    );
}

#[tokio::test]
async fn found_definitions_follow_all_others() {
    let log = Log::default();
    let options = SearchOptions::default()
        .with_always(["mail__tool_0"])
        .with_form(SearchForm::Append);
    let registry = many(300, &log).searchable(options).unwrap();

    let (outcome, bodies) = run_with(
        registry,
        vec![
            calling("search_tools", &json!({"query": "select:mail__tool_250"})),
            calling("mail__tool_250", &json!({"text": "Hi"})),
            calling("search_tools", &json!({"query": "select:mail__tool_7"})),
        ],
    )
    .await;

    assert_eq!(outcome.reply.as_deref(), Some("Done."));
    let shown = [
        "mail__tool_0",
        "search_tools",
        "mail__tool_250",
        "mail__tool_7",
    ];
    for (body, count) in bodies.iter().zip([2, 3, 3, 4]) {
        assert_eq!(names(body), shown[..count]);
    }
    assert_cached(&bodies);
    assert_eq!(
        log.events()[2..4],
        [
            json!(["mail__tool_250", r#"{"text":"Hi"}"#, "allowed", false]),
            json!(["mail__tool_250", r#"{"text":"Hi"}"#, "allowed", true]),
        ]
    );
}

#[tokio::test]
async fn too_many_tools_fail_before_they_are_sent() {
    let (outcome, bodies) = run_with(many(129, &Log::default()), Vec::new()).await;

    let error = outcome.error.unwrap().to_string();
    assert!(
        error.contains("129 tools; openai allows 128; let the model search"),
        "{error}"
    );
    assert!(bodies.is_empty());
}
