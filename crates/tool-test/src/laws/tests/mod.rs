//! Each law catches a tool that breaks it.

mod answers;
mod fresh;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tool_core::{
    DynamicTool, ProviderTools, RejectedTool, RiskLevel, ToolDefinition, ToolError, ToolOutput,
};

use serde_json::Value;
use tool_core::{Dialect, ErrorCode, Tool, ToolResult};

use super::answers::refusal;
use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "limit": {"type": "integer", "description": "How many.", "minimum": 1},
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
async fn a_good_tool_breaks_no_law() {
    assert_eq!(
        broken_by(tool_of("read", "Reads.", schema())).await,
        Vec::<&str>::new()
    );
}

#[tokio::test]
async fn each_law_of_definitions_is_noticed() {
    let with = |pointer: &str, value: Value| {
        let mut schema = schema();
        *schema.pointer_mut(pointer).unwrap() = value;
        schema
    };
    let path = |extra: Value| {
        let mut property = json!({"type": "string", "description": "Where."});
        property
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        with("/properties/path", property)
    };
    let mut open = schema();
    open.as_object_mut().unwrap().remove("additionalProperties");
    for (name, description, schema, law) in [
        ("1read", "Reads.", schema(), "the name suits every provider"),
        ("re ad", "Reads.", schema(), "the name suits every provider"),
        ("read", " ", schema(), "the tool is described"),
        (
            "read",
            "Reads.",
            with("/properties/path/description", json!("")),
            "every property is described",
        ),
        ("read", "Reads.", open, "the schema is closed"),
        (
            "read",
            "Reads.",
            path(json!({"title": "Path"})),
            "no type of Rust is shown",
        ),
        (
            "read",
            "Reads.",
            path(json!({"format": "uint32"})),
            "no type of Rust is shown",
        ),
        (
            "read",
            "Reads.",
            path(json!({"default": null})),
            "no type of Rust is shown",
        ),
    ] {
        let broken = broken_by(tool_of(name, description, schema.clone())).await;

        assert!(broken.contains(&law), "{law}: {broken:?}");
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_is_noticed() {
    let broken = broken_by(tool_of("read", "Reads.", json!({"type": "array"}))).await;

    assert!(broken.contains(&"the tool can be registered"), "{broken:?}");
}

#[tokio::test]
async fn a_dialect_that_refuses_or_changes_its_mind_is_noticed() {
    struct Fickle(AtomicUsize);
    impl Dialect for Fickle {
        fn id(&self) -> Cow<'static, str> {
            "fickle".into()
        }
        fn convert(&self, _definitions: &[ToolDefinition]) -> ProviderTools {
            let mut converted = ProviderTools::new(json!(self.0.fetch_add(1, Ordering::SeqCst)));
            converted.refused.push(RejectedTool::new("read", "no"));
            converted
        }
    }
    let fickle = Fickle(AtomicUsize::new(0));

    let broken = Laws::of(tool_of("read", "Reads.", schema()))
        .dialects(&[&fickle])
        .check()
        .await;

    let laws: Vec<&str> = broken.iter().map(|broken| broken.law).collect();
    assert_eq!(
        laws,
        [
            "the schema survives every provider",
            "the same definition gives the same bytes"
        ]
    );
}

#[tokio::test]
async fn an_answer_to_invalid_arguments_must_name_the_parameter() {
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
