//! Custom provider that `provider-adapters` does not include.

use provider_adapters::{Endpoint, StreamSwitch, Wire as Dialect};
use serde_json::Map;

use super::*;

static ACME: Dialect = Dialect::new(
    "acme",
    Provider::OpenAi.wire(),
    Endpoint {
        version: Some("v7"),
        path: "models/{model}/talk",
        stream_path: Some("models/{model}/talk?live=yes"),
        headers: &[("x-acme-region", "north")],
        key_header: ("x-acme-key", "Key "),
        stream_switch: StreamSwitch::Path,
        token_limit: "/limits/tokens",
        default_token_limit: Some(77),
        adapt_request: Some(adapt_request),
        adapt_response: Some(adapt_response),
        ..Endpoint::CHAT_COMPLETIONS
    },
);

fn adapt_request(body: &mut Map<String, Value>) {
    let tools = body.remove("tools").unwrap_or_default();
    body.insert("functions".to_owned(), tools);
}

/// Converts `{"turn": …}` to the message or message delta of the base dialect.
fn adapt_response(response: &mut Map<String, Value>) {
    if let Some(turn) = response.remove("turn") {
        let finish = response.remove("why").unwrap_or_default();
        let choice = json!({"index": 0, "message": turn, "finish_reason": finish});
        let usage = json!({"prompt_tokens": response["cost"]["in"], "completion_tokens": response["cost"]["out"]});
        response.insert("choices".to_owned(), json!([choice]));
        response.insert("usage".to_owned(), usage);
    }
}

fn turns() -> [Value; 2] {
    let function = json!({"name": "add", "arguments": "{\"a\":2,\"b\":40}"});
    let call = json!({"id": "c1", "type": "function", "function": function});
    [
        json!({"turn": {"tool_calls": [call]}, "why": "tool_calls", "cost": {"in": 50, "out": 5}}),
        json!({"turn": {"content": "It is 42."}, "why": "stop", "cost": {"in": 60, "out": 6}}),
    ]
}

async fn outcome(streams: bool) -> (crate::RunOutcome, Vec<Request>) {
    let server = MockServer::start().await;
    let responses = turns();
    Mock::given(method("POST"))
        .and(path("/v7/models/m/talk"))
        .and(header("x-acme-key", "Key k3y"))
        .and(header("x-acme-region", "north"))
        .respond_with(move |request: &Request| {
            let has_result = String::from_utf8_lossy(&request.body).contains("42");
            let response = &responses[usize::from(has_result)];
            let template = ResponseTemplate::new(200);
            if request.url.query() == Some("live=yes") {
                template.set_body_string(format!("data: {response}\n\n"))
            } else {
                template.set_body_json(response)
            }
        })
        .mount(&server)
        .await;
    let model = model(Provider::Custom(&ACME), &server).with_stream(streams);
    let outcome = AgentLoop::new(registry(), model)
        .run("What is 2 + 40?")
        .await;
    (outcome, server.received_requests().await.unwrap())
}

#[tokio::test]
async fn custom_provider_runs_calls_with_and_without_stream() {
    for streams in [false, true] {
        let (outcome, requests) = outcome(streams).await;

        assert_eq!(outcome.error, None);
        assert_eq!(outcome.reply.as_deref(), Some("It is 42."));
        assert_eq!(outcome.usage.total_tokens(), 121);
        let body: Value = requests[0].body_json().unwrap();
        assert_eq!(body["functions"][0]["function"]["name"], "add");
        assert_eq!(body["limits"], json!({"tokens": 77}));
        assert_eq!(body.get("model"), None);
    }
}
