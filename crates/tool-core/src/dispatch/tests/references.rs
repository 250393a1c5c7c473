//! Arguments that refer to stored outputs.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::output_store::{MemoryStore, OutputStore};
use crate::{ChangeKind, DynamicTool, ErrorCode, Registry, ToolDefinition, ToolOutput, ToolResult};

const ROWS: &str = "{\"rows\": [\n{\"id\": 1},\n{\"id\": 2}\n]}\n";

/// A registry with an echo that requires `text` or `rows`, and the handle of [`ROWS`].
async fn registry(is_on: bool) -> (Registry, String) {
    let store = Arc::new(MemoryStore::default());
    let handle = store.put(ROWS.into()).await.unwrap().to_string();
    let schema = json!({
        "type": "object",
        "properties": {"text": {"type": "string"}, "rows": {"type": "array"}, "row": {"type": "object"}},
        "additionalProperties": false,
    });
    let echo = DynamicTool::new(
        ToolDefinition::new("echo", "Repeats.", schema),
        |_, arguments| async move { Ok(ToolOutput::json(arguments)) },
    );
    let registry = Registry::builder()
        .output_store(store)
        .references(is_on)
        .build();
    registry.register(echo).unwrap();
    (registry, handle)
}

async fn echo(arguments: Value) -> ToolResult {
    let (registry, _) = registry(true).await;
    registry.execute("echo", arguments).await
}

#[tokio::test]
async fn references_become_the_values_that_run() {
    let (registry, handle) = registry(true).await;
    for (reference, expected) in [
        (json!({"text": {"$from": handle}}), json!({"text": ROWS})),
        (
            json!({"rows": {"$from": handle, "pointer": "/rows"}}),
            json!({"rows": [{"id": 1}, {"id": 2}]}),
        ),
        (
            json!({"row": {"$from": handle}}),
            json!({"row": {"rows": [{"id": 1}, {"id": 2}]}}),
        ),
        (
            json!({"text": {"$from": handle, "lines": [2, 3]}}),
            json!({"text": "{\"id\": 1},\n{\"id\": 2}\n"}),
        ),
        (
            json!({"text": {"$from": handle, "query": "2"}}),
            json!({"text": "{\"id\": 2}\n"}),
        ),
        (
            json!({"rows": ["a", {"$from": handle, "pointer": "/rows/0/id"}]}),
            json!({"rows": ["a", 1]}),
        ),
    ] {
        for arguments in [
            ToolCallArguments::Value(reference.clone()),
            ToolCallArguments::Text(reference.to_string()),
        ] {
            let result = match &arguments {
                ToolCallArguments::Value(value) => registry.execute("echo", value.clone()).await,
                ToolCallArguments::Text(text) => registry.execute("echo", text.as_str()).await,
            };

            assert_eq!(
                result.data.as_ref(),
                Some(&expected),
                "{reference}: {result}"
            );
            let change = &result.metadata.changes[0];
            assert_eq!(change.kind, ChangeKind::Reference);
            assert!(change.from.to_string().contains(&handle), "{change:?}");
            assert_eq!(result.metadata.parameters.to_value(), expected);
        }
    }
}

enum ToolCallArguments {
    Value(Value),
    Text(String),
}

#[tokio::test]
async fn wrong_references_are_explained() {
    let (registry, handle) = registry(true).await;
    for (reference, part) in [
        (json!({"$from": "out_zzz"}), "handle"),
        (
            json!({"$from": format!("out_{}", "0".repeat(32))}),
            "no stored output",
        ),
        (json!({"$from": {"$from": handle}}), "handle"),
        (
            json!({"$from": handle, "pointer": "/rows/9"}),
            "pointer to nothing",
        ),
        (json!({"$from": handle, "lines": [90, 99]}), "no line"),
        (json!({"$from": handle, "lines": [0, 1]}), "selector"),
        (json!({"$from": handle, "query": "zzz"}), "no line"),
        (
            json!({"$from": handle, "query": "1", "lines": [1, 2]}),
            "several",
        ),
        (
            json!({"$from": handle, "pointer": "x"}),
            "pointer to nothing",
        ),
    ] {
        let result = registry.execute("echo", json!({"text": reference})).await;

        let text = result.to_string();
        assert!(
            !result.success && text.contains(part) && text.contains("text"),
            "{reference}: {text}"
        );
    }
}

#[tokio::test]
async fn references_are_bounded() {
    let store = Arc::new(MemoryStore::default());
    let handle = store
        .put("x".repeat(3000).into())
        .await
        .unwrap()
        .to_string();
    let schema = json!({"type": "object", "properties": {"items": {"type": "array"}}});
    let count = DynamicTool::new(
        ToolDefinition::new("count", "Counts.", schema),
        |_, _| async { Ok(ToolOutput::text("ok")) },
    );
    let registry = Registry::builder()
        .output_store(store)
        .references(true)
        .argument_limit(5000)
        .build();
    registry.register(count).unwrap();
    let with = |count: usize| json!({"items": vec![json!({"$from": handle}); count]});

    assert!(registry.execute("count", with(1)).await.success);
    let two = registry.execute("count", with(2)).await.error.unwrap();
    assert_eq!(two.code, ErrorCode::ArgumentsTooLarge);
    let many = registry.execute("count", with(17)).await.to_string();
    assert!(many.contains("at most 16"), "{many}");
}

#[tokio::test]
async fn nothing_is_replaced_unless_it_is_on() {
    let (registry, handle) = registry(false).await;

    let off = registry
        .execute("echo", json!({"row": {"$from": handle}}))
        .await;

    assert_eq!(off.data, Some(json!({"row": {"$from": handle}})));
    let plain = echo(json!({"row": {"from": "a"}})).await;
    assert!(plain.metadata.changes.is_empty());
}
