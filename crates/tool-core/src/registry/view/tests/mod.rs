//! Steps of views, and calls through them.

mod below;
mod shared;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::{
    ConversionLoss, Dialect, DynamicTool, ErrorCode, PresentationError, ProviderTools, Registry,
    RiskLevel, Tool, ToolDefinition, ToolOutput, tool_fn,
};

fn tool(name: &str) -> DynamicTool {
    with_schema(
        name,
        json!({"type": "object", "properties": {
            "path": {"type": "string"}, "limit": {"type": "integer", "default": 10},
        }}),
    )
}

fn with_schema(name: &str, schema: Value) -> DynamicTool {
    let definition = ToolDefinition::new(name, format!("Does {name}."), schema);
    DynamicTool::new(
        definition.with_risk(RiskLevel::ReadOnly),
        |_, arguments| async { Ok(ToolOutput::json(arguments)) },
    )
}

fn registry(names: &[&str]) -> Registry {
    let registry = Registry::new();
    registry
        .register_all(names.iter().map(|name| tool(name)))
        .unwrap();
    registry
}

fn names(view: &Registry) -> Vec<String> {
    view.list()
        .iter()
        .map(|one| one.name().to_owned())
        .collect()
}

#[test]
fn each_view_step_applies() {
    let registry = registry(&["read", "write", "find"]);
    let dangerous =
        ToolDefinition::new("drop", "Drops.", json!({})).with_risk(RiskLevel::Dangerous);
    let drop = DynamicTool::new(dangerous, |_, _| async { Ok(ToolOutput::text("x")) });
    registry.register(drop).unwrap();

    for (view, expected) in [
        (registry.view(), vec!["read", "write", "find", "drop"]),
        (
            registry.view().prefix("fs"),
            vec!["fs__read", "fs__write", "fs__find", "fs__drop"],
        ),
        (
            registry.view().rename("find", "search"),
            vec!["read", "write", "search", "drop"],
        ),
        (
            registry
                .view()
                .rename("read", "write")
                .rename("write", "read"),
            vec!["write", "read", "find", "drop"],
        ),
        (registry.view().only(["read", "fi*"]), vec!["read", "find"]),
        (registry.view().without(["*r*"]), vec!["find"]),
        (
            registry.view().filter(|one| one.name().len() == 5),
            vec!["write"],
        ),
        (registry.view().filter(|_| panic!("a bug")), vec![]),
        (
            registry.view().max_risk(RiskLevel::SafeWrite),
            vec!["read", "write", "find"],
        ),
        (
            registry.view().prefix("a").only(["a__read"]).prefix("b"),
            vec!["b__a__read"],
        ),
    ] {
        assert_eq!(names(&view.build().unwrap()), expected);
    }
}

#[tokio::test]
async fn pinned_parameter_is_hidden_and_rejected() {
    let view = registry(&["read"])
        .view()
        .pin("read", "path", "fixed")
        .build()
        .unwrap();

    let properties = view.list()[0].input_schema()["properties"].clone();
    let result = view
        .execute("read", json!({"path": "other", "limit": 1}))
        .await;

    assert_eq!(
        properties,
        json!({"limit": {"type": "integer", "default": 10}})
    );
    assert_eq!(result.data, Some(json!({"path": "fixed", "limit": 1})));
    assert_eq!(
        result.warnings,
        ["`path` is not a known parameter and was ignored"]
    );
}

