//! Typed, dynamic and foreign tools accept and reject the same arguments with the same messages.

#![cfg(feature = "validate")]

use serde_json::{Value, json};
use tool_core::{
    Arguments, CallPlan, ChangeKind, DynamicTool, PreparedCall, Registry, RepairKind, Tool,
    ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult, tool_fn,
};

#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    #[serde(default = "ten")]
    limit: u8,
    #[serde(default)]
    exact: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Order>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<Range>,
}

#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    Newest,
    Oldest,
}

#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Range {
    first: u32,
    #[serde(default = "last")]
    last: u32,
}

fn ten() -> u8 {
    10
}

fn last() -> u32 {
    99
}

/// A tool that implements the trait directly.
struct Foreign(ToolDefinition);

impl Tool for Foreign {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.0.risk());
        let run = async { Ok(ToolOutput::json(arguments.to_value())) };
        Ok(PreparedCall::new(plan, run))
    }
}

fn registries() -> Result<[Registry; 3], tool_core::RegisterError> {
    let definition = || ToolDefinition::of::<Search>("search", "Searches.");
    let dynamic = DynamicTool::new(definition(), |_, arguments| async move {
        Ok(ToolOutput::json(arguments))
    });
    let typed = tool_fn("search", "Searches.", |_, input: Search| async move {
        Ok(input)
    });
    Ok([
        Registry::of(typed)?,
        Registry::of(dynamic)?,
        Registry::of(Foreign(definition()))?,
    ])
}

async fn answers(text: &str) -> Result<[ToolResult; 3], tool_core::RegisterError> {
    let [typed, dynamic, foreign] = registries()?;
    Ok([
        typed.execute("search", text).await,
        dynamic.execute("search", text).await,
        foreign.execute("search", text).await,
    ])
}

