use serde_json::json;

use super::*;
use crate::Registry;
use crate::output_store::MemoryStore;

async fn registry_with(whole: &str) -> (Registry, OutputHandle) {
    let store = Arc::new(MemoryStore::default());
    let handle = store.put(whole.into()).await.unwrap();
    (Registry::of(ReadStoredOutput::tool(store)).unwrap(), handle)
}

#[tokio::test]
async fn a_part_says_where_to_go_on_and_the_last_one_does_not() {
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
        "one\ntwo\n[… bytes 0 to 8 of 14; ask for offset 8 to read on]"
    );
    assert_eq!(first.metadata.extra["next_offset"], 8);
    assert_eq!(last.text(), "three\n");
}

#[tokio::test]
async fn a_refusal_says_what_to_do_instead() {
    let (registry, handle) = registry_with("text").await;
    let unknown = OutputHandle::from_random(7);
    for (arguments, text) in [
        (
            json!({"handle": "stdout"}),
            "Error: `handle` is not a handle. Copy it from the shortened output; it is `out_` and 32 letters and digits.",
        ),
        (
            json!({"handle": unknown}),
            "Error: `handle` is not known; it may be mistyped, or the output is no longer kept. Copy it from the shortened output, or call the first tool again.",
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
async fn reading_all_parts_gives_the_whole_text() {
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
