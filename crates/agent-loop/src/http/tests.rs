mod answers;
mod broken;
mod content;
mod custom;
mod refused;
mod searching;
mod server;
mod streamed;
mod wires;

use std::time::Duration;

use provider_adapters::{Effort, Message, ModelSettings, Provider, ToolChoice, Transcript};
use serde_json::{Value, json};
use server::{Server, Step};
use tool_core::{Registry, tool_fn};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};
use wires::{Wire, wires};

use super::*;
use crate::{AgentLoop, ModelRetry, Status};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

fn registry() -> Registry {
    Registry::of(tool_fn("add", "Adds.", |_, input: Add| async move {
        Ok(input.a + input.b)
    }))
    .unwrap()
}

fn model(provider: Provider, server: &MockServer) -> HttpModel {
    HttpModel::new(provider, "m", &server.uri())
        .unwrap()
        .with_key("k3y")
        .unwrap()
}

async fn answering(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(response)
        .mount(&server)
        .await;
    server
}

/// Requests a reply from a server that returns `response`.
async fn ask(response: ResponseTemplate) -> Result<ModelReply, ModelError> {
    let server = answering(response).await;
    respond(&model(Provider::OpenAi, &server)).await
}

async fn respond(model: &HttpModel) -> Result<ModelReply, ModelError> {
    let transcript = Transcript::from(vec![Message::user("Hi")]);
    let tools = registry().snapshot();
    model.respond(&ModelRequest::new(&transcript, &tools)).await
}

async fn talk(wire: &Wire, server: &MockServer) -> crate::RunOutcome {
    let (call, answer) = (wire.call.clone(), wire.answer.clone());
    let has_result = |request: &Request| String::from_utf8_lossy(&request.body).contains("42");
    Mock::given(method("POST"))
        .and(path(wire.path))
        .and(header(wire.key.0, wire.key.1))
        .respond_with(move |request: &Request| {
            let body = if has_result(request) { &answer } else { &call };
            ResponseTemplate::new(200).set_body_json(body)
        })
        .mount(server)
        .await;
    AgentLoop::new(registry(), model(wire.provider, server))
        .run("What is 2 + 40?")
        .await
}

#[tokio::test]
async fn every_provider_completes_run_with_call() {
    for wire in wires() {
        let server = MockServer::start().await;

        let outcome = talk(&wire, &server).await;

        let provider = wire.provider;
        assert_eq!(outcome.error, None, "{provider}");
        assert_eq!(outcome.status, Status::Completed, "{provider}");
        assert_eq!(outcome.reply.as_deref(), Some("It is 42."), "{provider}");
        assert_eq!(
            serde_json::to_value(outcome.usage).unwrap(),
            json!({"turns": 2, "calls": 1, "input_tokens": 110, "output_tokens": 11, "cached_tokens": 0, "cache_write_tokens": 0, "reasoning_tokens": 0, "estimated": false}),
            "{provider}"
        );
    }
}

#[tokio::test]
async fn every_request_contains_tools_and_conversation() {
    for wire in wires() {
        let server = MockServer::start().await;

        talk(&wire, &server).await;

        let requests = server.received_requests().await.unwrap();
        let body: Value = requests[0].body_json().unwrap();
        let (name, words) = match wire.provider {
            Provider::OpenAi | Provider::Ollama | Provider::Mistral | Provider::Cohere => {
                ("/tools/0/function/name", "/messages/0/content")
            }
            Provider::OpenAiResponses => ("/tools/0/name", "/input/0/content"),
            Provider::Anthropic => ("/tools/0/name", "/messages/0/content"),
            Provider::Bedrock => (
                "/toolConfig/tools/0/toolSpec/name",
                "/messages/0/content/0/text",
            ),
            _ => (
                "/tools/0/functionDeclarations/0/name",
                "/contents/0/parts/0/text",
            ),
        };
        assert_eq!(body.pointer(name), Some(&json!("add")), "{body}");
        assert_eq!(
            body.pointer(words),
            Some(&json!("What is 2 + 40?")),
            "{body}"
        );
    }
}