#[tokio::test]
async fn all_presentation_edits_apply_to_any_tool() {
    let foreign: Arc<dyn Tool> = Arc::new(tool("read"));
    let registry = Registry::of(foreign).unwrap();
    let view = registry
        .view()
        .describe("read", "Reads a file.")
        .present("read", |visible| {
            visible
                .rename("path", "file")
                .describe("path", "Which one.")
                .hide("limit")
        })
        .rename("read", "open")
        .build()
        .unwrap();

    let visible = &view.list()[0];
    assert_eq!(
        (visible.name(), visible.description()),
        ("open", "Reads a file.")
    );
    assert_eq!(
        *visible.input_schema(),
        json!({"type": "object", "properties": {"file": {"type": "string", "description": "Which one."}}})
    );
    let result = view.execute("open", json!({"file": "a"})).await;
    assert_eq!(result.data, Some(json!({"path": "a", "limit": 10})));
    let wrong = view.execute("open", json!({"file": [1]})).await.to_string();
    assert!(wrong.contains("`file`"), "{wrong}");
}

#[test]
fn invalid_views_fail_to_build() {
    let registry = registry(&["read", "write"]);
    let unknown = |name: &str, nearest: Option<&str>| ViewError::UnknownTool {
        name: name.to_owned(),
        nearest: nearest.map(str::to_owned),
    };

    for (view, expected) in [
        (
            registry.view().rename("raed", "x"),
            unknown("raed", Some("read")),
        ),
        (
            registry.view().only(["read", "wriet"]),
            unknown("wriet", Some("write")),
        ),
        (
            registry.view().without(["delete_all"]),
            unknown("delete_all", None),
        ),
        (
            registry.view().describe("reads", "x"),
            unknown("reads", Some("read")),
        ),
        (
            registry.view().pin("reads", "path", 1),
            unknown("reads", Some("read")),
        ),
        (
            registry.view().prefix("a").rename("read", "x"),
            unknown("read", Some("read")),
        ),
        (
            registry.view().pin("*", "pth", 1),
            ViewError::UnknownParameter {
                pattern: "*".into(),
                parameter: "pth".into(),
            },
        ),
        (
            registry.view().pin("read", "pth", 1),
            ViewError::Presentation(PresentationError::UnknownParameter {
                tool: "read".into(),
                parameter: "pth".into(),
            }),
        ),
        (
            registry.view().rename("write", "read"),
            ViewError::NameCollision {
                name: "read".into(),
                first: "write".into(),
                second: "read".into(),
            },
        ),
    ] {
        assert_eq!(view.build().unwrap_err(), expected);
    }
    let no_name = registry.view().rename("read", "").build();
    assert!(matches!(no_name, Err(ViewError::Register(_))));
    let many = (0..65)
        .fold(registry.view(), |view, _| view.when("*", |_| true))
        .build();
    assert_eq!(many.unwrap_err(), ViewError::TooManyConditions(65));
}

#[tokio::test]
async fn changes_below_appear_in_next_snapshot() {
    let registry = registry(&["read", "write"]);
    let view = registry.view().prefix("fs").build().unwrap();
    let turn = view.snapshot();

    assert!(registry.unregister("read").is_some());
    assert!(registry.disable("write"));
    registry.register(tool("find")).unwrap();

    assert_eq!(names(&view), ["fs__find"]);
    let off = view.execute("fs__write", json!({})).await.error.unwrap();
    assert_eq!(off.code, ErrorCode::ToolNotExecutable);
    let hidden = view.execute("find", json!({})).await.error.unwrap();
    assert_eq!(hidden.code, ErrorCode::ToolNotFound);
    assert_eq!(turn.list().len(), 2);
    assert!(turn.execute("fs__read", json!({})).await.success);
    assert_eq!((view.generation(), turn.generation()), (4, 1));
}

#[test]
fn later_conflicts_are_listed_with_reason() {
    let registry = registry(&["find", "read"]);
    let view = registry
        .view()
        .rename("find", "search")
        .pin("read", "path", "fixed")
        .build()
        .unwrap();

    registry.register(tool("search")).unwrap();
    registry
        .replace(with_schema("read", json!({"type": "object"})))
        .unwrap();

    assert_eq!(names(&view), ["search"]);
    assert_eq!(
        view.get("search").unwrap().definition().description(),
        "Does find."
    );
    let reported: Vec<(String, String)> = view
        .omitted()
        .into_iter()
        .map(|refused| (refused.tool, refused.reason))
        .collect();
    assert_eq!(
        reported,
        [
            (
                "read".to_owned(),
                "`read` has no parameter `path` to present".to_owned()
            ),
            (
                "search".to_owned(),
                "the tools `find` and `search` would both be named `search`".to_owned()
            ),
        ]
    );
}

