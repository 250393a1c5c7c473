//! Tools without input from the client.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use tool_core::{
    ContentBlock, DynamicTool, Progress, RegisterError, Registry, ResourceContents, RiskLevel,
    ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use tool_mcp::server::{ClientLog, LogLevel, Notifier};

/// Image of one pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// Sound without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// Pause between two reports.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn definition(name: &str, schema: Value) -> ToolDefinition {
    ToolDefinition::new(name, format!("Fixture {name}."), schema).with_risk(RiskLevel::ReadOnly)
}

pub(crate) fn nothing() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Registers the tools.
pub(crate) fn register(registry: &Registry, notifier: &Notifier) -> Result<(), RegisterError> {
    for (name, content) in outputs() {
        let tool = DynamicTool::new(definition(name, nothing()), move |_, _| {
            let content = content.clone();
            async move {
                let mut output = ToolOutput::default();
                output.content = content;
                Ok(output)
            }
        });
        registry.register(tool)?;
    }
    let fails = DynamicTool::new(definition("test_error_handling", nothing()), |_, _| async {
        Err(ToolError::failed(
            "This tool intentionally returns an error for testing",
        ))
    });
    registry.register(fails)?;
    let progress = definition("test_tool_with_progress", nothing());
    registry.register(DynamicTool::new(progress, |cx, _| report(cx)))?;
    for name in ["test_tool_with_logging", "test_logging_tool"] {
        registry.register(DynamicTool::new(definition(name, nothing()), |cx, _| {
            log(cx)
        }))?;
    }
    registry.register(DynamicTool::new(
        header_definition(),
        |_, arguments| async move {
            Ok(arguments
                .get("value")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .into())
        },
    ))?;
    registry.register(DynamicTool::new(
        schema_definition(),
        |_, arguments| async move { Ok(arguments.to_string().into()) },
    ))?;
    register_triggers(registry, notifier)
}

fn outputs() -> [(&'static str, Vec<ContentBlock>); 5] {
    let image = || ContentBlock::Image {
        media_type: "image/png".to_owned(),
        data: PNG.to_owned(),
    };
    let resource = |uri: &str, media_type: &str, text: &str| ContentBlock::Resource {
        uri: uri.to_owned(),
        media_type: Some(media_type.to_owned()),
        contents: ResourceContents::Text(text.to_owned()),
    };
    let audio = ContentBlock::Audio {
        media_type: "audio/wav".to_owned(),
        data: WAV.to_owned(),
    };
    let embedded = resource(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    );
    let mixed = resource(
        "test://mixed-content-resource",
        "application/json",
        r#"{"test":"data","value":123}"#,
    );
    [
        (
            "test_simple_text",
            vec!["This is a simple text response for testing.".into()],
        ),
        ("test_image_content", vec![image()]),
        ("test_audio_content", vec![audio]),
        ("test_embedded_resource", vec![embedded]),
        (
            "test_multiple_content_types",
            vec!["Multiple content types test:".into(), image(), mixed],
        ),
    ]
}

async fn report(cx: ToolContext) -> Result<ToolOutput, ToolError> {
    for done in [0, 50, 100] {
        cx.progress(&Progress::new("").with_position(done, Some(100)));
        sleep(PAUSE).await;
    }
    Ok("done".into())
}

async fn log(cx: ToolContext) -> Result<ToolOutput, ToolError> {
    let lines = [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ];
    for line in lines {
        if let Some(log) = cx.extension::<ClientLog>() {
            log.send(LogLevel::Info, line);
        }
        sleep(PAUSE).await;
    }
    Ok("done".into())
}

/// Returns a definition whose argument is also sent in a header.
fn header_definition() -> ToolDefinition {
    let value = json!({"type": "string", "x-mcp-header": "Value"});
    definition(
        "test_custom_header",
        json!({"type": "object", "properties": {"value": value}, "required": ["value"]}),
    )
}

/// Returns a definition with keywords that clients must receive unchanged.
fn schema_definition() -> ToolDefinition {
    let address = json!({
        "$anchor": "addressDef",
        "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
    });
    let contact = json!({"enum": ["phone", "email"]});
    definition(
        "json_schema_2020_12_tool",
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": address},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": contact,
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        }),
    )
}

/// Registers tools that change the lists of the server.
fn register_triggers(registry: &Registry, notifier: &Notifier) -> Result<(), RegisterError> {
    let changed = registry.clone();
    let tools = DynamicTool::new(
        definition("test_trigger_tool_change", nothing()),
        move |_, _| {
            let registry = changed.clone();
            async move {
                let tool = definition("test_added_tool", nothing());
                let tool = DynamicTool::new(tool, |_, _| async { Ok("added".into()) });
                if registry.unregister("test_added_tool").is_none() {
                    registry
                        .register(tool)
                        .map_err(|error| ToolError::failed(error.to_string()))?;
                }
                Ok("changed".into())
            }
        },
    );
    registry.register(tools)?;
    let notifier = notifier.clone();
    let prompts = DynamicTool::new(
        definition("test_trigger_prompt_change", nothing()),
        move |_, _| {
            let notifier = notifier.clone();
            async move {
                notifier.prompts_changed();
                Ok("changed".into())
            }
        },
    );
    registry.register(prompts)
}
