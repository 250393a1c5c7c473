//! Registries that show fewer tools.

use serde_json::json;

use super::*;
use crate::{DynamicTool, ErrorCode, RegisterError, ToolDefinition, ToolOutput};

fn tool(name: &str, risk: RiskLevel) -> DynamicTool {
    let definition = ToolDefinition::new(name, "Works.", json!({"type": "object"}));
    DynamicTool::new(definition.with_risk(risk), |_, _| async {
        Ok(ToolOutput::text("done"))
    })
}

fn registry() -> Registry {
    let registry = Registry::new();
    let tools = [
        tool("read", RiskLevel::ReadOnly),
        tool("write", RiskLevel::SafeWrite),
        tool("send", RiskLevel::Dangerous),
    ];
    registry.register_all(tools).unwrap();
    registry
}

fn names(registry: &Registry) -> Vec<String> {
    let list = registry.list();
    list.iter().map(|one| one.name().to_owned()).collect()
}

#[test]
fn shows_fewer_tools_in_order() {
    let all = registry();
    for (narrowed, expected) in [
        (all.only(["send", "read"]).unwrap(), &["read", "send"][..]),
        (all.without(["read"]).unwrap(), &["write", "send"]),
        (all.max_risk(RiskLevel::ReadOnly), &["read"]),
        (
            all.max_risk(RiskLevel::SafeWrite)
                .without(["read"])
                .unwrap(),
            &["write"],
        ),
    ] {
        assert_eq!(names(&narrowed), expected);
        assert_eq!(names(&narrowed.snapshot()), expected);
    }
}

#[test]
fn unknown_names_are_errors() {
    let unknown = |name: &str, nearest: Option<&str>| UnknownTool {
        name: name.to_owned(),
        nearest: nearest.map(str::to_owned),
    };

    let all = registry();
    let hidden = all.max_risk(RiskLevel::ReadOnly);

    assert_eq!(
        all.only(["wirte"]).unwrap_err(),
        unknown("wirte", Some("write"))
    );
    assert_eq!(
        all.without(["sned"]).unwrap_err(),
        unknown("sned", Some("send"))
    );
    assert_eq!(
        hidden.only(["fetch_page"]).unwrap_err(),
        unknown("fetch_page", None)
    );
}

#[tokio::test]
async fn hidden_tool_does_not_run() {
    let narrowed = registry().without(["read"]).unwrap();

    let result = narrowed.execute("read", json!({})).await;

    let error = result.error.unwrap();
    assert_eq!(error.code, ErrorCode::ToolNotFound);
}

#[test]
fn follows_changes_of_the_registry() {
    let all = registry();
    let (reading, some) = (
        all.max_risk(RiskLevel::ReadOnly),
        all.only(["send"]).unwrap(),
    );
    assert_eq!(names(&reading), ["read"]);

    all.register(tool("list", RiskLevel::ReadOnly)).unwrap();
    all.unregister("send").unwrap();
    assert_eq!(
        (names(&reading), names(&some)),
        (vec!["read".into(), "list".into()], vec![])
    );

    // A tool that comes back with another risk is evaluated again.
    all.register(tool("send", RiskLevel::ReadOnly)).unwrap();
    assert_eq!(names(&reading), ["read", "list", "send"]);
    assert_eq!(names(&some), ["send"]);
}

#[test]
fn rejects_changes() {
    let narrowed = registry().max_risk(RiskLevel::ReadOnly);

    let error = narrowed
        .register(tool("list", RiskLevel::ReadOnly))
        .unwrap_err();

    assert!(matches!(error, RegisterError::ReadOnly), "{error:?}");
}
