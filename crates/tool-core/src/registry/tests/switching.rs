//! Disabled and enabled tools.

use super::*;
use crate::ErrorCode;

fn three() -> Registry {
    let registry = Registry::new();
    let tools = ["a", "b", "c"].map(|name| tool(name, "x"));
    registry.register_all(tools).unwrap();
    registry
}

#[tokio::test]
async fn disabled_tool_is_hidden_and_fails() {
    let registry = three();

    assert!(registry.disable("b"));

    let result = registry.execute("b", json!({})).await;
    let error = result.error.unwrap();
    assert_eq!(error.code, ErrorCode::ToolNotExecutable);
    assert!(error.suggestion.is_some());
    assert_eq!(names(&registry), ["a", "c"]);
    assert_eq!(registry.definitions(&Count).tools, json!(2));
    let unknown = registry.execute("bb", json!({})).await.to_string();
    assert!(unknown.contains("The tools are a, c."), "{unknown}");
}

#[tokio::test]
async fn enabled_tool_returns_to_position() {
    let registry = three();
    let turn = registry.snapshot();

    assert!(registry.disable("b"));
    registry.register(tool("d", "x")).unwrap();
    let during = names(&registry);
    assert!(registry.enable("b"));

    assert_eq!(during, ["a", "c", "d"]);
    assert_eq!(names(&registry), ["a", "b", "c", "d"]);
    assert_eq!(turn.list().len(), 3);
    assert!(turn.execute("b", json!({})).await.success);
}

#[test]
fn no_op_edits_are_not_changes() {
    let registry = three();

    assert!(registry.enable("a"));
    assert!(registry.disable("a"));
    assert!(registry.disable("a"));
    assert!(!registry.disable("unknown"));
    assert!(registry.unregister("unknown").is_none());

    assert_eq!(registry.generation(), 2);
    assert_eq!(registry.is_enabled("a"), Some(false));
    assert_eq!(registry.is_enabled("unknown"), None);
}

#[test]
fn disabled_tool_keeps_name_and_state() {
    let registry = three();
    assert!(registry.disable("a"));

    let taken = registry.register(tool("a", "x"));
    registry.replace(tool("a", "other")).unwrap();

    assert!(matches!(taken, Err(RegisterError::NameTaken { .. })));
    assert_eq!(registry.is_enabled("a"), Some(false));
    assert!(registry.get("a").is_some());
}
