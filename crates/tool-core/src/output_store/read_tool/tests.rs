use serde_json::json;

use super::*;
use crate::Registry;
use crate::output_store::{MemoryStore, StoreLimits};

async fn registry_with(whole: &str) -> (Registry, OutputHandle) {
    let store = Arc::new(MemoryStore::default());
    let handle = store.put(whole.into()).await.unwrap();
    (Registry::of(read_stored_output(store)).unwrap(), handle)
}

#[tokio::test]
async fn parts_contain_next_offset_except_last() {
    let (registry, handle) = registry_with("one\ntwo\nthree\n").await;

    let first = registry
        .execute("read_stored_output", json!({"handle": handle, "limit": 9}))
        .await;
    let last = registry
        .execute("read_stored_output", json!({"handle": handle, "offset": 8}))
        .await;

    assert_eq!(
        first.data,
        Some(json!({"content": "one\ntwo\n", "total": 14}))
    );
    assert_eq!(
        first.text(),
        "one\ntwo\n[… bytes 0 to 8 of 14; use offset 8 to continue]"
    );
    assert_eq!(first.metadata.extra["next_offset"], 8);
    assert_eq!(last.text(), "three\n");
}

#[tokio::test]
async fn invalid_handle_suggests_remedy() {
    let (registry, handle) = registry_with("text").await;
    let unknown = OutputHandle::from_random(7);
    for (arguments, text) in [
        (
            json!({"handle": "stdout"}),
            "Error: `handle` is not a handle. Copy it from the truncated output; it is `out_` and 32 letters and digits.",
        ),
        (
            json!({"handle": unknown}),
            "Error: `handle` is unknown; it may be mistyped, or the output has expired. Copy it from the truncated output, or call the first tool again.",
        ),
        (
            json!({"handle": handle, "offset": 1500}),
            "Error: `offset` is 1,500, but the output has 4 bytes. Use an offset below 4.",
        ),
    ] {
        let result = registry.execute("read_stored_output", arguments).await;

        assert_eq!(result.text(), text);
        assert_eq!(result.error.unwrap().code, ErrorCode::InvalidArguments);
    }
}

#[tokio::test]
async fn parts_yield_full_text() {
    let whole = "żółw\n".repeat(40_000);
    let (registry, handle) = registry_with(&whole).await;

    let (mut gathered, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let arguments = json!({"handle": handle, "offset": offset, "limit": 65_536});
        let result = registry.execute("read_stored_output", arguments).await;
        gathered.push_str(result.data.as_ref().unwrap()["content"].as_str().unwrap());
        offset = result.metadata.extra["next_offset"].clone();
    }

    assert_eq!(gathered, whole);
}

#[tokio::test]
async fn pages_end_at_lines_and_characters() {
    let (registry, handle) = registry_with("äöü\nlong line\n").await;
    for (offset, limit, content) in [
        (0, 1, "äö"),
        (0, 5, "äö"),
        (0, 7, "äöü\n"),
        (0, 12, "äöü\n"),
        (1, 7, "äöü\n"),
        (7, 4, "long"),
        (7, 100, "long line\n"),
        (17, 100, ""),
    ] {
        let arguments = json!({"handle": handle, "offset": offset, "limit": limit});

        let result = registry.execute("read_stored_output", arguments).await;

        let data = Some(json!({"content": content, "total": 17}));
        assert_eq!(result.data, data, "{offset} {limit}");
    }
}

