//! Schemas of types, which are compiled by the first call.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::*;
use crate::{ErrorCode, tool_fn};

/// A type with the schema `S`.
#[derive(serde::Deserialize)]
struct Handmade<const KIND: usize> {}

impl<const KIND: usize> JsonSchema for Handmade<KIND> {
    fn schema_name() -> Cow<'static, str> {
        "Handmade".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let property = match KIND {
            0 => json!({"type": "strin"}),
            _ => json!({"type": "string", "pattern": "("}),
        };
        let mut schema = Schema::default();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), json!({"a": property}));
        schema
    }
}

fn handmade<const KIND: usize>() -> Result<Registry, RegisterError> {
    let function = |_, _: Handmade<KIND>| async { Ok("x") };
    Registry::of(tool_fn("f", "F.", function))
}

#[tokio::test]
async fn broken_derived_schema_fails_first_call() {
    let registry = handmade::<0>().unwrap();

    for _ in 0..2 {
        let result = registry.execute("f", json!({})).await;

        assert_eq!(result.error.unwrap().code, ErrorCode::InvalidSchema);
    }
    let validation = registry.validate("f", &json!({}).into());
    assert_eq!(validation.error.unwrap().code, ErrorCode::InvalidSchema);
}

#[test]
fn derived_schema_with_pattern_is_checked_early() {
    let error = handmade::<1>().unwrap_err();

    assert!(
        matches!(error, RegisterError::InvalidSchema { .. }),
        "{error}"
    );
}

#[test]
fn replaced_derived_schema_is_checked_early() {
    #[derive(serde::Deserialize, JsonSchema)]
    struct NoInput {}
    let tool = tool_fn("f", "F.", |_, _: NoInput| async { Ok("x") })
        .define(|definition| definition.with_input_schema(json!({"required": 7})));

    let error = Registry::of(tool).unwrap_err();

    assert!(
        matches!(error, RegisterError::InvalidSchema { .. }),
        "{error}"
    );
}
