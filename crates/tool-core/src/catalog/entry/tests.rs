//! Registration without a validator.

use serde_json::json;

use crate::{DynamicTool, RegisterError, Registry, ToolDefinition};

#[test]
fn rejects_untyped_tool_with_constraints() {
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
