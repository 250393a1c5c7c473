//! Spans of calls and runs, exported through OpenTelemetry. In a separate process: another test that makes the first call while a
//! subscriber appears may cache that nobody wants the span.

use std::sync::{Arc, Mutex};

use agent_loop::{AgentLoop, HttpModel, ModelReply, ModelRetry, ScriptedModel, Status};
use async_trait::async_trait;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::trace::SdkTracerProvider;
use provider_adapters::Provider;
use serde_json::{Value, json};
use tool_core::{Redactor, Registry, RiskLevel, Secret, ToolCall, ToolDefinition, tool_fn};
use tracing_subscriber::layer::SubscriberExt;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// Collector that keeps the requests of an exporter.
#[derive(Debug, Clone, Default)]
struct Collector(Arc<Mutex<Vec<Value>>>);

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        assert_eq!(request.headers()["content-type"], "application/json");
        let body = serde_json::from_slice(request.body())?;
        self.0.lock().unwrap().push(body);
        Ok(Response::new(Bytes::from_static(b"{}")))
    }
}

impl Collector {
    /// Sends the spans of this thread to the collector until the guard is dropped.
    fn listen(&self) -> (SdkTracerProvider, tracing::subscriber::DefaultGuard) {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpJson)
            .with_endpoint("http://collector.invalid/v1/traces")
            .with_http_client(self.clone())
            .build()
            .unwrap();
        let provider = SdkTracerProvider::builder()
            .with_simple_exporter(exporter)
            .build();
        let spans = tracing_opentelemetry::layer()
            .with_tracer(provider.tracer("test"))
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false);
        let subscriber = tracing_subscriber::registry().with(spans);
        (provider, tracing::subscriber::set_default(subscriber))
    }

    /// Returns the spans in order of their end.
    fn spans(&self) -> Vec<Value> {
        let requests = self.0.lock().unwrap();
        let scopes = requests
            .iter()
            .flat_map(|request| objects(&request["resourceSpans"]))
            .flat_map(|resource| objects(&resource["scopeSpans"]));
        let spans = scopes.flat_map(|scope| objects(&scope["spans"]));
        spans.filter(|span| is_ours(span)).cloned().collect()
    }
}

fn objects(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
}

/// Excludes the spans of HTTP libraries.
fn is_ours(span: &Value) -> bool {
    let names = ["invoke_agent", "chat", "execute_tool"];
    names.contains(&span["name"].as_str().unwrap().split(' ').next().unwrap())
}

fn names(spans: &[Value]) -> Vec<&str> {
    let names = spans.iter().map(|span| span["name"].as_str().unwrap());
    names.collect()
}

fn named<'s>(spans: &'s [Value], name: &str) -> &'s Value {
    spans.iter().find(|span| span["name"] == name).unwrap()
}

/// Returns the attributes without their types.
fn attributes(span: &Value) -> Value {
    let attributes = objects(&span["attributes"]).map(|attribute| {
        let value = attribute["value"].as_object().unwrap();
        let value = value.values().next().cloned().unwrap_or_default();
        (attribute["key"].as_str().unwrap().to_owned(), value)
    });
    Value::Object(attributes.collect())
}

/// Asserts that the attributes contain `expected`, in which numbers are text.
fn assert_attributes(span: &Value, expected: &Value) {
    let found = attributes(span);
    let text = |value: &Value| value.to_string().replace('"', "");
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(text(&found[key]), text(value), "{key} in {found}");
    }
}

fn assert_parent(child: &Value, parent: &Value) {
    assert_eq!(child["parentSpanId"], parent["spanId"], "{child}");
    assert_eq!(child["traceId"], parent["traceId"]);
}

fn message(message: &Value, usage: &Value) -> ResponseTemplate {
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage});
    ResponseTemplate::new(200).set_body_json(body)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    town: String,
}

fn weather() -> Registry {
    let weather = tool_fn(
        "weather",
        "Returns the weather.",
        |_, place: Place| async move { Ok(format!("{}: sunny", place.town)) },
    );
    Registry::of(weather.risk(RiskLevel::ReadOnly)).unwrap()
}