#[tokio::test]
async fn anthropic_requests_set_version_and_max_tokens() {
    let wire = &wires::anthropic();
    let server = MockServer::start().await;

    talk(wire, &server).await;

    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests[0].headers["anthropic-version"], "2026-10-21");
    let body: Value = requests[0].body_json().unwrap();
    assert_eq!(
        (&body["model"], &body["max_tokens"]),
        (&json!("m"), &json!(8192))
    );
}

#[tokio::test]
async fn registry_repairs_model_arguments() {
    let call = json!({"id": "c", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 2, \"b\": 40,}"}});
    let reply = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]});
    let server = answering(ResponseTemplate::new(200).set_body_json(reply)).await;

    let outcome = AgentLoop::new(registry(), model(Provider::OpenAi, &server))
        .max_turns(2)
        .run("Add.")
        .await;

    let stored = serde_json::to_value(&outcome.transcript).unwrap();
    assert_eq!(stored[2]["results"][0]["is_error"], json!(false));
    assert_eq!(
        stored[2]["results"][0]["content"],
        json!([{"type": "text", "text": "42"}]),
        "{stored}"
    );
}

#[tokio::test]
async fn truncated_call_returns_error_without_running() {
    let call = json!({"id": "c", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 2, \"b\": 4"}});
    let cut = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "length"}]});
    let server = answering(ResponseTemplate::new(200).set_body_json(cut)).await;

    let outcome = AgentLoop::new(registry(), model(Provider::OpenAi, &server))
        .max_turns(2)
        .run("Add.")
        .await;

    assert_eq!(outcome.usage.calls, 0);
    let stored = serde_json::to_string(&outcome.transcript).unwrap();
    assert!(
        stored.contains("Error: The arguments are truncated."),
        "{stored}"
    );
}

#[tokio::test]
async fn maps_statuses_to_errors() {
    let message = |text: &str| json!({"error": {"message": text}});
    let refused = |status, message: &str| ModelError::Refused {
        status,
        message: message.to_owned(),
    };
    for (response, error) in [
        (
            ResponseTemplate::new(401).set_body_json(message("bad key k3y")),
            ModelError::Unauthorized,
        ),
        (ResponseTemplate::new(403), ModelError::Forbidden),
        (
            ResponseTemplate::new(429).insert_header("retry-after", "7"),
            ModelError::RateLimited {
                retry_after: Some(Duration::from_secs(7)),
            },
        ),
        (
            ResponseTemplate::new(429),
            ModelError::RateLimited { retry_after: None },
        ),
        (
            ResponseTemplate::new(500).set_body_string("oops"),
            ModelError::Unavailable {
                status: 500,
                message: "Internal Server Error".to_owned(),
                retry_after: None,
            },
        ),
        (
            ResponseTemplate::new(404).set_body_json(message("no such model")),
            refused(404, "no such model"),
        ),
        (
            ResponseTemplate::new(200).set_body_json(message("overloaded")),
            ModelError::Unavailable {
                status: 200,
                message: "overloaded".to_owned(),
                retry_after: None,
            },
        ),
        (
            ResponseTemplate::new(400).set_body_json(message(
                "prompt is too long: 210000 tokens > 200000 maximum",
            )),
            ModelError::ContextTooLong {
                limit: Some(200_000),
                used: Some(210_000),
            },
        ),
    ] {
        assert_eq!(ask(response).await, Err(error));
    }
}

#[tokio::test]
async fn rejects_invalid_response() {
    for body in ["", "<html>", "[1]", "{\"x\": 1}", "{\"choices\": ["] {
        let outcome = ask(ResponseTemplate::new(200).set_body_string(body)).await;

        assert!(
            matches!(outcome, Err(ModelError::InvalidResponse { .. })),
            "{body}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn does_not_follow_redirects() {
    let elsewhere = MockServer::start().await;
    let response = ResponseTemplate::new(307).insert_header("location", elsewhere.uri().as_str());

    let outcome = ask(response).await;

    assert!(
        matches!(outcome, Err(ModelError::Refused { status: 307, .. })),
        "{outcome:?}"
    );
    assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn rejects_response_over_size_limit() {
    let server = answering(ResponseTemplate::new(200).set_body_string("x".repeat(5000))).await;
    let model = model(Provider::OpenAi, &server).with_response_limit(1000);

    let outcome = respond(&model).await;

    assert_eq!(outcome, Err(ModelError::ResponseTooLarge { limit: 1000 }));
}

#[tokio::test]
async fn times_out_slow_response() {
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_mins(1));
    let server = answering(slow).await;
    let after = Duration::from_millis(50);

    let outcome = respond(&model(Provider::OpenAi, &server).with_timeout(after)).await;

    assert_eq!(outcome, Err(ModelError::Timeout { after }));
}

#[tokio::test]
async fn unreachable_error_contains_only_origin() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let model = HttpModel::new(
        Provider::OpenAi,
        "m",
        &format!("{origin}/secret?key=secret"),
    )
    .unwrap();

    let outcome = respond(&model).await;

    let error = outcome.unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains(&origin) && message.contains("check the port"),
        "{message}"
    );
    assert!(!message.contains("secret"), "{message}");
}

