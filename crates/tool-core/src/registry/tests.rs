//! Registration, listing and changes of tools during use.

mod model;
mod schemas;
mod sources;
mod switching;
mod while_running;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::{DynamicTool, ToolOutput};

fn tool(name: &str, answer: &'static str) -> DynamicTool {
    tool_with(name, answer, json!({"type": "object"}))
}

fn tool_with(name: &str, answer: &'static str, schema: Value) -> DynamicTool {
    DynamicTool::new(
        ToolDefinition::new(name, answer, schema),
        move |_, _| async move { Ok(answer.into()) },
    )
}

fn names(registry: &Registry) -> Vec<String> {
    let list = registry.list();
    list.iter().map(|one| one.name().to_owned()).collect()
}

/// Converts to the number of tools.
struct Count;

impl Dialect for Count {
    fn id(&self) -> Cow<'static, str> {
        "count".into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
        ProviderTools::new(json!(definitions.len()))
    }
}

#[test]
fn name_is_unique_until_unregistered() {
    let registry = Registry::of(tool("f", "first")).unwrap();

    let taken = registry.register(tool("f", "second")).unwrap_err();

    assert_eq!(
        taken.to_string(),
        "two tools are named `f`: one is from the application (\"first\"), the other from the application (\"second\"); \
         rename one with `AdaptedTool`, omit one, or `replace` the first"
    );
    assert!(registry.unregister("f").is_some());
    assert!(registry.unregister("f").is_none());
    registry.register(tool("f", "second")).unwrap();
}

#[test]
fn name_conflict_reports_origins() {
    let of_server =
        ToolDefinition::new("f", "Second.", json!({})).with_source("the MCP server `files`");
    let registry = Registry::of(tool("f", "First.")).unwrap();

    let taken = registry
        .register(DynamicTool::new(of_server, |_, _| async { Ok("x".into()) }))
        .unwrap_err();

    assert_eq!(
        taken,
        RegisterError::NameTaken {
            name: crate::ToolName::parse("f").unwrap(),
            existing: "the application (\"First.\")".to_owned(),
            new: "the MCP server `files` (\"Second.\")".to_owned(),
        }
    );
}

#[test]
fn name_conflict_names_source() {
    let registry = Registry::of(tool("f", "First.")).unwrap();
    let mail = registry.source("mail").unwrap();

    let refreshed = mail
        .refresh([tool("f", "Second."), tool("g", "Third.")])
        .unwrap();
    let taken = registry.register(tool("g", "Fourth.")).unwrap_err();

    let error = |name, existing: &str, new: &str| RegisterError::NameTaken {
        name: crate::ToolName::parse(name).unwrap(),
        existing: existing.to_owned(),
        new: new.to_owned(),
    };
    let application = "the application (\"First.\")";
    let refused = error("f", application, "the source `mail` (\"Second.\")");
    assert_eq!(refreshed.refused, [refused]);
    assert_eq!(
        taken,
        error(
            "g",
            "the source `mail` (\"Third.\")",
            "the application (\"Fourth.\")"
        )
    );
}

#[test]
fn rejects_invalid_tools_with_reason() {
    let registry = Registry::new();

    for (name, schema, part) in [
        ("", json!({}), "empty"),
        ("a\nb", json!({}), "control character"),
        ("f", json!({"type": "array"}), "arguments are objects"),
        ("f", json!(7), "the schema must be an object"),
        (
            "f",
            json!({"properties": {"a": {"minimum": "x"}}}),
            "/properties/a/minimum",
        ),
        (
            "f",
            json!({"$ref": "https://example.com/schema"}),
            "invalid schema",
        ),
    ] {
        let error = registry
            .register(tool_with(name, "x", schema))
            .unwrap_err()
            .to_string();

        assert!(error.contains(part), "{error}");
    }
    assert!(registry.list().is_empty());
}

#[test]
fn rejects_invalid_example() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let definition = ToolDefinition::new("f", "F.", schema)
        .with_example(json!({"n": 1}))
        .with_example(json!({"n": "x"}));
    let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) });

    let error = Registry::of(tool).unwrap_err();

    assert!(
        matches!(error, RegisterError::InvalidExample { index: 1, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn replaced_tool_keeps_position_and_snapshot_is_unchanged() {
    let registry = Registry::of(tool("a", "old")).unwrap();
    registry.register(tool("b", "other")).unwrap();
    let turn = registry.snapshot();

    registry.replace(tool("a", "new")).unwrap();

    assert_eq!(names(&registry), ["a", "b"]);
    assert_eq!(registry.execute("a", json!({})).await.to_string(), "new");
    assert_eq!(turn.execute("a", json!({})).await.to_string(), "old");
}

#[test]
fn definitions_are_cached_until_tools_change() {
    struct Counting(AtomicUsize);
    impl Dialect for Counting {
        fn id(&self) -> Cow<'static, str> {
            "counting".into()
        }
        fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
            self.0.fetch_add(1, Ordering::SeqCst);
            ProviderTools::new(json!(definitions.len()))
        }
    }
    let dialect = Counting(AtomicUsize::new(0));
    let registry = Registry::of(tool("a", "x")).unwrap();

    let first = registry.definitions(&dialect);
    assert!(Arc::ptr_eq(&first, &registry.definitions(&dialect)));
    registry.register(tool("b", "x")).unwrap();

    assert_eq!(registry.definitions(&dialect).tools, json!(2));
    assert_eq!(dialect.0.load(Ordering::SeqCst), 2);
}

#[test]
fn register_all_is_atomic() {
    let registry = Registry::of(tool("b", "first")).unwrap();

    let error = registry.register_all([tool("a", "x"), tool("b", "x"), tool("c", "x")]);

    assert!(matches!(error, Err(RegisterError::NameTaken { .. })));
    assert_eq!(
        (names(&registry), registry.generation()),
        (vec!["b".to_owned()], 1)
    );
    registry
        .register_all((0..100).map(|n| tool(&format!("t{n}"), "x")))
        .unwrap();
    assert_eq!(names(&registry).last().map(String::as_str), Some("t99"));
    assert_eq!(registry.generation(), 2);
}

#[test]
fn conversions_are_cached_up_to_bound() {
    struct Numbered(usize, AtomicUsize);
    impl Dialect for Numbered {
        fn id(&self) -> Cow<'static, str> {
            self.0.to_string().into()
        }
        fn convert(&self, _: &[ToolDefinition]) -> ProviderTools {
            self.1.fetch_add(1, Ordering::SeqCst);
            ProviderTools::new(json!(self.0))
        }
    }
    let registry = Registry::new();
    let dialects: Vec<Numbered> = (0..70).map(|n| Numbered(n, AtomicUsize::new(0))).collect();

    for dialect in dialects.iter().chain(&dialects) {
        assert_eq!(registry.definitions(dialect).tools, json!(dialect.0));
    }

    let made: usize = dialects
        .iter()
        .map(|one| one.1.load(Ordering::SeqCst))
        .sum();
    assert_eq!(made, 64 + 2 * 6);
}

#[test]
fn registry_is_send_and_sync() {
    fn shared<T: Send + Sync + Clone>() {}

    shared::<Registry>();
}