#[tokio::test]
async fn run_exports_agent_requests_and_calls() {
    let server = MockServer::start().await;
    let function = json!({"name": "weather", "arguments": r#"{"town": "Ulm"}"#});
    let call = json!({"content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]});
    let usage = json!({"prompt_tokens": 50, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 20}});
    for response in [
        ResponseTemplate::new(500),
        message(&call, &usage),
        message(&json!({"content": "It is sunny."}), &usage),
    ] {
        let answer = Mock::given(method("POST")).respond_with(response);
        answer.up_to_n_times(1).mount(&server).await;
    }
    let model = HttpModel::new(Provider::OpenAi, "some-model", &server.uri()).unwrap();
    let retry =
        ModelRetry::attempts(2).delays(std::time::Duration::ZERO, std::time::Duration::ZERO);
    let agent = AgentLoop::new(weather(), model)
        .named("forecaster")
        .retry(retry);
    let collector = Collector::default();
    let (provider, guard) = collector.listen();

    let outcome = agent.run("How is Ulm?").with_id("run-7").await;
    drop(guard);
    provider.shutdown().unwrap();

    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    let spans = collector.spans();
    assert_eq!(
        names(&spans),
        [
            "chat some-model",
            "chat some-model",
            "execute_tool weather",
            "chat some-model",
            "invoke_agent forecaster",
        ]
    );
    let run = &spans[4];
    assert_attributes(
        run,
        &json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "forecaster",
            "gen_ai.conversation.id": "run-7", "gen_ai.usage.input_tokens": "100",
            "gen_ai.usage.output_tokens": "10", "gen_ai.usage.cache_read.input_tokens": "40"}),
    );
    assert_eq!(
        (&run["kind"], run.get("parentSpanId")),
        (&json!(1), Some(&json!("")))
    );
    for span in &spans[..4] {
        assert_parent(span, run);
    }
    assert_attributes(&spans[0], &json!({"error.type": "unavailable"}));
    assert_eq!(spans[0]["status"]["code"], 2);
    let request = &spans[1];
    assert_eq!(request["kind"], 3);
    let port = server.address().port().to_string();
    assert_attributes(
        request,
        &json!({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "some-model", "server.address": "127.0.0.1", "server.port": port,
            "gen_ai.usage.input_tokens": "50", "gen_ai.usage.output_tokens": "5"}),
    );
    assert_attributes(
        &spans[2],
        &json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather",
            "gen_ai.tool.call.id": "c1", "gen_ai.tool.type": "function"}),
    );
    let text = serde_json::to_string(&spans).unwrap();
    assert!(!text.contains("Ulm"), "spans contain no content: {text}");
}

#[tokio::test]
async fn sub_agent_is_child_of_its_call() {
    let schema =
        json!({"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]});
    let child = AgentLoop::new(
        Registry::new(),
        ScriptedModel::new([ModelReply::text("42.")]),
    )
    .as_tool(ToolDefinition::new("ask", "Asks.", schema).with_risk(RiskLevel::ReadOnly));
    let replies = [ModelReply::calls([ToolCall::new(
        "ask",
        json!({"task": "Add."}),
    )
    .with_id("p1")])];
    let parent = AgentLoop::new(Registry::of(child).unwrap(), ScriptedModel::new(replies));
    let collector = Collector::default();
    let (provider, guard) = collector.listen();

    parent.run("Go").await;
    drop(guard);
    provider.shutdown().unwrap();

    let spans = collector.spans();
    let (outer, inner) = (
        named(&spans, "invoke_agent"),
        named(&spans, "invoke_agent ask"),
    );
    let call = named(&spans, "execute_tool ask");
    assert_parent(call, outer);
    assert_parent(inner, call);
    // The script of the parent has no second reply.
    assert_attributes(outer, &json!({"error.type": "model"}));
    assert_eq!(outer["status"]["code"], 2);
}

#[tokio::test]
async fn spans_contain_redacted_messages_if_enabled() {
    let secret = Secret::new("hunter2".to_owned());
    let redactor = Redactor::new().with_value(&secret).unwrap();
    let registry = Registry::builder().redactor(redactor).build();
    let model = ScriptedModel::new([ModelReply::text("It is sunny.")]);
    let agent = AgentLoop::new(registry, model).span_content(true);
    let collector = Collector::default();
    let (provider, guard) = collector.listen();

    agent.run("How is Ulm? The key is hunter2.").await;
    drop(guard);
    provider.shutdown().unwrap();

    let spans = collector.spans();
    let found = attributes(named(&spans, "chat"));
    let messages =
        |key: &str| -> Value { serde_json::from_str(found[key].as_str().unwrap()).unwrap() };
    let asked = "How is Ulm? The key is [redacted].";
    assert_eq!(
        messages("gen_ai.input.messages"),
        json!([{"role": "user", "parts": [{"type": "text", "content": asked}]}])
    );
    assert_eq!(
        messages("gen_ai.output.messages"),
        json!([{"role": "assistant", "parts": [{"type": "text", "content": "It is sunny."}], "finish_reason": "stop"}])
    );
}
