//! Prompts, resources, log lines, views and trace context.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_core::{DynamicTool, Redactor, Registry, RiskLevel, ToolDefinition};
use tool_mcp::McpServer;
use tool_mcp::server::{
    BearerTokens, ClientContext, ClientIdentity, ClientLog, ContentError, HttpOptions, LogLevel,
    Prompts, Resources, TraceParent,
};

use crate::http::{Served, events};

struct Contents;

#[async_trait]
impl Prompts for Contents {
    async fn list(&self, _: &ClientIdentity) -> Vec<Value> {
        let name = json!({"name": "name", "required": true});
        // A prompt without a name is not sent.
        vec![json!({"name": "greet", "arguments": [name]}), json!({})]
    }

    async fn get(
        &self,
        _: &str,
        arguments: &Map<String, Value>,
        _: &ClientContext,
    ) -> Result<Value, ContentError> {
        let name = arguments["name"].as_str().unwrap_or_default();
        let text = format!("Greet {name}.");
        Ok(json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}))
    }

    async fn complete(&self, _: &str, _: &str, value: &str) -> Vec<String> {
        (0..200).map(|n| format!("{value}{n}")).collect()
    }
}

#[async_trait]
impl Resources for Contents {
    async fn list(&self, client: &ClientIdentity) -> Vec<Value> {
        vec![json!({"uri": "notes://own", "name": client.subject})]
    }

    async fn read(&self, uri: &str, client: &ClientIdentity) -> Result<Value, ContentError> {
        let text = match uri {
            "notes://own" => client.subject.clone(),
            "notes://broken" => return Err(ContentError::Failed("disk /dev/sda failed".into())),
            "notes://invalid" => return Ok(json!({"uri": uri})),
            _ => return Err(ContentError::NotFound),
        };
        Ok(json!({"uri": uri, "text": text}))
    }
}

async fn send(served: &Served, method: &str, params: Value) -> Value {
    let response = served.current(method, params).send().await.unwrap();
    response.json().await.unwrap()
}

async fn start() -> Served {
    let mcp = McpServer::new(Registry::new())
        .prompts(Contents)
        .resources(Contents);
    Served::of(mcp, HttpOptions::default()).await
}

#[tokio::test]
async fn prompts_are_listed_and_returned() {
    let served = start().await;

    let listed = send(&served, "prompts/list", json!({})).await;
    let greeted = send(
        &served,
        "prompts/get",
        json!({"name": "greet", "arguments": {"name": "Ada"}}),
    )
    .await;
    let without = send(&served, "prompts/get", json!({"name": "greet"})).await;
    let unknown = send(&served, "prompts/get", json!({"name": "other"})).await;
    let reference = json!({"type": "ref/prompt", "name": "greet"});
    let params = json!({"ref": reference, "argument": {"name": "name", "value": "A"}});
    let completed = send(&served, "completion/complete", params).await;

    let prompts = listed["result"]["prompts"].as_array().unwrap();
    assert_eq!(
        (prompts.len(), &prompts[0]["arguments"][0]["required"]),
        (1, &json!(true))
    );
    assert_eq!(greeted["result"]["resultType"], "complete");
    assert_eq!(
        greeted["result"]["messages"][0]["content"]["text"],
        "Greet Ada."
    );
    assert_eq!(
        without["error"]["message"],
        "the argument `name` is required"
    );
    assert_eq!(unknown["error"]["message"], "there is no prompt `other`");
    let values = completed["result"]["completion"]["values"]
        .as_array()
        .unwrap();
    assert_eq!((values.len(), &values[0]), (100, &json!("A0")));
    served.end().await;
}

#[tokio::test]
async fn server_without_contents_declares_none() {
    let served = Served::of(McpServer::new(Registry::new()), HttpOptions::default()).await;

    let discovered = send(&served, "server/discover", json!({})).await;
    let prompts = send(&served, "prompts/list", json!({})).await;

    let capabilities = discovered["result"]["capabilities"].as_object().unwrap();
    assert_eq!(
        capabilities.keys().collect::<Vec<_>>(),
        ["logging", "tools"]
    );
    assert_eq!(prompts["error"]["code"], -32601);
    served.end().await;
}

#[tokio::test]
async fn resources_are_read_for_client() {
    let served = start().await;

    let listed = send(&served, "resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][0]["name"], "anonymous");
    assert_eq!(listed["result"]["cacheScope"], "private");
    let own = send(&served, "resources/read", json!({"uri": "notes://own"})).await;
    assert_eq!(
        own["result"]["contents"][0],
        json!({"uri": "notes://own", "text": "anonymous"})
    );
    let unknown = send(&served, "resources/read", json!({"uri": "notes://other"})).await;
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["uri"]),
        (&json!(-32602), &json!("notes://other"))
    );
    let broken = send(&served, "resources/read", json!({"uri": "notes://broken"})).await;
    assert!(!broken.to_string().contains("/dev/sda"), "{broken}");
    let invalid = send(&served, "resources/read", json!({"uri": "notes://invalid"})).await;
    assert_eq!(invalid["error"]["code"], -32603);
    served.end().await;
}