#[test]
fn missing_tool_is_shown_once_registered() {
    let registry = Registry::new();
    let view = registry
        .view()
        .allow_missing()
        .rename("find", "search")
        .build()
        .unwrap();

    registry.register(tool("find")).unwrap();

    assert_eq!(names(&view), ["search"]);
}

#[tokio::test]
async fn nested_view_sees_shown_tools() {
    let registry = registry(&["read", "write", "find"]);
    let inner = registry
        .view()
        .without(["write"])
        .prefix("fs")
        .build()
        .unwrap();

    let outer = inner
        .view()
        .rename("fs__read", "open")
        .present("open", |visible| visible.rename("path", "file"))
        .build()
        .unwrap();
    registry.register(tool("stat")).unwrap();

    assert_eq!(names(&outer), ["open", "fs__find", "fs__stat"]);
    let result = outer.execute("open", json!({"file": "a"})).await;
    assert_eq!(result.data, Some(json!({"path": "a", "limit": 10})));
    assert!(inner.view().rename("write", "x").build().is_err());
}

/// Shortens the names of tools, and counts its calls.
#[derive(Default)]
struct Short(AtomicUsize);

impl Dialect for Short {
    fn id(&self) -> Cow<'static, str> {
        "short".into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
        self.0.fetch_add(1, Ordering::SeqCst);
        let mut converted = ProviderTools::new(json!(definitions.len()));
        for (number, definition) in definitions.iter().enumerate() {
            converted
                .names
                .insert(format!("t{number}"), definition.name().to_owned());
        }
        converted.losses = Vec::<ConversionLoss>::new();
        converted
    }
}

#[tokio::test]
async fn view_definitions_are_cached_separately() {
    let registry = registry(&["read", "write"]);
    let view = registry.view().only(["write"]).build().unwrap();
    let dialect = Short::default();

    let first = view.definitions(&dialect);

    assert_eq!(first.tools, json!(1));
    assert!(Arc::ptr_eq(&first, &view.definitions(&dialect)));
    assert_eq!(registry.definitions(&dialect).tools, json!(2));
    assert!(view.execute("t0", json!({})).await.success);
    assert!(registry.disable("read"));
    assert_eq!(view.definitions(&dialect).tools, json!(1));
    assert_eq!(dialect.0.load(Ordering::SeqCst), 3);
}

#[test]
fn unchanged_tool_is_derived_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let registry = registry(&["read"]);
    let view = registry
        .view()
        .filter(move |_| counter.fetch_add(1, Ordering::SeqCst) < 100)
        .pin("read", "path", "x")
        .build()
        .unwrap();
    let before = view.get("read").unwrap();

    registry.register(tool("find")).unwrap();

    assert!(Arc::ptr_eq(&before, &view.get("read").unwrap()));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn view_renames_typed_tool_and_examples() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Input {
        path: String,
        mode: String,
    }
    let open = tool_fn("open", "Opens.", |_, input: Input| async move {
        Ok(format!("{} {}", input.path, input.mode))
    });
    let open = open.define(|definition| {
        definition
            .with_example(json!({"path": "a", "mode": "r"}))
            .with_example(json!({"path": "a", "mode": "w"}))
    });
    let registry = Registry::of(open).unwrap();

    let view = registry
        .view()
        .present("open", |visible| {
            visible.rename("path", "file").pin("mode", "r")
        })
        .build()
        .unwrap();

    assert_eq!(view.list()[0].examples(), [json!({"file": "a"})]);
    assert_eq!(
        view.execute("open", json!({"file": "b"})).await.to_string(),
        "b r"
    );
}
