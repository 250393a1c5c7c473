//! Prompts and resources.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_mcp::server::{
    ClientContext, ClientIdentity, ContentError, InputRequest, Prompts, Resources,
};

use crate::tools::PNG;

pub(crate) struct TestPrompts;

#[async_trait]
impl Prompts for TestPrompts {
    async fn list(&self, _: &ClientIdentity) -> Vec<Value> {
        let required = |name: &str, description: &str| json!({"name": name, "description": description, "required": true});
        let fixtures = [
            ("test_simple_prompt", json!([])),
            (
                "test_prompt_with_arguments",
                json!([
                    required("arg1", "First argument"),
                    required("arg2", "Second argument")
                ]),
            ),
            (
                "test_prompt_with_embedded_resource",
                json!([required("resourceUri", "URI of the resource")]),
            ),
            ("test_prompt_with_image", json!([])),
            ("test_input_required_result_prompt", json!([])),
        ];
        let fixtures = fixtures.map(|(name, arguments)| {
            json!({"name": name, "description": format!("Fixture {name}."), "arguments": arguments})
        });
        fixtures.into()
    }

    async fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        cx: &ClientContext,
    ) -> Result<Value, ContentError> {
        let argument = |name: &str| {
            let value = arguments.get(name).and_then(Value::as_str);
            value.unwrap_or_default()
        };
        let contents = match name {
            "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => {
                let (first, second) = (argument("arg1"), argument("arg2"));
                vec![text(&format!(
                    "Prompt with arguments: arg1='{first}', arg2='{second}'"
                ))]
            }
            "test_prompt_with_embedded_resource" => vec![
                embedded(argument("resourceUri")),
                text("Please process the embedded resource above."),
            ],
            "test_prompt_with_image" => vec![
                json!({"type": "image", "mimeType": "image/png", "data": PNG}),
                text("Please analyze the image above."),
            ],
            "test_input_required_result_prompt" => {
                let answer = cx.input.ask("user_context", question()).await?;
                let context = answer
                    .accepted()
                    .and_then(|fields| fields["context"].as_str());
                vec![text(&format!("Context: {}", context.unwrap_or_default()))]
            }
            _ => return Err(ContentError::NotFound),
        };
        let messages = contents.into_iter();
        let messages = messages.map(|content| json!({"role": "user", "content": content}));
        Ok(json!({"messages": messages.collect::<Vec<_>>()}))
    }

    async fn complete(&self, _: &str, _: &str, value: &str) -> Vec<String> {
        let known = ["paris", "park", "party", "test"];
        known
            .into_iter()
            .filter(|known| known.starts_with(value))
            .map(str::to_owned)
            .collect()
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn embedded(uri: &str) -> Value {
    let text = "Embedded resource content for testing.";
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": "text/plain", "text": text}})
}

fn question() -> InputRequest {
    InputRequest::form(
        "What context should the prompt use?",
        json!({"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}),
    )
}

pub(crate) struct TestResources;

#[async_trait]
impl Resources for TestResources {
    async fn list(&self, _: &ClientIdentity) -> Vec<Value> {
        vec![
            json!({
                "uri": "test://static-text",
                "name": "Static text",
                "description": "Text that does not change",
                "mimeType": "text/plain",
            }),
            json!({
                "uri": "test://static-binary",
                "name": "Static image",
                "description": "Image that does not change",
                "mimeType": "image/png",
            }),
        ]
    }

    async fn templates(&self, _: &ClientIdentity) -> Vec<Value> {
        vec![json!({
            "uriTemplate": "test://template/{id}/data",
            "name": "Data by id",
            "description": "Data of an id",
            "mimeType": "application/json",
        })]
    }

    async fn read(&self, uri: &str, _: &ClientIdentity) -> Result<Value, ContentError> {
        let contents = match uri {
            "test://static-text" => {
                let text = "This is the content of the static text resource.";
                json!({"uri": uri, "mimeType": "text/plain", "text": text})
            }
            "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
            _ => {
                let id = uri.strip_prefix("test://template/");
                let id = id.and_then(|rest| rest.strip_suffix("/data"));
                let id = id.ok_or(ContentError::NotFound)?;
                let data = format!("Data for ID: {id}");
                let data = json!({"id": id, "templateTest": true, "data": data});
                json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
            }
        };
        Ok(contents)
    }
}
