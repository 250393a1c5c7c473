//! Steps 1 to 3: the name, the text and the values.

use serde_json::json;

use super::*;
use crate::{
    CallArguments, CallOptions, ChangeKind, Dialect, DynamicTool, ProviderTools, RepairKind,
    ToolCall,
};

#[tokio::test]
async fn unknown_name_lists_nearest_and_all() {
    let registry = Registry::of(echo("read_file", json!({})).0).unwrap();

    let result = registry.execute("readFile", json!({})).await;

    assert_eq!(code(&result), &ErrorCode::ToolNotFound);
    assert_eq!(
        result.to_string(),
        "Error: No tool is named `readFile`. Did you mean `read_file`? The tools are read_file."
    );
}

#[tokio::test]
async fn call_of_absent_tool_keeps_its_arguments() {
    let registry = Registry::of(echo("read_file", json!({})).0).unwrap();
    assert!(registry.disable("read_file"));
    let sent = json!({"path": "a.txt"});
    for name in ["readFile", "read_file"] {
        for arguments in [
            CallArguments::Value(sent.clone()),
            CallArguments::Text(sent.to_string()),
        ] {
            let call = ToolCall::new(name, arguments);

            let result = registry.execute_call(&call, &CallOptions::default()).await;

            assert_eq!(result.metadata.parameters.to_value(), sent, "{name}");
        }
        let result = registry.execute(name, sent.clone()).await;
        assert_eq!(result.metadata.parameters.to_value(), sent, "{name}");
    }
}

#[tokio::test]
async fn wire_name_resolves_to_tool() {
    struct Shouting;
    impl Dialect for Shouting {
        fn id(&self) -> std::borrow::Cow<'static, str> {
            "shouting".into()
        }
        fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
            let mut converted = ProviderTools::new(json!([]));
            for definition in definitions {
                converted.names.insert(
                    definition.name().to_uppercase(),
                    definition.name().to_owned(),
                );
            }
            converted
        }
    }
    let registry = Registry::of(echo("read", json!({})).0).unwrap();
    let _ = registry.definitions(&Shouting);

    let result = registry.execute("READ", json!({})).await;

    assert!(result.success);
    assert_eq!(
        (result.name.as_str(), result.metadata.tool_name.as_str()),
        ("READ", "read")
    );
}

#[tokio::test]
async fn parts_of_a_template_in_a_name_are_removed_and_recorded() {
    let registry = Registry::of(echo("add", json!({})).0).unwrap();

    for name in [
        "functions.add",
        "default_api:add",
        "add<|channel|>commentary",
        "functions.add:0",
        "<|channel|>commentary to=functions.add<|constrain|>json",
        " add ",
    ] {
        let result = registry.execute(name, json!({})).await;

        assert_eq!(result.metadata.tool_name.as_str(), "add", "{name}");
        let change = &result.metadata.changes[0];
        assert_eq!(
            (change.kind, &change.from),
            (ChangeKind::ToolName, &json!(name))
        );
    }
    for name in [
        "other.add",
        "functions.",
        "functions.sub",
        "add:",
        "add:b",
        "functionsadd",
    ] {
        let result = registry.execute(name, json!({})).await;

        assert_eq!(code(&result), &ErrorCode::ToolNotFound, "{name}");
    }
    assert!(
        registry
            .execute("add", json!({}))
            .await
            .metadata
            .changes
            .is_empty()
    );
}

