//! Registries whose definitions a model finds by searching.

use std::borrow::Cow;

use super::*;
use crate::approval::{Policy, Rule, Verdict};
use crate::{Dialect, ProviderTools, Registry};

fn echo(name: &str) -> DynamicTool {
    let schema = json!({
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": false,
    });
    let definition = ToolDefinition::new(name, format!("Repeats the text for {name}."), schema);
    DynamicTool::new(definition, |_, arguments| async move {
        Ok(ToolOutput::json(arguments))
    })
}

fn registry(count: usize) -> Registry {
    let rule = Rule::new("no", "files__tool_9", Verdict::Deny);
    let registry = Registry::builder()
        .policy(Policy::default().with_rule(rule))
        .build();
    for number in 0..count {
        let group = if number % 2 == 0 { "mail" } else { "files" };
        registry
            .register(echo(&format!("{group}__tool_{number}")))
            .unwrap();
    }
    registry
}

fn searchable_registry(form: SearchForm) -> Registry {
    let options = SearchOptions::default()
        .with_always(["mail__tool_0"])
        .with_form(form);
    registry(40).searchable(options).unwrap()
}

fn shown(registry: &Registry) -> Vec<String> {
    registry
        .list()
        .iter()
        .map(|tool| tool.name().to_owned())
        .collect()
}

/// Shows what a dialect gets.
struct Seen;

impl Dialect for Seen {
    fn id(&self) -> Cow<'static, str> {
        "seen".into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
        let seen = definitions
            .iter()
            .map(|tool| json!([tool.name(), tool.is_deferred(), tool.is_search()]));
        ProviderTools::new(seen.collect())
    }
}

#[test]
fn few_tools_stay_as_they_are() {
    let plain = registry(30);
    let searchable = plain.searchable(SearchOptions::default()).unwrap();

    assert_eq!(searchable.list(), plain.list());
    assert_eq!(searchable.search_form(), None);
    let forced = plain
        .searchable(SearchOptions::default().with_threshold(30, 100))
        .unwrap();
    assert_eq!(shown(&forced), [SEARCH_TOOLS, CALL_TOOL]);
}

#[test]
fn dialects_get_deferred_definitions_and_the_tools_that_search() {
    let converted = searchable_registry(SearchForm::Call).definitions(&Seen);

    let seen = converted.tools.as_array().unwrap();
    assert_eq!(seen.len(), 42);
    assert_eq!(seen[0], json!(["mail__tool_0", false, false]));
    assert_eq!(seen[1], json!(["files__tool_1", true, false]));
    assert_eq!(
        seen[40..],
        [
            json!([SEARCH_TOOLS, false, true]),
            json!([CALL_TOOL, false, true])
        ]
    );
}

#[tokio::test]
async fn search_describes_what_it_finds() {
    let registry = searchable_registry(SearchForm::Call);

    let found = registry
        .execute(
            SEARCH_TOOLS,
            json!({"query": "repeat for mail tool_12", "limit": 2}),
        )
        .await;

    let tools = found.data.unwrap();
    assert_eq!(tools.as_array().unwrap().len(), 2);
    assert_eq!(tools[0]["name"], "mail__tool_12");
    assert_eq!(tools[0]["parameters"]["required"], json!(["text"]));
    let description = registry.list()[1].description().to_owned();
    assert!(
        description.contains("39 more tools (files 20, mail 19)"),
        "{description}"
    );
}

#[tokio::test]
async fn queries_that_find_nothing_are_explained() {
    let registry = searchable_registry(SearchForm::Call);
    for (query, part) in [
        ("zzz", "Use other words"),
        ("🦀 найти", "Use other words"),
        ("  ", "Use other words"),
        ("select:unknown", "Use other words"),
        ("", "`query`"),
        (&"x".repeat(10_000), "1000"),
    ] {
        let found = registry
            .execute(SEARCH_TOOLS, json!({"query": query}))
            .await;

        let text = found.to_string();
        assert!(!found.success && text.contains(part), "{text}");
        assert!(text.len() < 1000, "{} bytes", text.len());
    }
}

#[tokio::test]
async fn vanished_tools_are_neither_found_nor_called() {
    let base = registry(40);
    let searchable = base.searchable(SearchOptions::default()).unwrap();
    let search = || searchable.execute(SEARCH_TOOLS, json!({"query": "repeats for tool_12"}));
    assert!(search().await.to_string().contains("mail__tool_12"));

    assert!(base.unregister("mail__tool_12").is_some());

    let found = search().await;
    assert!(
        found.success && !found.to_string().contains("mail__tool_12"),
        "{found}"
    );
    let call = json!({"name": "mail__tool_12", "arguments": {"text": "a"}});
    let called = searchable.execute(CALL_TOOL, call).await;
    assert_eq!(called.error.unwrap().code, ErrorCode::ToolNotFound);
}

#[tokio::test]
async fn calls_that_name_no_tool_are_explained() {
    let registry = searchable_registry(SearchForm::Call);
    for (arguments, part) in [
        (
            json!({"name": CALL_TOOL, "arguments": {}}),
            "is `call_tool` itself",
        ),
        (json!({"arguments": {}}), "name"),
        (json!({"name": "mail__tool_2"}), "arguments"),
        (
            json!({"name": "mail__tool_2", "arguments": {}, "text": "a"}),
            "text",
        ),
    ] {
        let result = registry.execute(CALL_TOOL, arguments.clone()).await;

        assert!(
            !result.success && result.to_string().contains(part),
            "{arguments}: {result}"
        );
    }
}

#[tokio::test]
async fn first_error_of_a_deferred_tool_has_its_definition() {
    let registry = searchable_registry(SearchForm::Call);

    let deferred = registry
        .execute("mail__tool_2", json!({}))
        .await
        .to_string();
    let shown = registry
        .execute("mail__tool_0", json!({}))
        .await
        .to_string();

    assert!(deferred.contains(r#""parameters":{"#), "{deferred}");
    assert!(!shown.contains("parameters"), "{shown}");
    assert!(
        registry
            .execute("mail__tool_2", json!({"text": "a"}))
            .await
            .success
    );
}

#[test]
fn found_definitions_come_last_in_their_order() {
    let registry = searchable_registry(SearchForm::Append);
    assert_eq!(shown(&registry), ["mail__tool_0", SEARCH_TOOLS]);

    let found = ["files__tool_5", "unknown", "mail__tool_2", "mail__tool_0"].map(str::to_owned);
    let revealed = registry.snapshot().revealing(&found);

    assert_eq!(
        shown(&revealed),
        [
            "mail__tool_0",
            SEARCH_TOOLS,
            "files__tool_5",
            "mail__tool_2"
        ]
    );
}

#[test]
fn narrowed_and_changed_registries_search_what_is_left() {
    let base = registry(40);
    let options = SearchOptions::default().with_threshold(10, 100_000);
    let searchable = base.searchable(options).unwrap();

    let fewer = searchable.without(["mail__tool_2"]).unwrap();
    assert_eq!(shown(&fewer), [SEARCH_TOOLS, CALL_TOOL]);
    assert!(fewer.get("mail__tool_2").is_none());
    base.register(echo("late")).unwrap();
    assert!(fewer.list()[0].description().contains("40 more tools"));
    base.register(echo(SEARCH_TOOLS)).unwrap();
    assert_eq!(fewer.list().len(), 41);
}

#[test]
fn always_shown_tools_must_exist() {
    let options = SearchOptions::default().with_always(["mail__tol_1"]);

    assert!(registry(2).searchable(options).is_err());
}