#[tokio::test]
async fn reads_16_kilobytes_by_default() {
    let (registry, handle) = registry_with(&"x".repeat(100_000)).await;
    for (arguments, bytes) in [
        (json!({"handle": handle}), 16_384),
        (json!({"handle": handle, "limit": null}), 16_384),
        (json!({"handle": handle, "limit": "20"}), 20),
        (json!({"handle": handle, "limit": 65_536}), 65_536),
        (json!({"handle": handle, "offset": 99_999}), 1),
    ] {
        let result = registry
            .execute("read_stored_output", arguments.clone())
            .await;

        let data = result.data.unwrap();
        assert_eq!(
            data["content"].as_str().unwrap().len(),
            bytes,
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn rejects_unusable_arguments_by_name() {
    let (registry, handle) = registry_with("text").await;
    for (arguments, parameter) in [
        (json!({}), "handle"),
        (json!({"handle": 7.5}), "handle"),
        (json!({"handle": ""}), "handle"),
        (json!({"handle": "out_../../../../etc/passwd"}), "handle"),
        (json!({"handle": format!("{handle}0")}), "handle"),
        (json!({"handle": handle.as_str().to_uppercase()}), "handle"),
        (json!({"handle": handle, "offset": -1}), "offset"),
        (json!({"handle": handle, "offset": 0.5}), "offset"),
        (json!({"handle": handle, "limit": 0}), "limit"),
        (json!({"handle": handle, "limit": 65_537}), "limit"),
        (json!({"handle": handle, "lines": 5}), "lines"),
    ] {
        let result = registry
            .execute("read_stored_output", arguments.clone())
            .await;

        let named = format!("`{parameter}`");
        assert!(result.text().contains(&named), "{arguments}: {result}");
        assert_eq!(result.error.unwrap().code, ErrorCode::InvalidArguments);
    }
}

#[tokio::test]
async fn trims_spaces_around_handle() {
    let (registry, handle) = registry_with("text").await;
    let arguments = json!({"handle": format!(" {handle}\n")});

    let result = registry.execute("read_stored_output", arguments).await;

    assert_eq!(result.text(), "text");
}

#[tokio::test]
async fn rejects_handle_of_another_store() {
    let (mine, _) = registry_with("mine").await;
    let (_, theirs) = registry_with("theirs").await;

    let result = mine
        .execute("read_stored_output", json!({"handle": theirs}))
        .await;

    assert!(result.text().contains("is unknown"), "{result}");
}

#[tokio::test]
async fn page_is_not_truncated_again() {
    let store = Arc::new(MemoryStore::default());
    let whole = "x\n".repeat(5000);
    let handle = store.put(whole.as_str().into()).await.unwrap();
    let registry = Registry::builder()
        .output_limit(OutputLimit::bytes(100))
        .output_store(Arc::clone(&store) as Arc<dyn OutputStore>)
        .tool(read_stored_output(store))
        .unwrap()
        .build();

    let result = registry
        .execute("read_stored_output", json!({"handle": handle}))
        .await;

    assert_eq!(result.text(), whole);
    assert_eq!(result.metadata.bytes_dropped, 0);
}

/// A store that cannot be read.
#[derive(Debug)]
struct Unreadable;

#[async_trait::async_trait]
impl OutputStore for Unreadable {
    async fn put(&self, _text: Arc<str>) -> Result<OutputHandle, StoreError> {
        Err(StoreError::NoRandomness)
    }

    async fn read(
        &self,
        _handle: &OutputHandle,
        _offset: u64,
        _limit: usize,
    ) -> Result<StoredPage, StoreError> {
        Err(std::io::Error::other("/var/lib/secret-folder is gone").into())
    }
}

#[tokio::test]
async fn unreadable_store_reveals_no_host_details() {
    let registry = Registry::of(read_stored_output(Arc::new(Unreadable))).unwrap();
    let handle = OutputHandle::from_random(7);

    let result = registry
        .execute("read_stored_output", json!({"handle": handle}))
        .await;

    assert_eq!(
        result.text(),
        "Error: The stored output cannot be read. Call the tool that returned the output again, for a smaller part."
    );
    assert_eq!(result.error.unwrap().code, ErrorCode::Unavailable);
}

#[tokio::test]
async fn expired_output_suggests_remedy() {
    let store = Arc::new(MemoryStore::new(StoreLimits {
        max_entries: 1,
        ..StoreLimits::default()
    }));
    let first = store.put("first".into()).await.unwrap();
    store.put("second".into()).await.unwrap();
    let registry = Registry::of(read_stored_output(store)).unwrap();

    let result = registry
        .execute("read_stored_output", json!({"handle": first}))
        .await;

    let advice = "Copy it from the truncated output, or call the first tool again.";
    assert_eq!(result.error.unwrap().suggestion.as_deref(), Some(advice));
}
