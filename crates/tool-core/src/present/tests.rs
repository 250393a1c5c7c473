//! Mapping of shown arguments to the tool's own arguments.

use serde_json::{Value, json};

use super::{AdaptedTool, Presentation, PresentationError};
use crate::{
    Arguments, DynamicTool, ErrorCode, OutputLimit, Registry, RiskLevel, Tool, ToolDefinition,
    ToolError, ToolOutput, ToolResult,
};

fn open_file() -> DynamicTool {
    let schema = json!({"properties": {
        "path": {"type": "string"}, "mode": {"type": "string"},
        "from": {"type": "integer"}, "to": {"type": "integer"},
    }});
    let definition = ToolDefinition::new("open", "Opens.", schema).with_risk(RiskLevel::ReadOnly);
    DynamicTool::new(definition, |_, own| async { Ok(ToolOutput::json(own)) })
}

async fn own(presentation: Presentation, shown: Value) -> Option<Value> {
    let tool = AdaptedTool::new(open_file(), presentation).unwrap();
    Registry::of(tool).unwrap().execute("f", shown).await.data
}

#[tokio::test]
async fn swaps_two_names() {
    let presentation = Presentation::new("f", "F.")
        .rename("from", "to")
        .rename("to", "from");

    let own = own(presentation, json!({"from": 1, "to": 2, "path": "ä\n"})).await;

    assert_eq!(own, Some(json!({"from": 2, "to": 1, "path": "ä\n"})));
}

#[tokio::test]
async fn accepts_hidden_parameter_under_its_alias() {
    let presentation = || {
        let hidden = Presentation::new("f", "F.").open().only(["path"]);
        hidden.alias("from", "offset")
    };

    let tool = AdaptedTool::new(open_file(), presentation()).unwrap();
    let properties = &tool.definition().input_schema()["properties"];
    assert_eq!(properties, &json!({"path": {"type": "string"}}));
    for (shown, expected) in [
        (
            json!({"offset": 3, "path": "a"}),
            Some(json!({"from": 3, "path": "a"})),
        ),
        (json!({"offset": "4"}), Some(json!({"from": 4}))),
        (json!({"from": 3}), Some(json!({}))),
        (json!({"offset": "x"}), None),
    ] {
        assert_eq!(
            own(presentation(), shown.clone()).await,
            expected,
            "{shown}"
        );
    }
    let registry = Registry::of(tool).unwrap();
    let result = registry.execute("f", json!({"offset": 3})).await;
    assert_eq!(result.warnings, [""; 0]);
}

#[tokio::test]
async fn open_tool_receives_only_shown_names() {
    let presentation = || Presentation::new("f", "F.").open();
    for (presentation, shown, expected) in [
        (
            presentation().pin("mode", "r"),
            json!({"mode": "w", "new": {"mode": "w"}}),
            json!({"mode": "r", "new": {"mode": "w"}}),
        ),
        (presentation().hide("mode"), json!({"mode": "w"}), json!({})),
        (
            presentation().rename("path", "file"),
            json!({"file": "a", "path": "b"}),
            json!({"path": "a"}),
        ),
        (
            presentation().rename("path", "file"),
            json!({"path": "b"}),
            json!({}),
        ),
        (
            presentation().pin("mode", "r").pin("mode", "a"),
            json!({}),
            json!({"mode": "a"}),
        ),
    ] {
        assert_eq!(
            own(presentation, shown.clone()).await,
            Some(expected),
            "{shown}"
        );
    }
}

fn shout() -> DynamicTool {
    let schema = json!({"properties": {"text": {"type": "string"}, "mark": {"type": "string"}}});
    let definition = ToolDefinition::new("shout", "Shouts.", schema).with_risk(RiskLevel::ReadOnly);
    DynamicTool::new(definition, |cx, own: Value| async move {
        cx.warn("it is loud");
        match own["text"].as_str() {
            Some("") | None => {
                Err(ToolError::invalid_arguments("text", "is empty").suggest("Say more."))
            }
            Some(text) => Ok(ToolOutput::json(json!({"loud": text.to_uppercase()}))),
        }
    })
}

async fn shouted(presentation: Presentation, arguments: Value) -> ToolResult {
    let tool = AdaptedTool::new(shout(), presentation).unwrap();
    Registry::of(tool).unwrap().execute("f", arguments).await
}

fn text<'a>(arguments: &'a Arguments<'_>, name: &str) -> &'a str {
    arguments
        .get(name)
        .and_then(crate::JsonRef::as_str)
        .unwrap_or_default()
}

