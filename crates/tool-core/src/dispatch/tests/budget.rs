//! Step 9: output limits and stored outputs.

use super::*;
use crate::output_store::{
    MemoryStore, OutputHandle, OutputStore, STORED_OUTPUT, StoreLimits, read_stored_output,
};
use crate::{CallOptions, ContentBlock, OutputLimit, ToolCall, ToolError};

/// Creates a tool that returns `lines` lines of ten bytes.
fn talker(name: &str) -> DynamicTool {
    DynamicTool::new(
        definition(name, RiskLevel::ReadOnly),
        |_, arguments| async move {
            let lines = arguments["lines"].as_u64().unwrap_or_default();
            let lines: Vec<String> = (0..lines).map(|line| format!("line {line:04}\n")).collect();
            Ok(ToolOutput::text(lines.concat()))
        },
    )
}

fn with_limit(limit: OutputLimit) -> Registry {
    Registry::builder()
        .output_limit(limit)
        .tool(talker("talk"))
        .unwrap()
        .build()
}

#[tokio::test]
async fn error_text_is_truncated_but_not_report() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |_, _| async {
        Err(ToolError::failed("x".repeat(500_000)))
    });

    let result = registry.execute("f", json!({})).await;

    assert!(result.text().starts_with("Error: xxx"));
    assert!(result.text().len() < 103_000, "{}", result.text().len());
    assert_eq!(result.metadata.bytes_dropped, 500_008 - 102_400);
    assert_eq!(result.error.unwrap().message.len(), 500_001);
}

#[tokio::test]
async fn data_is_not_truncated() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |_, _| async {
        Ok(ToolOutput::json(json!({"rows": vec!["row"; 100_000]})))
    });

    let result = registry.execute("f", json!({})).await;

    assert!(result.text().len() < 103_000, "{}", result.text().len());
    assert_eq!(
        result.data.unwrap()["rows"].as_array().unwrap().len(),
        100_000
    );
}

#[tokio::test]
async fn host_output_limit_overrides_tool_and_registry() {
    let limited = |own: Option<OutputLimit>, hosts: Option<OutputLimit>| {
        let shape = definition("f", RiskLevel::ReadOnly);
        let shape = own.map_or(shape.clone(), |limit| shape.with_output_limit(limit));
        let tool = DynamicTool::new(shape, |_, _| async {
            Ok(ToolOutput::text("x".repeat(1000)))
        });
        let builder = Registry::builder()
            .output_limit(OutputLimit::bytes(500))
            .tool(tool)
            .unwrap();
        match hosts {
            Some(limit) => builder.output_limit_of("f", limit).build(),
            None => builder.build(),
        }
    };
    for (own, hosts, dropped) in [
        (None, None, 500),
        (Some(OutputLimit::unlimited()), None, 0),
        (
            Some(OutputLimit::unlimited()),
            Some(OutputLimit::bytes(100)),
            900,
        ),
    ] {
        let registry = limited(own, hosts);

        let result = registry.execute("f", json!({})).await;

        assert_eq!(result.metadata.bytes_dropped, dropped);
        let applied = hosts.or(own).unwrap_or(OutputLimit::bytes(500));
        assert_eq!(registry.output_limit("f"), applied);
    }
}

/// Creates a registry with a store and the tool that reads it.
fn with_store(limits: StoreLimits) -> (Registry, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new(limits));
    let registry = Registry::builder()
        .output_limit(OutputLimit::bytes(100))
        .output_store(store.clone())
        .tool(talker("talk"))
        .unwrap()
        .tool(read_stored_output(store.clone()))
        .unwrap()
        .build();
    (registry, store)
}

fn handle(result: &ToolResult) -> &str {
    result.metadata.extra[STORED_OUTPUT].as_str().unwrap()
}

#[tokio::test]
async fn marker_refers_to_omitted_text() {
    let (registry, _) = with_store(StoreLimits::default());
    let result = registry.execute("talk", json!({"lines": 100})).await;
    let visible = result.text();
    let mark = visible.lines().find(|line| line.starts_with("[…")).unwrap();
    let reported = mark
        .split_once("continue with read_stored_output ")
        .unwrap()
        .1;

    let next = registry
        .execute("read_stored_output", reported.trim_end_matches(']'))
        .await;

    assert_eq!(
        reported,
        format!("{{\"handle\":\"{}\",\"offset\":50}}]", handle(&result))
    );
    assert!(next.text().starts_with("line 0005\n"), "{next}");
    assert_eq!(next.data.unwrap()["total"], 1000);
}

#[tokio::test]
async fn marker_without_tool_contains_only_handle() {
    let store = Arc::new(MemoryStore::default());
    let registry = Registry::builder()
        .output_limit(OutputLimit::bytes(100))
        .output_store(store.clone())
        .tool(talker("talk"))
        .unwrap()
        .build();

    let result = registry.execute("talk", json!({"lines": 100})).await;

    let kept = format!("; the full output is stored as {}]", handle(&result));
    assert!(result.text().contains(&kept), "{result}");
    let page = store
        .read(&OutputHandle::parse(handle(&result)).unwrap(), 0, 10_000)
        .await
        .unwrap();
    assert_eq!(page.content.lines().count(), 100);
}

#[tokio::test]
async fn unstored_output_is_still_truncated() {
    let (registry, _) = with_store(StoreLimits {
        max_bytes: 10,
        ..StoreLimits::default()
    });

    let result = registry.execute("talk", json!({"lines": 100})).await;

    assert!(
        result
            .text()
            .contains("[… 900 bytes in lines 6-95 omitted of 1,000 bytes in total]"),
        "{result}"
    );
    assert_eq!(result.warnings, ["The full output could not be stored."]);
    assert!(!result.metadata.extra.contains_key(STORED_OUTPUT));
}

#[tokio::test]
async fn small_outputs_and_pages_are_not_stored() {
    let (registry, _) = with_store(StoreLimits::default());
    let small = registry.execute("talk", json!({"lines": 5})).await;
    let large = registry.execute("talk", json!({"lines": 100})).await;

    let page = registry
        .execute("read_stored_output", json!({"handle": handle(&large)}))
        .await;

    assert!(!small.metadata.extra.contains_key(STORED_OUTPUT));
    assert_eq!(handle(&page), handle(&large));
    assert_eq!(page.text().len(), 1000);
}

#[tokio::test]
async fn too_large_images_become_text() {
    let limit = OutputLimit::bytes(1000).with_media_bytes(100);
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        let image = |bytes| ContentBlock::Image {
            media_type: "image/png".into(),
            data: "x".repeat(bytes),
        };
        cx.attach(image(101));
        cx.attach(image(100));
        Ok("two images".into())
    });
    let registry = Registry::builder()
        .output_limit(limit)
        .tool(tool)
        .unwrap()
        .build();

    let result = registry
        .execute_call(&ToolCall::new("f", "{}"), &CallOptions::default())
        .await;

    assert_eq!(
        result.text(),
        "two images\n[image/png of 101 bytes omitted: it is too large]"
    );
    assert_eq!(
        (result.content.len(), result.metadata.bytes_dropped),
        (3, 101)
    );
}

#[tokio::test]
async fn registry_limit_truncates_output() {
    let result = with_limit(OutputLimit::bytes(40))
        .execute("talk", json!({"lines": 10}))
        .await;

    assert_eq!(
        result.text(),
        "line 0000\nline 0001\n[… 60 bytes in lines 3-8 omitted of 100 bytes in total]\nline 0008\nline 0009\n"
    );
}
