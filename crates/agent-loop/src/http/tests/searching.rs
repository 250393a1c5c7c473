//! Runs with more tools than a model is shown.

use tool_core::search::{SearchForm, SearchOptions};
use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};

use super::*;

fn many(count: usize) -> Registry {
    let registry = Registry::new();
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

fn names(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn found_tools_are_called_through_one_tool() {
    let options = SearchOptions::default().with_always(["mail__tool_0"]);
    let registry = many(300).searchable(options).unwrap();
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
    assert!(bodies[1]["messages"].to_string().contains("mail__tool_250"));
    let last = bodies[2]["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"], r#"{"text":"Hi"}"#);
}

#[tokio::test]
async fn found_definitions_follow_all_others() {
    let options = SearchOptions::default()
        .with_always(["mail__tool_0"])
        .with_form(SearchForm::Append);
    let registry = many(300).searchable(options).unwrap();

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
    assert_eq!(names(&bodies[0]), ["mail__tool_0", "search_tools"]);
    assert_eq!(
        names(&bodies[2]),
        ["mail__tool_0", "search_tools", "mail__tool_250"]
    );
    let last = names(&bodies[3]);
    assert_eq!(
        last,
        [
            "mail__tool_0",
            "search_tools",
            "mail__tool_250",
            "mail__tool_7"
        ]
    );
    let prefix = bodies[0]["tools"].to_string();
    let prefix = prefix.trim_end_matches(']');
    assert!(bodies[3]["tools"].to_string().starts_with(prefix));
}

#[tokio::test]
async fn too_many_tools_fail_before_they_are_sent() {
    let (outcome, bodies) = run_with(many(129), Vec::new()).await;

    let error = outcome.error.unwrap().to_string();
    assert!(
        error.contains("129 tools; openai allows 128; let the model search"),
        "{error}"
    );
    assert!(bodies.is_empty());
}