#[tokio::test]
async fn render_and_note_receive_output_and_arguments() {
    let presentation = Presentation::new("f", "F.")
        .rename("text", "words")
        .pin("mark", "!")
        .render(|output: &Value, own| {
            format!(
                "{}{} {}",
                text(own, "text"),
                text(own, "mark"),
                output["loud"]
            )
        })
        .note("size", |_, own| text(own, "text").len())
        .warn(|output: &Value, _| (output["loud"] == "HI").then(|| "it is short".to_owned()))
        .map_warning(|warning| format!("beware: {warning}"));

    let result = shouted(presentation, json!({"words": "hi"})).await;

    assert_eq!(result.text(), "hi! \"HI\"");
    assert_eq!(result.data, Some(json!({"loud": "HI"})));
    assert_eq!(json!(result.metadata.extra), json!({"size": 2}));
    assert_eq!(
        result.warnings,
        ["beware: it is loud", "beware: it is short"]
    );
}

#[tokio::test]
async fn output_can_become_error_with_data() {
    let presentation = Presentation::new("f", "F.")
        .note("size", |_, _| 2)
        .fail(|output: &Value, _| (output["loud"] == "HI").then(|| ToolError::failed("Too loud.")));

    let quiet = shouted(presentation.clone(), json!({"text": "ho"})).await;
    let loud = shouted(presentation, json!({"text": "hi"})).await;

    assert!(quiet.success);
    assert_eq!(
        (loud.success, loud.text().as_str()),
        (false, "Error: Too loud.")
    );
    assert_eq!(loud.data, Some(json!({"loud": "HI"})));
    assert_eq!(
        (loud.warnings.len(), &loud.metadata.extra["size"]),
        (1, &json!(2))
    );
}

#[tokio::test]
async fn reworded_error_keeps_shown_parameter() {
    let presentation = Presentation::new("f", "F.")
        .rename("text", "words")
        .map_error(|error, own| {
            let said = format!("Nothing in '{}'", text(own, "text"));
            error
                .reworded(ErrorCode::from("silence"), said.clone())
                .with_text(said)
        });

    let result = shouted(presentation, json!({"words": ""})).await;

    let error = result.error.clone().unwrap();
    assert_eq!(result.text(), "Nothing in ''");
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("silence", "Nothing in ''")
    );
    assert_eq!(error.parameter.as_deref(), Some("words"));
    assert_eq!(error.suggestion.as_deref(), Some("Say more."));
}

#[tokio::test]
async fn output_limit_replaces_limit_of_registry() {
    let presentation =
        || Presentation::new("f", "F.").render(|output: &Value, _| output["loud"].to_string());
    let long = json!({"text": "x".repeat(200_000)});

    let cut = shouted(presentation(), long.clone()).await;
    let whole = shouted(presentation().output_limit(OutputLimit::unlimited()), long).await;

    assert!(cut.text().len() < 110_000);
    assert_eq!(whole.text().len(), 200_002);
}

#[tokio::test]
async fn only_shows_listed_and_keeps_pinned_parameters() {
    let presentation = || {
        Presentation::new("f", "F.")
            .open()
            .pin("mode", "r")
            .only(["path"])
    };
    let tool = AdaptedTool::new(open_file(), presentation()).unwrap();

    let own = own(presentation(), json!({"path": "a", "from": 1, "mode": "w"})).await;

    assert_eq!(
        tool.definition().input_schema()["properties"],
        json!({"path": {"type": "string"}})
    );
    assert_eq!(own, Some(json!({"path": "a", "mode": "r"})));
}

#[test]
fn rejects_list_with_unknown_parameter() {
    let error =
        AdaptedTool::new(open_file(), Presentation::new("f", "F.").only(["pth"])).unwrap_err();

    assert_eq!(
        error,
        PresentationError::UnknownParameter {
            tool: "f".into(),
            parameter: "pth".into()
        }
    );
}

#[tokio::test]
async fn clamps_numbers_with_warning() {
    let presentation = || {
        Presentation::new("f", "F.")
            .rename("from", "start")
            .clamp("from", 1..=10)
    };
    for (shown, expected, warnings) in [
        (json!({"start": 5}), json!({"from": 5}), &[][..]),
        (
            json!({"start": 11}),
            json!({"from": 10}),
            &["`start` is from 1 to 10; 10 was used."],
        ),
        (
            json!({"start": -4}),
            json!({"from": 1}),
            &["`start` is from 1 to 10; 1 was used."],
        ),
        (json!({"path": "a"}), json!({"path": "a"}), &[]),
    ] {
        let tool = AdaptedTool::new(open_file(), presentation()).unwrap();

        let result = Registry::of(tool)
            .unwrap()
            .execute("f", shown.clone())
            .await;

        assert_eq!(result.data, Some(expected), "{shown}");
        assert_eq!(result.warnings, warnings, "{shown}");
    }
}