#[tokio::test]
async fn connection_errors_name_setting_to_check() {
    let closing = Server::start(vec![vec![]]).await;
    let model = HttpModel::new(Provider::OpenAi, "m", &closing.origin).unwrap();

    let error = respond(&model).await.unwrap_err();

    let origin = closing.origin.clone();
    assert_eq!(error, ModelError::Closed { origin });
    let rejecting = answering(ResponseTemplate::new(401)).await;
    let keyless = HttpModel::new(Provider::OpenAi, "m", &rejecting.uri()).unwrap();
    assert_eq!(respond(&keyless).await, Err(ModelError::MissingKey));
    let message = respond(&model_without_server())
        .await
        .unwrap_err()
        .to_string();
    assert!(message.contains("check the host"), "{message}");
}

fn model_without_server() -> HttpModel {
    HttpModel::new(Provider::OpenAi, "m", "http://no-such-host.invalid:1").unwrap()
}

#[tokio::test]
async fn request_has_settings_headers_and_body() {
    let server = answering(ResponseTemplate::new(200).set_body_json(wires::open_ai().answer)).await;
    let settings = ModelSettings::default()
        .with_temperature(0.2)
        .with_effort(Effort::Low)
        .with_stop(["END"])
        .with_max_output_tokens(9);
    let model = model(Provider::OpenAi, &server)
        .with_settings(settings)
        .with_client(Client::new())
        .with_header("x-team", "garden")
        .and_then(|model| model.with_body(json!({"user": "u1", "temperature": 0.3})))
        .unwrap();

    respond(&model).await.unwrap();

    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests[0].headers["x-team"], "garden");
    let body: Value = requests[0].body_json().unwrap();
    for (key, value) in [
        ("temperature", json!(0.3)),
        ("reasoning_effort", json!("low")),
        ("stop", json!(["END"])),
        ("max_completion_tokens", json!(9)),
        ("user", json!("u1")),
    ] {
        assert_eq!(body[key], value, "{key}");
    }
    let invalid = model.clone().with_header("x y", "1").unwrap_err();
    assert_eq!(invalid, HttpModelError::Header("x y".to_owned()));
    assert_eq!(
        model.with_body(json!([1])).unwrap_err(),
        HttpModelError::Body
    );
}

#[tokio::test]
async fn forced_choice_applies_until_first_result() {
    let wire = wires::open_ai();
    let server = MockServer::start().await;
    for body in [wire.call, wire.answer] {
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(200).set_body_json(body))
            .up_to_n_times(1)
            .mount(&server)
            .await;
    }
    let options = Options::default().with_choice(ToolChoice::Required);
    let model = model(Provider::OpenAi, &server).with_options(options);

    let outcome = AgentLoop::new(registry(), model).run("Add.").await;

    assert_eq!(outcome.status, Status::Completed);
    let requests = server.received_requests().await.unwrap();
    let choices: Vec<Value> = requests
        .iter()
        .map(|request| request.body_json::<Value>().unwrap()["tool_choice"].clone())
        .collect();
    assert_eq!(choices[0], "required");
    assert_ne!(choices[1], "required");
}

#[test]
fn rejects_invalid_key_and_hides_keys() {
    let model = || HttpModel::new(Provider::Gemini, "m", "http://127.0.0.1:1").unwrap();

    assert_eq!(model().with_key("a\nb").unwrap_err(), HttpModelError::Key);
    let shown = format!("{:?}", model().with_key("secret").unwrap());
    assert!(!shown.contains("secret"), "{shown}");
}
