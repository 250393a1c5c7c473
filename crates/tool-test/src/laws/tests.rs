mod answers;
mod fresh;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tool_core::{
    Dialect, DynamicTool, ErrorCode, ProviderTools, RejectedTool, RiskLevel, Tool, ToolDefinition,
    ToolError, ToolOutput, ToolResult,
};

use super::answers::refusal;
use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path of the file."},
            "limit": {"type": "integer", "description": "Maximum number of lines.", "minimum": 1},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

fn tool_of(name: &str, description: &str, schema: Value) -> Arc<dyn Tool> {
    let definition = ToolDefinition::new(name, description, schema).with_risk(RiskLevel::ReadOnly);
    Arc::new(DynamicTool::new(definition, |_, _| async {
        Ok(ToolOutput::text("ok"))
    }))
}

async fn broken_by(tool: Arc<dyn Tool>) -> Vec<&'static str> {
    let mut laws: Vec<&str> = Laws::of(tool)
        .closed()
        .check()
        .await
        .iter()
        .map(|broken| broken.law)
        .collect();
    laws.dedup();
    laws
}

#[tokio::test]
async fn valid_tool_breaks_no_law() {
    assert_eq!(
        broken_by(tool_of("read", "Reads.", schema())).await,
        Vec::<&str>::new()
    );
}

#[tokio::test]
async fn detects_broken_definition_laws() {
    let with = |pointer: &str, value: Value| {
        let mut schema = schema();
        *schema.pointer_mut(pointer).unwrap() = value;
        schema
    };
    let path = |extra: Value| {
        let mut property = json!({"type": "string", "description": "Path of the file."});
        property
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        with("/properties/path", property)
    };
    let mut open = schema();
    open.as_object_mut().unwrap().remove("additionalProperties");
    for (name, description, schema, law) in [
        (
            "1read",
            "Reads.",
            schema(),
            "every provider accepts the name",
        ),
        (
            "re ad",
            "Reads.",
            schema(),
            "every provider accepts the name",
        ),
        ("read", " ", schema(), "the tool has a description"),
        (
            "read",
            "Reads.",
            with("/properties/path/description", json!("")),
            "every property has a description",
        ),
        ("read", "Reads.", open, "the schema is closed"),
        (
            "read",
            "Reads.",
            path(json!({"title": "Path"})),
            "the schema has no Rust-specific keywords",
        ),
        (
            "read",
            "Reads.",
            path(json!({"format": "uint32"})),
            "the schema has no Rust-specific keywords",
        ),
        (
            "read",
            "Reads.",
            path(json!({"default": null})),
            "the schema has no Rust-specific keywords",
        ),
    ] {
        let broken = broken_by(tool_of(name, description, schema.clone())).await;

        assert!(broken.contains(&law), "{law}: {broken:?}");
    }
}

#[tokio::test]
async fn only_closed_schemas_need_descriptions() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let tool = tool_of("read", "Reads.", schema);

    assert_eq!(Laws::of(tool).check().await, []);
}

#[tokio::test]
async fn detects_unusable_schema() {
    let broken = broken_by(tool_of("read", "Reads.", json!({"type": "array"}))).await;

    assert!(broken.contains(&"the tool can be registered"), "{broken:?}");
}

#[tokio::test]
async fn detects_rejected_and_unstable_conversion() {
    struct Unstable(AtomicUsize);
    impl Dialect for Unstable {
        fn id(&self) -> Cow<'static, str> {
            "unstable".into()
        }
        fn convert(&self, _definitions: &[ToolDefinition]) -> ProviderTools {
            let mut converted = ProviderTools::new(json!(self.0.fetch_add(1, Ordering::SeqCst)));
            converted.refused.push(RejectedTool::new("read", "no"));
            converted
        }
    }
    let unstable = Unstable(AtomicUsize::new(0));

    let broken = Laws::of(tool_of("read", "Reads.", schema()))
        .dialects(&[&unstable])
        .check()
        .await;

    let laws: Vec<&str> = broken.iter().map(|broken| broken.law).collect();
    assert_eq!(
        laws,
        [
            "every provider accepts the schema",
            "conversion is deterministic"
        ]
    );
}

#[tokio::test]
async fn requires_parameter_name_in_errors() {
    let refused = |message: &str| {
        ToolResult::refused(
            "1",
            "f",
            ToolError::new(ErrorCode::InvalidArguments, message),
        )
    };

    assert!(refusal(&refused("`path` is missing"), "path", &json!({})).is_none());
    assert!(refusal(&refused("something is wrong"), "path", &json!({})).is_some());
}

#[tokio::test]
async fn failure_names_caller() {
    let line = line!() + 1;
    let checked = tokio::spawn(laws(tool_of("read", " ", schema()), &[]));

    let panic = checked.await.unwrap_err().into_panic();

    let message = panic.downcast_ref::<String>().unwrap();
    let expected = format!("checked at {}:{line}:", file!());
    assert!(message.contains(&expected), "{message}");
    assert!(
        message.ends_with("the tool has a description: read"),
        "{message}"
    );
}