fn tokens() -> BearerTokens {
    BearerTokens::default()
        .with_identity(
            ClientIdentity::new("first").with_scopes(["write"]),
            &"first-token".to_owned().into(),
        )
        .with_token("second", &"second-token".to_owned().into())
}

#[tokio::test]
async fn clients_have_own_tools() {
    let registry = Registry::new();
    for (name, risk) in [
        ("read", RiskLevel::ReadOnly),
        ("write", RiskLevel::SafeWrite),
    ] {
        let definition =
            ToolDefinition::new(name, "Test.", json!({"type": "object"})).with_risk(risk);
        registry
            .register(DynamicTool::new(definition, |_, _| async {
                Ok("done".into())
            }))
            .unwrap();
    }
    let all = registry.clone();
    let mcp = McpServer::new(registry).view_for(move |client| {
        let most = if client.has_scope("write") {
            RiskLevel::SafeWrite
        } else {
            RiskLevel::ReadOnly
        };
        Some(all.max_risk(most))
    });
    let served = Served::of(mcp, HttpOptions::default().authenticate(tokens())).await;

    for (token, names, status) in [
        ("first-token", &["read", "write"][..], Value::Null),
        ("second-token", &["read"], json!(-32602)),
    ] {
        let send = async |method: &str, params: Value| -> Value {
            let request = served.current(method, params).bearer_auth(token);
            request.send().await.unwrap().json().await.unwrap()
        };
        let listed = send("tools/list", json!({})).await;
        let called = send("tools/call", json!({"name": "write", "arguments": {}})).await;

        let tools = listed["result"]["tools"].as_array().unwrap();
        assert_eq!(
            tools
                .iter()
                .map(|tool| tool["name"].as_str().unwrap())
                .collect::<Vec<_>>(),
            names
        );
        assert_eq!(listed["result"]["cacheScope"], "private");
        assert_eq!(called["error"]["code"], status, "{called}");
    }
    served.end().await;
}

#[tokio::test]
async fn log_lines_are_sent_on_request() {
    let redactor = Redactor::new()
        .with_value(&"topsecret".to_owned().into())
        .unwrap();
    let registry = Registry::builder().redactor(redactor).build();
    let definition = ToolDefinition::new("logs", "Logs.", json!({"type": "object"}))
        .with_risk(RiskLevel::ReadOnly);
    let logs = DynamicTool::new(definition, |cx, _| async move {
        if let Some(log) = cx.extension::<ClientLog>() {
            log.send(LogLevel::Debug, "details");
            log.send(LogLevel::Error, "the key topsecret failed");
        }
        Ok("done".into())
    });
    registry.register(logs).unwrap();
    let served = Served::of(McpServer::new(registry), HttpOptions::default()).await;
    let call = |meta: Value| json!({"name": "logs", "arguments": {}, "_meta": meta});

    let without = served
        .current("tools/call", call(json!({})))
        .send()
        .await
        .unwrap();
    assert_eq!(without.headers()["content-type"], "application/json");
    let meta = json!({"io.modelcontextprotocol/logLevel": "warning"});
    let with = served
        .current("tools/call", call(meta))
        .send()
        .await
        .unwrap();
    let lines = events(with).await;

    let lines: Vec<&Value> = lines
        .iter()
        .filter(|line| line["method"] == "notifications/message")
        .collect();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["params"]["level"], "error");
    assert!(!lines[0].to_string().contains("topsecret"), "{lines:?}");
    served.end().await;
}

#[tokio::test]
async fn trace_context_reaches_tools() {
    let registry = Registry::new();
    let definition = ToolDefinition::new("trace", "Trace.", json!({"type": "object"}))
        .with_risk(RiskLevel::ReadOnly);
    let trace = DynamicTool::new(definition, |cx, _| async move {
        let parent = cx.extension::<TraceParent>().map(ToString::to_string);
        Ok(parent.unwrap_or_else(|| "none".to_owned()).into())
    });
    registry.register(trace).unwrap();
    let served = Served::of(McpServer::new(registry), HttpOptions::default()).await;

    let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (given, expected) in [(valid, valid), ("00-1-2-3", "none"), ("", "none")] {
        let params = json!({"name": "trace", "arguments": {}, "_meta": {"traceparent": given}});
        let response = send(&served, "tools/call", params).await;

        assert_eq!(
            response["result"]["content"][0]["text"], expected,
            "{given}"
        );
    }
    served.end().await;
}
