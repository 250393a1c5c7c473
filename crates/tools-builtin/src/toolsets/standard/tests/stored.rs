//! Stored outputs in place of files.

use std::sync::Mutex;

use tool_core::tool_fn;

use super::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NoArguments {}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    body: String,
}

/// Returns the tools of a host with a large page, and what was written back.
fn host(store: &Arc<dyn OutputStore>, page: String) -> (Registry, Arc<Mutex<String>>, Scratch) {
    let written = Arc::new(Mutex::new(String::new()));
    let place = Arc::clone(&written);
    let scratch = Scratch::new();
    let kit = kit(&scratch).with_output_store(Arc::clone(store));
    let get = tool_fn("get_page", "Returns the page.", move |_, _: NoArguments| {
        let page = page.clone();
        async move { Ok(page) }
    });
    let put = tool_fn("put_page", "Replaces the page.", move |_, page: Page| {
        *place.lock().unwrap() = page.body;
        async { Ok("done") }
    });
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .output_limit(OutputLimit::bytes(800))
        .output_store(Arc::clone(store))
        .references(true)
        .tool(get)
        .unwrap()
        .tool(put)
        .unwrap()
        .toolset(&standard(&kit).unwrap())
        .unwrap()
        .build();
    (registry, written, scratch)
}

/// Returns the handle that a result names.
fn handle(text: &str) -> String {
    let at = text.find("out_").unwrap();
    text[at..at + 36].to_owned()
}

#[tokio::test]
async fn large_page_is_changed_without_travelling() {
    let store: Arc<dyn OutputStore> = Arc::new(MemoryStore::default());
    let rows = (0..10_000).map(|row| format!("row {row:05}: some text of the page\n"));
    let page: String = rows.collect();
    assert!(page.len() > 300_000);
    let (registry, written, _scratch) = host(&store, page.clone());
    let mut travelled = 0;
    let mut call = async |tool: &str, arguments: Value| {
        travelled += arguments.to_string().len();
        let text = registry.execute(tool, arguments).await.text();
        travelled += text.len();
        text
    };

    let got = handle(&call("get_page", json!({})).await);
    let edits = json!([{"old": "row 04711: some", "new": "row 04711: another"}]);
    let edited = call("edit", json!({"path": got, "edits": edits})).await;
    let body = json!({"$from": handle(edited.rsplit_once("stored as ").unwrap().1)});
    let put = call("put_page", json!({"body": body})).await;

    assert_eq!(put, "done");
    let changed = page.replace("row 04711: some", "row 04711: another");
    assert_eq!(*written.lock().unwrap(), changed);
    assert!(travelled < 2000, "{travelled} bytes");
    // The first output is still what it was.
    let first = store
        .read(
            &tool_core::output_store::OutputHandle::parse(&got).unwrap(),
            0,
            5,
        )
        .await;
    assert_eq!(first.unwrap().total, page.len() as u64);
}

#[tokio::test]
async fn outputs_that_cannot_be_edited_are_explained() {
    let store: Arc<dyn OutputStore> = Arc::new(MemoryStore::default());
    let large = store.put("line\n".repeat(2_200_000).into()).await.unwrap();
    let small = store.put("one\n".into()).await.unwrap();
    let (registry, _, scratch) = host(&store, String::new());
    for (path, old, code) in [
        (large.as_str(), "line", "file_too_large"),
        (small.as_str(), "two", "text_not_found"),
        (
            "out_00112233445566778899aabbccddeeff",
            "one",
            "invalid_arguments",
        ),
    ] {
        let edits = json!([{"old": old, "new": "2"}]);
        let result = registry
            .execute("edit", json!({"path": path, "edits": edits}))
            .await;

        let error = result.error.unwrap();
        assert_eq!(error.code.to_string(), code, "{error:?}");
    }
    // Without a store, a handle is a path like others.
    let edits = json!([{"old": "one", "new": "2"}]);
    let result = call(
        &scratch,
        "edit",
        json!({"path": small.as_str(), "edits": edits}),
    )
    .await;
    assert_eq!(result.error.unwrap().code.to_string(), "file_not_found");
}

#[tokio::test]
async fn approver_sees_the_change_of_an_output() {
    let store: Arc<dyn OutputStore> = Arc::new(MemoryStore::default());
    let stored = store.put("one\ntwo\n".into()).await.unwrap();
    let seen = Arc::new(Mutex::new(String::new()));
    let shown = Arc::clone(&seen);
    let scratch = Scratch::new();
    let kit = kit(&scratch).with_output_store(store);
    let registry = Registry::builder()
        .policy(Policy::ask_before_changes())
        .approver(approver_fn(move |request| {
            *shown.lock().unwrap() = format!("{:?}", request.preview);
            Answer::Approve
        }))
        .toolset(&standard(&kit).unwrap())
        .unwrap()
        .build();
    let edits = json!([{"old": "two", "new": "2"}]);

    let result = registry
        .execute("edit", json!({"path": stored.as_str(), "edits": edits}))
        .await;

    assert!(result.success, "{result}");
    assert!(seen.lock().unwrap().contains("+2"), "{seen:?}");
    assert_eq!(result.files_affected, [""; 0]);
}
