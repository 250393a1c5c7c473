//! Arguments on their way from what is shown to the tool's own.

use serde_json::{Value, json};

use super::{Presentation, Presented, show};
use crate::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolOutput};

fn open_file() -> DynamicTool {
    let schema = json!({"properties": {
        "path": {"type": "string"}, "mode": {"type": "string"},
        "from": {"type": "integer"}, "to": {"type": "integer"},
    }});
    let definition = ToolDefinition::new("open", "Opens.", schema).with_risk(RiskLevel::ReadOnly);
    DynamicTool::new(definition, |_, own| async { Ok(ToolOutput::json(own)) })
}

async fn own(presentation: Presentation, shown: Value) -> Option<Value> {
    let tool = Presented::new(open_file(), presentation).unwrap();
    Registry::of(tool).unwrap().execute("f", shown).await.data
}

#[tokio::test]
async fn two_names_may_be_swapped() {
    let presentation = show("f", "F.").rename("from", "to").rename("to", "from");

    let own = own(presentation, json!({"from": 1, "to": 2, "path": "ä\n"})).await;

    assert_eq!(own, Some(json!({"from": 2, "to": 1, "path": "ä\n"})));
}

#[tokio::test]
async fn only_shown_names_reach_an_open_tool() {
    let presentation = || show("f", "F.").open();
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
