//! Client of the MCP conformance suite.
//!
//! The suite starts this program with the address of a test server as the last argument. The program
//! connects, lists the tools, and runs the calls of the scenario.

#![expect(
    clippy::indexing_slicing,
    reason = "missing members of JSON values are null"
)]

use std::env;
use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_core::approval::Policy;
use tool_core::{Registry, ToolDefinition, ToolResult};
use tool_mcp::client::{Elicit, ElicitAnswer, ElicitRequest, Login, LoginPrompt, ServerState};
use tool_mcp::{McpManager, McpServerConfig};

/// Document of the client that the suite knows.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";

/// Maximum number of logins in one run.
const MAX_LOGINS: usize = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().ok_or("the address is missing")?;
    let context: Value = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    let manager = McpManager::builder()
        .server("s", config(&url, &context))
        .registry(&registry)
        .elicit(Defaults)
        .roots(["file:///"])
        .login(Login::new(Browser).with_client_metadata_url(CLIENT_METADATA))
        .build();
    let outcome = run(&manager, &registry, &context).await;
    manager.shutdown(Duration::ZERO).await;
    outcome
}

fn config(url: &str, context: &Value) -> McpServerConfig {
    let mut config = McpServerConfig::http(url).with_startup_timeout(Duration::from_secs(20));
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    config.oauth.client_id = text("client_id");
    config.oauth.client_secret = text("client_secret").map(Into::into);
    config
}

async fn run(
    manager: &McpManager,
    registry: &Registry,
    context: &Value,
) -> Result<(), Box<dyn Error>> {
    let mut report = manager.connect().await.remove(0);
    let mut logins = 0;
    while report.state == ServerState::NeedsLogin && logins < MAX_LOGINS {
        report = manager.login("s").await?;
        logins += 1;
    }
    if let Some(error) = report.error {
        return Err(error.into());
    }
    for (name, arguments) in calls(registry, context) {
        let mut result = registry.execute(&name, arguments.clone()).await;
        eprintln!("{name}: {result}");
        while requires_login(&result) && logins < MAX_LOGINS {
            logins += 1;
            manager.login("s").await?;
            result = registry.execute(&name, arguments.clone()).await;
        }
        if requires_login(&result) {
            return Err(result.text().into());
        }
    }
    Ok(())
}

fn requires_login(result: &ToolResult) -> bool {
    !result.success && result.text().contains("requires a login")
}

/// Returns the calls of the scenario, or one of each tool.
fn calls(registry: &Registry, context: &Value) -> Vec<(String, Value)> {
    if let Some(calls) = context["toolCalls"].as_array() {
        let named = calls.iter().map(|call| {
            let name = call["name"].as_str().unwrap_or_default();
            (format!("s__{name}"), call["arguments"].clone())
        });
        return named.collect();
    }
    let definitions = registry.list();
    let calls = definitions.iter().map(|definition| {
        let arguments = arguments(definition, &definitions);
        (definition.name().to_owned(), Value::Object(arguments))
    });
    calls.collect()
}

/// Returns one value for each required parameter.
fn arguments(definition: &ToolDefinition, all: &[ToolDefinition]) -> Map<String, Value> {
    let schema = definition.input_schema();
    let required = schema["required"].as_array().into_iter().flatten();
    let required = required.filter_map(Value::as_str);
    let mut arguments = Map::new();
    for name in required {
        let property = &schema["properties"][name];
        let value = if definition.name() == "s__json_schema_echo" {
            let other = all.iter().find(|other| other.name() != definition.name());
            other.map_or(Value::Null, |other| other.input_schema().clone())
        } else {
            example(property)
        };
        arguments.insert(name.to_owned(), value);
    }
    arguments
}

fn example(schema: &Value) -> Value {
    if let Some(value) = schema["enum"].get(0) {
        return value.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("example"),
    }
}

/// User who accepts all forms with their defaults.
struct Defaults;

#[async_trait]
impl Elicit for Defaults {
    async fn elicit(&self, request: &ElicitRequest) -> ElicitAnswer {
        let mut values = Map::new();
        if let tool_mcp::client::ElicitForm::Schema(schema) = &request.form {
            let required = schema["required"].as_array().into_iter().flatten();
            for name in required.filter_map(Value::as_str) {
                let property = &schema["properties"][name];
                if property.get("default").is_none() {
                    values.insert(name.to_owned(), example(property));
                }
            }
        }
        ElicitAnswer::Accept(values)
    }
}

/// Browser of a user who consents.
struct Browser;

#[async_trait]
impl LoginPrompt for Browser {
    fn redirect_uri(&self) -> String {
        "http://localhost:3000/callback".to_owned()
    }

    async fn authorize(&self, _: &str, url: &str) -> Result<String, String> {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| error.to_string())?;
        let response = client.get(url).send().await;
        let response = response.map_err(|error| error.to_string())?;
        let location = response.headers().get("location");
        let location = location.and_then(|location| location.to_str().ok());
        location
            .map(str::to_owned)
            .ok_or_else(|| format!("status {} without a redirect", response.status()))
    }
}
