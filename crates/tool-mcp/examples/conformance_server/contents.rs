//! Prompts and resources.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_core::{ContentBlock, ResourceContents};
use tool_mcp::server::{
    ClientContext, ClientIdentity, ContentError, InputRequest, Prompt, PromptArgument,
    PromptOutput, Prompts, Resource, ResourceOutput, Resources, Role,
};

use crate::tools::PNG;

pub(crate) struct TestPrompts;

#[async_trait]
impl Prompts for TestPrompts {
    async fn list(&self, _: &ClientIdentity) -> Vec<Prompt> {
        let fixture = |name: &str| Prompt::new(name, format!("Fixture {name}."));
        vec![
            fixture("test_simple_prompt"),
            fixture("test_prompt_with_arguments")
                .with_argument(PromptArgument::required("arg1").with_description("First argument"))
                .with_argument(
                    PromptArgument::required("arg2").with_description("Second argument"),
                ),
            fixture("test_prompt_with_embedded_resource").with_argument(
                PromptArgument::required("resourceUri").with_description("URI of the resource"),
            ),
            fixture("test_prompt_with_image"),
            fixture("test_input_required_result_prompt"),
        ]
    }

    async fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        cx: &ClientContext,
    ) -> Result<PromptOutput, ContentError> {
        let text = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let output = PromptOutput::default();
        Ok(match name {
            "test_simple_prompt" => {
                output.with_message(Role::User, "This is a simple prompt for testing.")
            }
            "test_prompt_with_arguments" => {
                let values = format!("arg1='{}', arg2='{}'", text("arg1"), text("arg2"));
                output.with_message(Role::User, format!("Prompt with arguments: {values}"))
            }
            "test_prompt_with_embedded_resource" => output
                .with_message(Role::User, embedded(text("resourceUri")))
                .with_message(Role::User, "Please process the embedded resource above."),
            "test_prompt_with_image" => output
                .with_message(Role::User, image())
                .with_message(Role::User, "Please analyze the image above."),
            "test_input_required_result_prompt" => {
                let answer = cx.input.ask("user_context", question()).await?;
                let context = answer
                    .accepted()
                    .and_then(|fields| fields["context"].as_str());
                output.with_message(
                    Role::User,
                    format!("Context: {}", context.unwrap_or_default()),
                )
            }
            _ => return Err(ContentError::NotFound),
        })
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

fn embedded(uri: &str) -> ContentBlock {
    ContentBlock::Resource {
        uri: uri.to_owned(),
        media_type: Some("text/plain".to_owned()),
        contents: ResourceContents::Text("Embedded resource content for testing.".to_owned()),
    }
}

fn image() -> ContentBlock {
    ContentBlock::Image {
        media_type: "image/png".to_owned(),
        data: PNG.to_owned(),
    }
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
    async fn list(&self, _: &ClientIdentity) -> Vec<Resource> {
        vec![
            Resource::new("test://static-text", "Static text")
                .with_description("Text that does not change")
                .with_media_type("text/plain"),
            Resource::new("test://static-binary", "Static image")
                .with_description("Image that does not change")
                .with_media_type("image/png"),
        ]
    }

    async fn templates(&self, _: &ClientIdentity) -> Vec<Resource> {
        let template = Resource::new("test://template/{id}/data", "Data by id");
        vec![
            template
                .with_description("Data of an id")
                .with_media_type("application/json"),
        ]
    }

    async fn read(&self, uri: &str, _: &ClientContext) -> Result<ResourceOutput, ContentError> {
        let text = |text: String| ResourceOutput::new(ResourceContents::Text(text));
        match uri {
            "test://static-text" => {
                let content = "This is the content of the static text resource.";
                Ok(text(content.to_owned()).with_media_type("text/plain"))
            }
            "test://static-binary" => {
                let content = ResourceContents::Blob(PNG.to_owned());
                Ok(ResourceOutput::new(content).with_media_type("image/png"))
            }
            _ => {
                let id = uri.strip_prefix("test://template/");
                let id = id.and_then(|rest| rest.strip_suffix("/data"));
                let id = id.ok_or(ContentError::NotFound)?;
                let data = format!("Data for ID: {id}");
                let data = json!({"id": id, "templateTest": true, "data": data});
                Ok(text(data.to_string()).with_media_type("application/json"))
            }
        }
    }
}
