//! Arguments that refer to stored outputs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::output_store::{
    MemoryStore, OutputHandle, OutputStore, StoreError, StoreLimits, StoredPage,
};
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
        (json!({"$from": "out_zzz"}), "no valid reference"),
        (
            json!({"$from": format!("out_{}", "0".repeat(32))}),
            "no stored output",
        ),
        (json!({"$from": {"$from": handle}}), "no valid reference"),
        (
            json!({"$from": handle, "pointer": "/rows/9"}),
            "pointer to nothing",
        ),
        (
            json!({"$from": handle, "query": "zzz"}),
            "none of the 4 lines",
        ),
        (json!({"$from": handle, "query": ""}), "no valid reference"),
        (
            json!({"$from": handle, "pointer": {"$from": handle}}),
            "no valid reference",
        ),
        (
            json!({"$from": handle, "query": "1", "lines": [1, 2]}),
            "no valid reference",
        ),
        (
            json!({"$from": handle, "pointer": "x"}),
            "pointer to nothing",
        ),
    ] {
        let result = registry.execute("echo", json!({"text": reference})).await;

        let text = result.to_string();
        assert!(
            !result.success && text.contains(part) && text.contains("`text`"),
            "{reference}: {text}"
        );
    }
}

#[tokio::test]
async fn lines_are_exactly_those_of_the_range() {
    let (registry, handle) = registry(true).await;
    let ends: Vec<Value> = (-1..=6).map(Value::from).collect();
    let odd = [json!(i64::MAX), json!(1.5), json!("1"), json!(null)];
    let ends = [ends.as_slice(), &odd].concat();
    for first in &ends {
        for last in &ends {
            let reference = json!({"$from": handle, "lines": [first, last]});

            let result = registry.execute("echo", json!({"text": reference})).await;

            let at = |end: &Value| end.as_u64().map(|end| usize::try_from(end).unwrap());
            let range = at(first).zip(at(last));
            let range = range.filter(|(first, last)| 0 < *first && first <= last);
            let text = result.to_string();
            match range {
                None => assert!(text.contains("`text` is no valid reference"), "{text}"),
                Some((5.., _)) => {
                    assert!(
                        text.contains("`text` selects none of the 4 lines"),
                        "{text}"
                    );
                }
                Some((first, last)) => {
                    let lines = ROWS.split_inclusive('\n').skip(first - 1);
                    let lines: String = lines.take(last - first + 1).collect();
                    assert_eq!(result.data, Some(json!({"text": lines})), "{reference}");
                }
            }
        }
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

#[tokio::test(start_paused = true)]
async fn handles_of_others_and_expired_ones_are_explained() {
    let (registry, own) = registry(true).await;
    let other = MemoryStore::default().put(ROWS.into()).await.unwrap();
    let call = |handle: String| registry.execute("echo", json!({"text": {"$from": handle}}));

    let foreign = call(other.to_string()).await.to_string();
    assert!(call(own.clone()).await.success);
    tokio::time::advance(StoreLimits::default().max_age + Duration::from_secs(1)).await;
    let expired = call(own).await.to_string();

    for text in [foreign, expired] {
        let expected =
            "`text` refers to no stored output. It may have expired; run that call again.";
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn stored_references_stay_as_they_are() {
    let store = Arc::new(LaterStore::default());
    let registry = open_registry(Arc::clone(&store) as Arc<dyn OutputStore>);
    let own = OutputHandle::from_random(7);
    let cycle = json!({"row": {"$from": own}, "text": "a"});
    *store.text.lock().unwrap() = cycle.to_string();

    let reference = json!({"$from": own, "pointer": "/row"});
    let result = registry.execute("f", json!({"row": reference})).await;

    assert_eq!(
        result.data,
        Some(json!({"row": {"$from": own}})),
        "{result}"
    );
    assert_eq!(result.metadata.changes.len(), 1);
}

#[tokio::test]
async fn all_arguments_are_no_reference() {
    let (registry, handle) = registry(true).await;

    let result = registry.execute("echo", json!({"$from": handle})).await;

    assert!(
        result
            .to_string()
            .contains("`$from` is not a known parameter"),
        "{result}"
    );
}

#[tokio::test]
async fn size_and_depth_of_what_is_read_are_bounded() {
    let store = Arc::new(LaterStore::default());
    let registry = open_registry(Arc::clone(&store) as Arc<dyn OutputStore>);
    let handle = OutputHandle::from_random(7);
    let call = |mut reference: Value, levels: usize| {
        reference["$from"] = json!(handle);
        let nested = (0..levels).fold(reference, |inner, _| json!([inner]));
        registry.execute("f", json!({"any": nested}))
    };

    *store.text.lock().unwrap() = "[".repeat(100) + &"]".repeat(100);
    let pointer = json!({"pointer": ""});
    assert!(call(pointer.clone(), 20).await.success);
    let deep = call(pointer, 60).await.error.unwrap();
    assert_eq!(deep.code, ErrorCode::ArgumentsTooLarge);

    store.total.store(100 << 20, Ordering::SeqCst);
    for (reference, advice) in [
        (json!({}), "Take a part with"),
        (json!({"lines": [1, 2]}), "Take a smaller part"),
    ] {
        let error = call(reference, 0).await.error.unwrap();
        assert_eq!(error.code, ErrorCode::ArgumentsTooLarge);
        assert!(error.suggestion.unwrap().starts_with(advice));
    }
    // It never read past the first page.
    assert_eq!(store.most.load(Ordering::SeqCst), 0);
    store.total.store(1000, Ordering::SeqCst);
    *store.text.lock().unwrap() = String::new();
    let stuck = call(json!({"lines": [1, 2]}), 0).await.to_string();
    assert!(stuck.contains("cannot be read"), "{stuck}");
}

/// A store of one text, which may state another size.
#[derive(Debug, Default)]
struct LaterStore {
    text: Mutex<String>,
    total: AtomicU64,
    /// Greatest offset that was read.
    most: AtomicU64,
}

#[async_trait::async_trait]
impl OutputStore for LaterStore {
    async fn put(&self, _text: Arc<str>) -> Result<OutputHandle, StoreError> {
        Err(StoreError::TooLarge { bytes: 1 })
    }

    async fn read(
        &self,
        _handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        self.most.fetch_max(offset, Ordering::SeqCst);
        let mut page = StoredPage::of(&self.text.lock().unwrap(), offset, limit)?;
        page.total = page.total.max(self.total.load(Ordering::SeqCst));
        Ok(page)
    }
}

/// A registry with a tool `f` that takes any object.
fn open_registry(store: Arc<dyn OutputStore>) -> Registry {
    let echo = DynamicTool::new(
        ToolDefinition::new("f", "Repeats.", json!({"type": "object"})),
        |_, arguments| async move { Ok(ToolOutput::json(arguments)) },
    );
    let builder = Registry::builder().output_store(store).references(true);
    builder.tool(echo).unwrap().build()
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
