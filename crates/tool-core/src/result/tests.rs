//! Results as text and as JSON.

use super::*;

#[test]
fn displays_blocks_and_warnings() {
    let mut result = ToolResult::refused("1", "f", ToolError::cancelled());
    result.content = vec![
        ContentBlock::text("one"),
        ContentBlock::text(" "),
        ContentBlock::ResourceLink {
            uri: "test://a".into(),
            name: "a".into(),
            media_type: None,
            title: None,
            description: None,
            size: None,
        },
    ];
    result.warnings = vec!["two".into(), "Warning: three".into()];

    assert_eq!(
        result.to_string(),
        "one\na: test://a\nWarning: two\nWarning: three"
    );
    assert_eq!(result.text(), "one\n ");
    assert_eq!(result.model_blocks().count(), 4);
}

#[test]
fn result_survives_json() {
    let result = ToolResult::refused("1", "f", ToolError::timeout(Duration::from_secs(2)));

    let stored = serde_json::to_string(&result).unwrap();

    assert_eq!(serde_json::from_str::<ToolResult>(&stored).unwrap(), result);
    assert!(stored.contains("\"execution_time_ms\":0.0"), "{stored}");
}
