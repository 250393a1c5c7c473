//! Registering, listing and changing tools while they are used.

mod groups;
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

/// Says how many tools it was told about.
struct Count;

impl Dialect for Count {
    fn id(&self) -> Cow<'static, str> {
        "count".into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> Converted {
        Converted::new(json!(definitions.len()))
    }
}

#[test]
fn a_name_is_given_once_until_it_is_free_again() {
    let registry = Registry::of(tool("f", "first")).unwrap();

    let taken = registry.register(tool("f", "second")).unwrap_err();

    assert_eq!(
        taken.to_string(),
        "two tools are named `f`: one is from the application (\"first\"), the other from the application (\"second\"); \
         show one under another name (`Presented`), leave one out, or `replace` the first"
    );
    assert!(registry.unregister("f").is_some());
    assert!(registry.unregister("f").is_none());
    registry.register(tool("f", "second")).unwrap();
}

#[test]
fn two_tools_of_one_name_are_told_apart_by_where_they_come_from() {
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
fn a_tool_of_a_source_is_told_by_the_name_of_its_source() {
    let registry = Registry::of(tool("f", "First.")).unwrap();
    let mail = registry.source("mail").unwrap();

    let refreshed = mail
        .begin()
        .finish([tool("f", "Second."), tool("g", "Third.")])
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
fn what_cannot_be_called_is_refused_with_the_reason() {
    let registry = Registry::new();

    for (name, schema, part) in [
        ("", json!({}), "empty"),
        ("a\nb", json!({}), "control character"),
        ("f", json!({"type": "array"}), "arguments are objects"),
        ("f", json!(7), "a schema is an object"),
        (
            "f",
            json!({"properties": {"a": {"minimum": "x"}}}),
            "/properties/a/minimum",
        ),
        (
            "f",
            json!({"$ref": "https://example.com/schema"}),
            "cannot be used",
        ),
        (
            "f",
            json!({"properties": {}, "required": ["a"], "additionalProperties": false}),
            "`a` is required",
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
fn an_example_that_does_not_fit_is_refused() {
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
async fn a_replaced_tool_keeps_its_place_and_a_snapshot_keeps_the_old_one() {
    let registry = Registry::of(tool("a", "old")).unwrap();
    registry.register(tool("b", "other")).unwrap();
    let turn = registry.snapshot();

    registry.replace(tool("a", "new")).unwrap();

    assert_eq!(names(&registry), ["a", "b"]);
    assert_eq!(registry.execute("a", json!({})).await.to_string(), "new");
    assert_eq!(turn.execute("a", json!({})).await.to_string(), "old");
}

#[test]
fn definitions_are_made_once_per_dialect_until_the_tools_change() {
    struct Counting(AtomicUsize);
    impl Dialect for Counting {
        fn id(&self) -> Cow<'static, str> {
            "counting".into()
        }
        fn convert(&self, definitions: &[ToolDefinition]) -> Converted {
            self.0.fetch_add(1, Ordering::SeqCst);
            Converted::new(json!(definitions.len()))
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
fn many_tools_come_all_or_not_at_all() {
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
fn every_conversion_is_kept_up_to_the_bound() {
    struct Numbered(usize, AtomicUsize);
    impl Dialect for Numbered {
        fn id(&self) -> Cow<'static, str> {
            self.0.to_string().into()
        }
        fn convert(&self, _: &[ToolDefinition]) -> Converted {
            self.1.fetch_add(1, Ordering::SeqCst);
            Converted::new(json!(self.0))
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
fn a_registry_and_a_snapshot_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}

    shared::<Registry>();
    shared::<Snapshot>();
}
