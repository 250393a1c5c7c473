//! Registration without a validator.

use serde_json::json;

use super::*;

#[test]
fn constraints_of_untyped_tool_require_validator() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let untyped = ToolDefinition::new("double", "Doubles.", schema);
    let open = ToolDefinition::new("ping", "Returns pong.", json!({"type": "object"}));

    assert_eq!(
        unchecked(&untyped, false).as_deref(),
        Some("/properties/n/type")
    );
    assert_eq!(unchecked(&untyped, true), None);
    assert_eq!(unchecked(&open, false), None);
    assert_eq!(unchecked(&untyped.with_derived_schema(), false), None);
}

#[test]
#[cfg(not(feature = "validate"))]
fn rejects_untyped_tool_with_constraints() {
    use crate::{DynamicTool, Registry};

    let tool = |schema| {
        let definition = ToolDefinition::new("double", "Doubles.", schema);
        DynamicTool::new(definition, |_, _| async { Ok("done".into()) })
    };
    let integer = || json!({"type": "object", "properties": {"n": {"type": "integer"}}});

    let rejected = Registry::of(tool(integer())).unwrap_err();
    let built = Registry::builder().allow_unvalidated_arguments();
    let accepted = built.tool(tool(integer())).unwrap().build();

    let pointer = "/properties/n/type".to_owned();
    assert!(
        matches!(rejected, RegisterError::Unvalidated { pointer: found, .. } if found == pointer)
    );
    assert!(accepted.unregister("double").is_some());
    assert!(accepted.register(tool(integer())).is_ok());
    assert!(Registry::of(tool(json!({"type": "object"}))).is_ok());
}
