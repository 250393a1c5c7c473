//! Tools that request input from the client.

use serde_json::{Value, json};
use tool_core::{DynamicTool, RegisterError, Registry, ToolContext, ToolError, ToolOutput};
use tool_mcp::server::{ClientInput, InputRequest, InputResponse};

use crate::tools::{definition, nothing};

/// Names of the tools.
pub(crate) const NAMES: [&str; 14] = [
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
];

/// Registers the tools.
pub(crate) fn register(registry: &Registry) -> Result<(), RegisterError> {
    for name in NAMES {
        let text = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
        let schema = match name {
            "test_sampling" => text("prompt"),
            "test_elicitation" => text("message"),
            _ => nothing(),
        };
        let tool = DynamicTool::new(definition(name, schema), move |cx, arguments| {
            run(name, cx, arguments)
        });
        registry.register(tool)?;
    }
    Ok(())
}

async fn run(name: &str, cx: ToolContext, arguments: Value) -> Result<ToolOutput, ToolError> {
    let input = cx.extension::<ClientInput>();
    let input = input.ok_or_else(|| ToolError::failed("The call has no client"))?;
    let text = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match name {
        "test_sampling" => sample(input, text("prompt")).await,
        "test_elicitation" => elicit(input, text("message")).await,
        "test_elicitation_sep1034_defaults" => complete(input, defaults()).await,
        "test_elicitation_sep1330_enums" => complete(input, enums()).await,
        "test_missing_capability" | "test_input_required_result_sampling" => {
            let answer = input.ask(
                "capital_question",
                message("What is the capital of France?", 100),
            );
            Ok(shown("Answer", &answer.await?))
        }
        "test_input_required_result_list_roots" => Ok(shown(
            "Roots",
            &input.ask("client_roots", InputRequest::Roots).await?,
        )),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            input.ask("confirm", confirm()).await?;
            Ok("state-ok".into())
        }
        "test_input_required_result_multiple_inputs" => {
            input.ask_all(several()).await?;
            Ok("All inputs were received".into())
        }
        "test_input_required_result_multi_round" => {
            input
                .ask("step1", field("Step 1: What is your name?", "name"))
                .await?;
            input
                .ask(
                    "step2",
                    field("Step 2: What is your favorite color?", "color"),
                )
                .await?;
            Ok("All rounds are complete".into())
        }
        "test_input_required_result_capabilities" => {
            let supported = several()
                .into_iter()
                .filter(|(_, request)| input.supports(request));
            input.ask_all(supported).await?;
            Ok("All supported inputs were received".into())
        }
        _ => {
            let answer = input
                .ask("user_name", field("What is your name?", "name"))
                .await?;
            let name = answer.accepted().and_then(|fields| fields["name"].as_str());
            Ok(format!("Hello, {}!", name.unwrap_or("friend")).into())
        }
    }
}

async fn sample(input: &ClientInput, prompt: &str) -> Result<ToolOutput, ToolError> {
    let answer = input.ask("message", message(prompt, 100)).await?;
    let text = answer
        .as_value()
        .pointer("/content/text")
        .and_then(Value::as_str);
    Ok(format!("LLM response: {}", text.unwrap_or_default()).into())
}

async fn elicit(input: &ClientInput, message: &str) -> Result<ToolOutput, ToolError> {
    let form = InputRequest::form(
        message,
        json!({
            "type": "object",
            "properties": {
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"},
            },
            "required": ["username", "email"],
        }),
    );
    Ok(shown("User response", &input.ask("user", form).await?))
}

async fn complete(input: &ClientInput, schema: Value) -> Result<ToolOutput, ToolError> {
    let form = InputRequest::form("Please review the fields.", schema);
    let answer = input.ask("fields", form).await?;
    let value = answer.as_value();
    let (action, content) = (&value["action"], &value["content"]);
    let action = action.as_str().unwrap_or_default();
    Ok(format!("Elicitation completed: action={action}, content={content}").into())
}

fn shown(title: &str, answer: &InputResponse) -> ToolOutput {
    format!("{title}: {}", answer.as_value()).into()
}

fn field(question: &str, name: &str) -> InputRequest {
    let schema =
        json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    InputRequest::form(question, schema)
}

fn confirm() -> InputRequest {
    let schema =
        json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    InputRequest::form("Please confirm", schema)
}

fn message(text: &str, max_tokens: u32) -> InputRequest {
    let content = json!({"type": "text", "text": text});
    InputRequest::Sampling(json!({
        "messages": [{"role": "user", "content": content}],
        "maxTokens": max_tokens,
    }))
}

fn several() -> [(&'static str, InputRequest); 3] {
    [
        ("user_name", field("What is your name?", "name")),
        ("greeting", message("Generate a greeting", 50)),
        ("client_roots", InputRequest::Roots),
    ]
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        },
    })
}

fn enums() -> Value {
    let titled = |titles: [&str; 3]| {
        let values = ["value1", "value2", "value3"];
        let options = values.iter().zip(titles);
        options
            .map(|(value, title)| json!({"const": value, "title": title}))
            .collect::<Vec<_>>()
    };
    let options = ["option1", "option2", "option3"];
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"])},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled(["First Choice", "Second Choice", "Third Choice"])}},
        },
    })
}