#[tokio::test]
async fn comment_is_not_empty_text() {
    let (tool, calls) = echo("f", json!({}));
    let registry = Registry::of(tool).unwrap();

    assert!(registry.execute("f", " \n").await.success);
    let comment = registry.execute("f", "// {\"path\": \"a\"}").await;

    assert_eq!(code(&comment), &ErrorCode::InvalidArguments);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn lists_unambiguous_repairs() {
    let registry = Registry::of(echo("f", limit_schema()).0).unwrap();

    let mended = registry
        .execute("f", "```json\n{\"path\": \"a\",}\n```")
        .await;
    let cut = registry.execute("f", r#"{"path": "a"#).await;
    let twice = registry.execute("f", r#"{"path": "a", "path": "b"}"#).await;

    let kinds: Vec<ChangeKind> = mended
        .metadata
        .changes
        .iter()
        .map(|change| change.kind)
        .collect();
    assert_eq!(
        kinds,
        [
            ChangeKind::Repair(RepairKind::CodeFence),
            ChangeKind::Repair(RepairKind::TrailingComma)
        ]
    );
    assert_eq!(mended.data, Some(json!({"path": "a", "limit": 10})));
    assert_eq!(code(&cut), &ErrorCode::TruncatedArguments);
    assert_eq!(twice.error.unwrap().issues[0].keyword, "duplicate_key");
}

#[tokio::test]
async fn rejects_long_arguments_before_parsing() {
    let registry = Registry::builder()
        .argument_limit(20)
        .tool(echo("f", json!({})).0)
        .unwrap()
        .build();

    let result = registry
        .execute("f", &format!("{{\"a\": \"{}\"}}", "x".repeat(20)))
        .await;

    assert_eq!(code(&result), &ErrorCode::ArgumentsTooLarge);
}

#[tokio::test]
async fn empty_lists_in_a_schema_stand_for_objects() {
    let schema = json!({"type": "object", "properties": {"a": [], "b": {
        "type": "object", "properties": [], "additionalProperties": [],
    }}, "$defs": []});
    let registry = Registry::of(echo("f", schema).0).unwrap();

    let result = registry.execute("f", json!({"a": 1, "b": {"c": 2}})).await;

    assert_eq!(result.data, Some(json!({"a": 1, "b": {"c": 2}})));
    let other = registry.execute("f", json!({"b": 1})).await;
    assert_eq!(code(&other), &ErrorCode::InvalidArguments);
}

#[tokio::test]
async fn argument_text_is_limited_to_16_mb_by_default() {
    let registry = Registry::of(echo("f", json!({})).0).unwrap();
    let of_bytes = |bytes: usize| format!(r#"{{"a": "{}"}}"#, "x".repeat(bytes - 9));
    let limit = 16 * 1024 * 1024;

    let longest = registry.execute("f", of_bytes(limit)).await;
    let too_long = registry.execute("f", of_bytes(limit + 1)).await;

    assert!(longest.success, "{:?}", longest.error);
    assert_eq!(code(&too_long), &ErrorCode::ArgumentsTooLarge);
}

#[tokio::test]
async fn empty_text_means_no_arguments() {
    let registry = Registry::of(echo("f", json!({"type": "object"})).0).unwrap();

    assert_eq!(registry.execute("f", " ").await.data, Some(json!({})));
}

#[tokio::test]
async fn null_and_blank_text_mean_no_arguments() {
    let registry = Registry::of(echo("f", json!({"type": "object"})).0).unwrap();

    for sent in [
        json!("null"),
        json!("\"\""),
        json!("\" null \""),
        json!(null),
    ] {
        let result = registry.execute("f", sent.clone()).await;

        assert_eq!(result.data, Some(json!({})), "{sent}");
        assert_eq!(result.metadata.changes[0].kind, ChangeKind::NullToAbsent);
    }
    let text = registry.execute("f", "\"ls\"").await;
    assert_eq!(code(&text), &ErrorCode::InvalidArguments);
}

#[tokio::test]
async fn repeated_arguments_are_read_once() {
    let registry = Registry::of(echo("f", limit_schema()).0).unwrap();

    for sent in [r#"{}{"path": "a"}"#, r#"{"path": "a"}{"path": "a"}"#] {
        let result = registry.execute("f", sent).await;

        assert_eq!(result.data, Some(json!({"path": "a", "limit": 10})));
        assert_eq!(
            result.metadata.changes[0].kind,
            ChangeKind::Repair(RepairKind::Repetition)
        );
    }
    let two = registry.execute("f", r#"{"path": "a"}{"path": "b"}"#).await;
    assert_eq!(code(&two), &ErrorCode::InvalidArguments);
}

#[tokio::test]
async fn defaults_are_filled_and_coercions_recorded() {
    let registry = Registry::of(echo("f", limit_schema()).0).unwrap();

    let filled = registry.execute("f", json!({"path": "a"})).await;
    let coerced = registry
        .execute("f", json!({"path": "a", "limit": "5"}))
        .await;

    assert_eq!(
        filled.metadata.parameters.to_value(),
        json!({"path": "a", "limit": 10})
    );
    assert!(filled.metadata.changes.is_empty());
    assert_eq!(coerced.data, Some(json!({"path": "a", "limit": 5})));
    assert_eq!(coerced.metadata.changes[0].pointer, "/limit");
}

#[tokio::test]
async fn coercion_can_be_disabled() {
    let registry = Registry::builder()
        .coercion(false)
        .tool(echo("f", limit_schema()).0)
        .unwrap()
        .build();

    let result = registry
        .execute("f", json!({"path": "a", "limit": "5"}))
        .await;

    assert_eq!(result.error.unwrap().issues[0].pointer, "/limit");
}

#[tokio::test]
async fn reports_all_issues_without_running_tool() {
    let (tool, runs) = echo("f", limit_schema());
    let registry = Registry::of(tool).unwrap();

    let result = registry.execute("f", json!({"pth": "a", "limit": 0})).await;

    let error = result.error.unwrap();
    let mut keywords: Vec<&str> = error
        .issues
        .iter()
        .map(|issue| issue.keyword.as_str())
        .collect();
    keywords.sort_unstable();
    assert_eq!(keywords, ["additionalProperties", "minimum", "required"]);
    assert_eq!(error.tool_name.as_deref(), Some("f"));
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn open_schema_warns_about_unknown_members() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let registry = Registry::of(echo("f", schema).0).unwrap();

    let result = registry.execute("f", json!({"pth": "a"})).await;

    assert!(result.success);
    assert_eq!(
        result.warnings,
        ["`pth` is not a known parameter and was ignored. Did you mean `path`? Known: `path`."]
    );
    let text = result.to_string();
    assert!(text.ends_with(
        "\nWarning: `pth` is not a known parameter and was ignored. Did you mean `path`? Known: `path`."
    ));
}

#[tokio::test]
async fn alias_is_accepted_and_hidden() {
    let definition = ToolDefinition::new("f", "F.", limit_schema()).with_alias("file_path", "path");
    let tool = DynamicTool::new(
        definition.with_risk(RiskLevel::ReadOnly),
        |_, arguments| async { Ok(ToolOutput::json(arguments)) },
    );
    let registry = Registry::of(tool).unwrap();

    let result = registry.execute("f", json!({"file_path": "a"})).await;

    assert_eq!(result.data, Some(json!({"path": "a", "limit": 10})));
    assert_eq!(result.metadata.changes[0].kind, ChangeKind::Alias);
    assert!(
        !registry.list()[0]
            .input_schema()
            .to_string()
            .contains("file_path")
    );
}

#[tokio::test]
async fn value_depth_limit_equals_text() {
    let registry = Registry::of(echo("f", json!({})).0).unwrap();
    let nested = |depth| (1..depth).fold(json!({}), |inner, _| json!({"a": inner}));

    let deepest = registry.execute("f", nested(127)).await;
    let deeper = registry.execute("f", nested(128)).await;

    assert_eq!(deepest.data, Some(nested(127)));
    assert_eq!(code(&deeper), &ErrorCode::ArgumentsTooLarge);
    assert_eq!(
        deeper.to_string(),
        "Error: The arguments are invalid: more than 127 levels of nesting. Send smaller arguments."
    );
}

#[tokio::test]
async fn metadata_has_executed_value() {
    let schema = json!({"properties": {"n": {"type": "integer"}, "all": {"default": true}}});
    let registry = Registry::of(echo("count", schema).0).unwrap();

    for (given, executed) in [
        (
            json!({"n": 1.0, "all": false}),
            json!({"n": 1, "all": false}),
        ),
        (json!({"n": 1}), json!({"n": 1, "all": true})),
        (
            json!({"n": "1", "all": false}),
            json!({"n": 1, "all": false}),
        ),
        (
            json!({"n": "x", "all": false}),
            json!({"n": "x", "all": false}),
        ),
    ] {
        let result = registry.execute("count", given.clone()).await;

        assert_eq!(result.metadata.parameters.to_value(), executed, "{given}");
        let reported = serde_json::to_value(&result).unwrap();
        assert_eq!(reported["metadata"]["parameters"], executed, "{given}");
    }
}