#[tokio::test]
async fn converts_arguments_and_lists_changes() -> Result<(), tool_core::RegisterError> {
    let whole = |query: &str| json!({"query": query, "limit": 10, "exact": false});
    let with = |name: &str, value: Value| {
        let mut arguments = whole("a");
        arguments[name] = value;
        arguments
    };
    let cases = [
        (r#"{"query":"a"}"#, whole("a"), vec![]),
        (
            r#"{"query":"a","limit":5.0}"#,
            with("limit", json!(5)),
            vec![],
        ),
        (
            r#"{"query":"a","limit":"5.0"}"#,
            with("limit", json!(5)),
            vec![ChangeKind::TextToNumber],
        ),
        (
            r#"{"query":"a","exact":"True"}"#,
            with("exact", json!(true)),
            vec![ChangeKind::TextToBoolean],
        ),
        (r#"{"query":7}"#, whole("7"), vec![ChangeKind::ScalarToText]),
        (
            r#"{"query":340282366920938463463374607431768211455}"#,
            whole("340282366920938463463374607431768211455"),
            vec![ChangeKind::Repair(RepairKind::WideNumber)],
        ),
        (
            r#"{"query":"a","paths":"b"}"#,
            with("paths", json!(["b"])),
            vec![ChangeKind::ItemToArray],
        ),
        (
            r#"{"query":"a","paths":"[\"b\"]"}"#,
            with("paths", json!(["b"])),
            vec![ChangeKind::TextToJson],
        ),
        (
            r#"{"query":"a","limit":null}"#,
            whole("a"),
            vec![ChangeKind::NullToAbsent],
        ),
        (
            r#"{"query":"a","within":{"first":1}}"#,
            with("within", json!({"first": 1, "last": 99})),
            vec![],
        ),
        (
            r"{query:'a',}",
            whole("a"),
            vec![
                ChangeKind::Repair(RepairKind::BareKey),
                ChangeKind::Repair(RepairKind::SingleQuotes),
                ChangeKind::Repair(RepairKind::TrailingComma),
            ],
        ),
    ];

    for (text, executed, kinds) in cases {
        for result in answers(text).await? {
            let changes: Vec<ChangeKind> = result
                .metadata
                .changes
                .iter()
                .map(|change| change.kind)
                .collect();

            assert_eq!(
                result.metadata.parameters.to_value(),
                executed,
                "{text}: {result}"
            );
            assert_eq!(changes, kinds, "{text}");
            assert!(result.success, "{text}: {result}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn rejects_invalid_arguments_with_same_message() -> Result<(), tool_core::RegisterError> {
    let long = format!(r#"{{"query":"a","limit":"{}"}}"#, "secret ".repeat(50));
    let cases = [
        (r"{}", "`query` is missing"),
        (
            r#"{"query":"a","limit":""}"#,
            "`limit` must be an integer, not the empty string",
        ),
        (
            r#"{"query":"a","limit":256}"#,
            "`limit` must be at most 255, not the number 256",
        ),
        (
            r#"{"query":"a","limit":-340282366920938463463}"#,
            "`limit` must be an integer of at most 64 bits, not the string \"-340282366920938463463\"",
        ),
        (
            r#"{"query":"a","within":{"first":1e400}}"#,
            "`within.first` must be an integer of at most 64 bits, not the string \"1e400\"",
        ),
        (
            r#"{"query":"a","exact":1}"#,
            "`exact` must be true or false, not the number 1",
        ),
        (
            r#"{"query":"a","limt":1}"#,
            "`limt` is not a known parameter (did you mean `limit`?)",
        ),
        (r#"{"query":null}"#, "`query` must be a string, not null"),
        (
            r#"{"query":["a"]}"#,
            "`query` must be a string, not an array of 1 item",
        ),
        (
            r#"{"query":"a","paths":["b",{}]}"#,
            "`paths[1]` must be a string, not an object",
        ),
        (
            r#"{"query":"a","order":"newst"}"#,
            "`order` must be one of \"newest\", \"oldest\", not the string \"newst\" (did you mean `newest`?)",
        ),
        (
            r#"{"query":"a","within":{"last":1}}"#,
            "`within.first` is missing",
        ),
        (
            r#"[["query","a"]]"#,
            "the arguments must be an object, not an array of 1 item",
        ),
        (
            &long,
            "`limit` must be an integer, not the string \"secret secret secret secret secret secre…\"",
        ),
    ];

    for (text, issue) in cases {
        for result in answers(text).await? {
            let reported: Vec<String> = result
                .error
                .iter()
                .flat_map(|error| &error.issues)
                .map(ToString::to_string)
                .collect();

            assert_eq!(reported, [issue], "{text}");
            assert!(!result.success, "{text}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn validates_type_range_that_definition_omits() -> Result<(), tool_core::RegisterError> {
    for registry in registries()? {
        let definition = registry.list().remove(0);
        let limit = json!({"type": "integer", "default": 10});
        assert_eq!(definition.input_schema()["properties"]["limit"], limit);
    }
    for (limit, issue) in [
        (256, "`limit` must be at most 255, not the number 256"),
        (-1, "`limit` must be at least 0, not the number -1"),
    ] {
        let text = json!({"query": "a", "limit": limit}).to_string();
        for result in answers(&text).await? {
            let issues = result.error.map(|error| error.issues).unwrap_or_default();
            let reported: Vec<String> = issues.iter().map(ToString::to_string).collect();
            assert_eq!(reported, [issue], "{text}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn issues_have_all_known_details() -> Result<(), tool_core::RegisterError> {
    for result in answers(r#"{"order":"newst","limit":300}"#).await? {
        let issues = result.error.map(|error| error.issues).unwrap_or_default();
        let mut issues = serde_json::to_value(issues).unwrap_or_default();
        if let Some(issues) = issues.as_array_mut() {
            issues.sort_by_key(|issue| issue["pointer"].to_string());
        }

        assert_eq!(
            issues,
            json!([
                {"pointer": "", "keyword": "required", "expected": "a value for `query`", "got": "nothing",
                 "property": "query"},
                {"pointer": "/limit", "keyword": "maximum", "expected": "at most 255", "got": "the number 300"},
                {"pointer": "/order", "keyword": "enum", "expected": "one of \"newest\", \"oldest\"",
                 "got": "the string \"newst\"", "allowed": ["newest", "oldest"], "nearest": "newest"},
            ])
        );
    }
    Ok(())
}
